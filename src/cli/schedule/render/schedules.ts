import { oneLine } from '../../../model/text/plain-text';
import { exactDuration } from '../../../model/text/exact-duration';
import type { ScheduleChangeRow } from '../../../service/schedule/schedule-change-view';
import type {
  ScheduleDetail,
  ScheduledRun,
  ScheduleFieldChange,
  ScheduleRow,
} from '../../../service/schedule/schedule-view';
import { columns, labelled } from '../../terminal/columns';
import { paintStatus } from '../../run/render/ending';
import type { Style } from '../../terminal/style';
import { countOf, timeWords } from '../../../model/text/words';

const zoned = ({ cron, timezone }: Pick<ScheduleRow, 'cron' | 'timezone'>): string => `${cron} ${timezone}`;

const stateWords = ({ paused, standing }: ScheduleRow): string => {
  const state = standing === 'not applied' ? undefined : paused ? 'paused' : 'on';
  const remark = standing === 'as in the file' ? undefined : standing;
  return [state, remark].filter(Boolean).join(', ');
};

const outcome = (run: ScheduledRun | undefined, style: Style): string => {
  if (!run) return '';
  return run.status === undefined ? '?' : paintStatus({ status: run.status }, run.status, style);
};

/** Schedules, one a line. */
export function scheduleTable(rows: readonly ScheduleRow[], style: Style): string {
  if (rows.length === 0) return 'No schedules. Write them into portolan.yaml, then: portolan schedule apply';
  return columns(
    ['SCHEDULE', 'KIND', 'ROUTE', 'DUE', 'STATE', 'LAST', 'OUTCOME', 'NEXT'],
    rows.map((row) => {
      const [last] = row.runs;
      const [next] = row.next;
      return [
        row.name,
        row.kind,
        row.route ?? '?',
        zoned(row),
        row.paused ? style.colors.yellow(stateWords(row)) : stateWords(row),
        last ? timeWords(last.startedAt) : '',
        outcome(last, style),
        next === undefined || row.paused ? '' : timeWords(next),
      ];
    }),
    style,
  );
}

/** Everything that is known of a schedule. */
export function scheduleText(row: ScheduleDetail, style: Style): string {
  const { colors } = style;
  const note = row.note === undefined ? '' : `: ${oneLine(row.note)}`;
  const leftOut = row.lastLeftOut === undefined ? '' : `, last ${timeWords(row.lastLeftOut)}`;
  const lines = labelled(
    [
      ['starts', `${row.kind} of ${row.route ?? '?'}`],
      ['due', zoned(row)],
      ['state', `${stateWords(row)}${note}`],
      ['jitter', exactDuration(row.jitterMs)],
      ['overlap', row.overlap],
      ['catch-up', exactDuration(row.catchupMs)],
      ['kept in', row.origin === 'file' ? 'portolan.yaml' : 'the server only: another tool made it'],
      ['started', countOf(row.started, 'run')],
      [
        'skipped',
        `${row.skipped} while a run went on, ${row.missed} missed while Temporal was down${leftOut}`,
      ],
      ...(row.waiting > 0
        ? [['waiting', `${countOf(row.waiting, 'start')} for the end of a run`] as const]
        : []),
      [
        'next',
        row.next.length === 0
          ? 'none'
          : row.paused
            ? 'none while it is paused'
            : row.next.map(timeWords).join(', '),
      ],
    ],
    style,
  );
  const runs = columns(
    ['RUN', 'DUE', 'STARTED', 'STATUS'],
    row.runs.map((run) => [
      run.runId,
      run.dueAt === undefined ? 'triggered' : timeWords(run.dueAt),
      timeWords(run.startedAt),
      outcome(run, style),
    ]),
    style,
  );
  return [colors.bold(row.name), ...lines, ...(row.runs.length === 0 ? [] : ['', runs])].join('\n');
}

const marks = { create: '+', change: '~', delete: '-', unchanged: ' ', left: ' ' } as const;

/** What `apply` does, one schedule after the other, with each field that changes. */
export function differenceText(changes: readonly ScheduleChangeRow[], style: Style): string {
  if (changes.length === 0) return 'There are no schedules, neither in the file nor on the server.';
  return changes.flatMap((change) => changeLines(change, style)).join('\n');
}

function changeLines({ name, change, fields, keptPause, starts }: ScheduleChangeRow, style: Style): string[] {
  const { colors } = style;
  const head = `${marks[change]} ${name}  ${changeWords[change]}`;
  const painted = change === 'create' ? colors.green(head) : change === 'delete' ? colors.red(head) : head;
  return [
    painted,
    ...(starts === undefined ? [] : [`    ${oneLine(starts)}`]),
    ...fields.map(fieldLine),
    ...(keptPause === undefined
      ? []
      : [
          colors.yellow(`    stays paused, as it was by hand: ${oneLine(keptPause)}`),
          `    to resume it: portolan schedule resume ${name}, or paused: false in the file`,
        ]),
  ];
}

const changeWords = {
  create: 'is created',
  change: 'is changed',
  delete: 'is deleted, and what it tells of its starts; its runs stay',
  unchanged: 'is as it should be',
  left: 'is left alone: another tool made it, and --prune deletes it',
} as const;

const fieldLine = ({ field, from = '(none)', to = '(none)' }: ScheduleFieldChange): string =>
  `    ${field}: ${oneLine(from)} -> ${oneLine(to)}`;

/** What became of a change. */
export const doneWords = ({ name, change }: ScheduleChangeRow): string =>
  `${change === 'create' ? 'created' : change === 'delete' ? 'deleted' : 'changed'}  ${name}`;
