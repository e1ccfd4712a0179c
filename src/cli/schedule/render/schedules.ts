import { oneLine } from '../../../model/text/plain-text';
import { exactDuration, countOf, timeWords } from '../../../model/text/words';
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

const zoned = ({ cron, timezone }: Pick<ScheduleRow, 'cron' | 'timezone'>): string => `${cron} ${timezone}`;

const stateWords = ({ paused, standing }: ScheduleRow): string => {
  const state = standing === 'not applied' ? undefined : paused ? 'paused' : 'on';
  const remark = standing === 'as in portolan.yaml' ? undefined : standing;
  return [state, remark].filter(Boolean).join(', ');
};

const outcome = (run: ScheduledRun | undefined, style: Style): string => {
  if (!run) return '';
  return run.status === undefined ? '?' : paintStatus({ status: run.status }, run.status, style);
};

/** Schedules, one per line. */
export function scheduleTable(rows: readonly ScheduleRow[], style: Style): string {
  if (rows.length === 0) return 'No schedules. Add them to portolan.yaml, then run: portolan schedule apply';
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

/** Everything known about a schedule. */
export function scheduleText(row: ScheduleDetail, style: Style): string {
  const { colors } = style;
  const note = row.note === undefined ? '' : `: ${oneLine(row.note)}`;
  const leftOut = row.lastLeftOut === undefined ? '' : `, last ${timeWords(row.lastLeftOut)}`;
  const lines = labelled(
    [
      ['starts', `${row.kind} ${row.route ?? '?'}`],
      ['due', zoned(row)],
      ['state', `${stateWords(row)}${note}`],
      ['jitter', exactDuration(row.jitterMs)],
      ['overlap', row.overlap],
      ['catch-up', exactDuration(row.catchupMs)],
      ['defined in', row.origin === 'file' ? 'portolan.yaml' : 'the server only, created by another tool'],
      ['started', countOf(row.started, 'run')],
      [
        'skipped',
        `${row.skipped} while a run was open, ${row.missed} missed while Temporal was down${leftOut}`,
      ],
      ...(row.waiting > 0 ? [['waiting', `${countOf(row.waiting, 'start')} until a run ends`] as const] : []),
      [
        'next',
        row.next.length === 0
          ? 'none'
          : row.paused
            ? 'none while paused'
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

/** What `apply` does to each schedule, with the fields that change. */
export function differenceText(changes: readonly ScheduleChangeRow[], style: Style): string {
  if (changes.length === 0) return 'No schedules in the file or on the server.';
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
          colors.yellow(`    stays paused by hand: ${oneLine(keptPause)}`),
          `    to resume it: portolan schedule resume ${name}, or paused: false in the file`,
        ]),
  ];
}

const changeWords = {
  create: 'is created',
  change: 'is changed',
  delete: 'is deleted with its start history; its runs stay',
  unchanged: 'is unchanged',
  left: 'is kept: created by another tool; --prune deletes it',
} as const;

const fieldLine = ({ field, from = '(none)', to = '(none)' }: ScheduleFieldChange): string =>
  `    ${field}: ${oneLine(from)} -> ${oneLine(to)}`;

/** The outcome of a change. */
export const doneWords = ({ name, change }: ScheduleChangeRow): string =>
  `${change === 'create' ? 'created' : change === 'delete' ? 'deleted' : 'changed'}  ${name}`;
