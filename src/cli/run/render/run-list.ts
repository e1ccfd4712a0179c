import type { RunRow } from '../../../contract/run-row';
import { oneLine } from '../../../model/text/plain-text';
import type { RunStatus } from '../../../model/run/phase';
import type { RunRecord } from '../../../model/run/run';
import { shortRunId } from '../../../model/run/run-id';
import { queueWords } from '../../../service/portal-queue/queue-words';
import { columns } from '../../terminal/columns';
import type { Style } from '../../terminal/style';
import { countOf, durationWords, timeWords, windowWords } from '../../../model/text/words';
import { paintStatus } from './ending';

/** Runs, newest first, one per line; `status` is the requested filter. */
export function runListTable(
  rows: readonly RunRow[],
  style: Style,
  { status, now = Date.now() }: { status?: RunStatus; now?: number } = {},
): string {
  if (rows.length === 0)
    return status === undefined
      ? 'No runs yet. Start one with: portolan sync ROUTE'
      : `No runs with status ${status}.`;
  return columns(
    ['RUN', 'KIND', 'ROUTE', 'STATUS', 'PHASE', 'STARTED', 'TOOK', 'BY'],
    rows.map((row) => [
      row.runId,
      row.kind,
      row.route,
      paintStatus(row, row.status, style),
      [
        row.phase,
        queueWords(row.queue),
        row.window && windowWords(row.window),
        row.failing && `workflow task failing (attempt ${row.failing.attempt})`,
      ]
        .filter(Boolean)
        .join(', '),
      timeWords(row.startedAt),
      durationWords(
        (row.finishedAt === undefined ? now : Date.parse(row.finishedAt)) - Date.parse(row.startedAt),
      ),
      oneLine(row.startedBy ?? ''),
    ]),
    style,
  );
}

type Child = NonNullable<RunRecord['children']>[number];

/** Child runs listed: the latest ones. */
const namedChildren = 20;

/** `k7q2_003   4 items  failed`; of a group with its name, and with what was done to it: `import roads`. */
export const childText = ({ runId, items, status, name, does }: Child, style: Style): string =>
  [
    `${shortRunId(runId).padEnd(10)} ${countOf(items, 'item').padStart(9)}`,
    paintStatus({ status }, status, style),
    ...(name === undefined ? [] : [[does ?? [], oneLine(name)].flat().join(' ')]),
  ].join('  ');

/** The phase of the parent run that a child run belongs to. */
export function phaseOfChild({ name, does }: Child): string {
  if (does === undefined) return name === undefined ? 'search' : 'groups';
  if (does === 'undo') return 'rollback';
  return does === 'import' && (name === 'settings' || name === 'category-schema') ? 'portal' : does;
}

/** What the child runs are, if not imports. */
const partsOf: Readonly<Record<string, string>> = { release: 'backup', protect: 'backup', promotion: 'run' };

/** The child runs of a run. */
export function childrenBlock({ kind, children }: RunRecord, style: Style): string[] {
  if (children === undefined || children.length === 0) return [];
  const left = children.length - namedChildren;
  return [
    `${style.colors.bold('RUNS')}     ${countOf(children.length, partsOf[kind] ?? 'import')} so far; for details: portolan run show RUN`,
    ...(left > 0 ? [`  ${left} earlier`] : []),
    ...children.slice(-namedChildren).map((child) => `  ${childText(child, style)}`),
  ];
}
