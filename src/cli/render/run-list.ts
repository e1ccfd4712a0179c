import type { RunRow } from '../run-rows';
import { columns } from './columns';
import { paint } from './ending';
import type { Style } from './style';
import { durationWords, timeWords } from './words';

/** Runs, newest first, one a line. */
export function runListTable(rows: readonly RunRow[], style: Style, now: number = Date.now()): string {
  if (rows.length === 0) return 'No runs yet. Start one with: portolan sync ROUTE';
  return columns(
    ['RUN', 'KIND', 'ROUTE', 'STATUS', 'PHASE', 'STARTED', 'TOOK'],
    rows.map((row) => [
      row.runId,
      row.kind,
      row.route,
      paint(row, row.status, style),
      row.phase ?? '',
      timeWords(row.startedAt),
      durationWords(
        (row.finishedAt === undefined ? now : Date.parse(row.finishedAt)) - Date.parse(row.startedAt),
      ),
    ]),
    style,
  );
}
