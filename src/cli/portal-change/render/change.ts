import type { RunRecord, FieldChange } from '../../../model/run/run';
import { shortRunId } from '../../../model/run/run-id';
import type { ChangeView } from '../change-view';
import { columns } from '../../terminal/columns';
import { errorLines, paintStatus } from '../../run/render/ending';
import { actionWords } from '../../run/render/parked';
import type { Style } from '../../terminal/style';
import { countOf, durationWords, labelled, safeText, timeWords } from '../../terminal/words';

/** Longer values are cut; the JSON has them whole. */
const VALUE_LENGTH = 60;

/** A value in one line; what is not set is a hyphen. */
export function valueWords(value: unknown): string {
  if (value === undefined || value === null) return '-';
  const text = safeText(typeof value === 'string' ? value : JSON.stringify(value));
  return text.length > VALUE_LENGTH ? `${text.slice(0, VALUE_LENGTH - 2)}..` : text;
}

/** Values that differ, one a line; `heads` names the two sides. */
export const differencesTable = (
  changes: readonly FieldChange[],
  style: Style,
  heads: readonly [string, string] = ['NOW', 'NEW'],
): string =>
  columns(
    ['FIELD', ...heads],
    changes.map(({ path, before, after }) => [safeText(path), valueWords(before), valueWords(after)]),
    style,
  );

/** The end of a change in a few lines. */
export function changeEnding(record: RunRecord, style: Style, status: number): string {
  const { colors } = style;
  const took = durationWords(
    Date.parse(record.finishedAt ?? record.startedAt) - Date.parse(record.startedAt),
  );
  const what = record.changes === undefined ? '' : `${countOf(record.changes.length, 'change')}.  `;
  return [
    `${paintStatus(record, record.status.toUpperCase(), style)} in ${took}.  ${what}Target: ${record.target}.  Exit status ${status}.`,
    ...(record.error === undefined ? [] : errorLines(record.error, style)),
    ...record.warnings.map((warning) => colors.yellow(`warning  ${safeText(warning)}`)),
    ...labelled(nextOf(record), style),
  ].join('\n');
}

/** What can be typed next. */
function nextOf({
  runId,
  status,
  target,
  kind,
  operation,
  route: { name: portal },
  saved,
}: RunRecord): [string, string][] {
  const run = shortRunId(runId);
  const details: [string, string] = ['details', `portolan run show ${run}`];
  if (kind === 'task-run' || status === 'nothing-to-do' || target === 'untouched') return [details];
  if (saved !== undefined) return [['undo', `portolan ${kind} apply ${portal} --saved ${run}`], details];
  // A schema that was not there before is taken away again by its own command.
  return kind === 'category-schema' && operation === 'apply'
    ? [['undo', `portolan category-schema delete ${portal}`], details]
    : [details];
}

/** Everything about one change for people. */
export function changeShow({ record, open, notes, ui }: ChangeView, style: Style, now = Date.now()): string {
  const { colors } = style;
  const end = record.finishedAt ?? record.startedAt;
  const took = durationWords((open ? now : Date.parse(end)) - Date.parse(record.startedAt));
  const { source: from, name: portal } = record.route;
  const head = [
    `${paintStatus(record, record.status.toUpperCase(), style)}   ${colors.bold(record.runId)}   ${open ? 'for' : 'took'} ${took}`,
    ...labelled(
      [
        ['what', `${record.kind} ${record.operation}: ${from ? `${from.portal} -> ` : ''}${portal}`],
        ['started', `${timeWords(record.startedAt)} by ${safeText(record.startedBy ?? '?')}`],
        ['target', record.target],
        ...(record.saved ? [['saved', `what was there before, in the store: ${record.saved}`] as const] : []),
      ],
      style,
    ),
    ...notes.map((note) => colors.yellow(`note     ${note}`)),
  ];
  const steps = record.phases.map(({ name, status, detail = '' }) =>
    `  ${name.padEnd(8)}${status.padEnd(9)}${safeText(detail)}`.trimEnd(),
  );
  const blocks = [
    head,
    record.error === undefined ? [] : errorLines(record.error, style),
    steps,
    record.changes === undefined || record.changes.length === 0
      ? []
      : [differencesTable(record.changes, style, ['BEFORE', 'AFTER'])],
    record.warnings.map((warning) => colors.yellow(`warning  ${safeText(warning)}`)),
    record.actions.map((action) => `${colors.dim(timeWords(action.at))}  ${actionWords(action)}`),
    labelled(
      [...nextOf(record).filter(([label]) => label !== 'details'), ...(ui ? [['ui', ui] as const] : [])],
      style,
    ),
  ];
  return blocks
    .filter((block) => block.length > 0)
    .map((block) => block.join('\n'))
    .join('\n\n');
}
