import type { RunRow } from '../run-rows';
import type { RunStatus } from '../../../model/run/phase';
import { columns } from '../../terminal/columns';
import { paint } from './ending';
import { queueWords } from '../../gate/render/gates';
import type { Style } from '../../terminal/style';
import { durationWords, safeText, timeWords } from '../../terminal/words';

/** Runs, newest first, one a line; `status` is the one that was asked for. */
export function runListTable(
  rows: readonly RunRow[],
  style: Style,
  { status, now = Date.now() }: { status?: RunStatus; now?: number } = {},
): string {
  if (rows.length === 0)
    return status === undefined ? 'No runs yet. Start one with: portolan sync ROUTE' : `No run is ${status}.`;
  return columns(
    ['RUN', 'KIND', 'ROUTE', 'STATUS', 'PHASE', 'STARTED', 'TOOK', 'BY'],
    rows.map((row) => [
      row.runId,
      row.kind,
      row.route,
      paint(row, row.status, style),
      [row.phase, queueWords(row.queue)].filter(Boolean).join(', '),
      timeWords(row.startedAt),
      durationWords(
        (row.finishedAt === undefined ? now : Date.parse(row.finishedAt)) - Date.parse(row.startedAt),
      ),
      safeText(row.startedBy ?? ''),
    ]),
    style,
  );
}
