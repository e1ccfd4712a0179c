import type { ScheduleDetail, ScheduleRow } from '../../contract/schedules';
import { type Block, listed, notice, type Sheet, strong, tableOf, type Value } from '../../model/text/sheet';
import { countOf, exactDuration } from '../../model/text/words';

/** `on`, or why it does not run as portolan.yaml says. */
const standingOf = ({ paused, standing }: ScheduleRow): Value => {
  const state = standing === 'not applied' ? undefined : paused ? 'paused' : 'on';
  const value = listed(state, standing === 'as in portolan.yaml' ? undefined : standing);
  return paused ? notice(value) : value;
};

const stateOf = (row: ScheduleRow): Value => [standingOf(row), row.note && `: ${row.note}`];

/** The schedules, one per row. */
export const scheduleTable = (rows: readonly ScheduleRow[]): Block =>
  tableOf(
    rows,
    [
      ['Schedule', ({ name }) => name],
      ['Kind', ({ kind }) => kind],
      ['Route', ({ route = '?' }) => route],
      ['Due', due],
      ['State', standingOf],
      ['Last', ({ runs: [last] }) => last && { time: last.startedAt }],
      ['Outcome', ({ runs: [last] }) => last && outcome(last)],
      ['Next', ({ paused, next: [next] }) => (next === undefined || paused ? undefined : { time: next })],
    ],
    { empty: 'No schedules. Add them to portolan.yaml, then run: portolan schedule apply' },
  );

/** What a schedule starts, when, and how its last run ended. */
export const scheduleFacts = (row: ScheduleRow): Block => {
  const [last] = row.runs;
  return {
    facts: [
      ['starts', starts(row)],
      ['due', due(row)],
      ['state', stateOf(row)],
      ['next', nextOf({ ...row, next: row.next.slice(0, 1) })],
      ['last', last ? [{ run: last.runId }, ' ', { time: last.startedAt }, ' ', outcome(last)] : 'none yet'],
    ],
  };
};

/** A schedule, its next starts and its last runs. */
export const scheduleSheet = (row: ScheduleDetail): Sheet => [
  {
    title: strong(row.name),
    facts: [
      ['starts', starts(row)],
      ['due', due(row)],
      ['state', stateOf(row)],
      ['jitter', exactDuration(row.jitterMs)],
      ['overlap', row.overlap],
      ['catch-up', exactDuration(row.catchupMs)],
      ['defined in', row.origin === 'file' ? 'portolan.yaml' : 'the server only, created by another tool'],
      ['started', countOf(row.started, 'run')],
      [
        'skipped',
        listed(
          `${row.skipped} while a run was open`,
          `${row.missed} missed while Temporal was down`,
          row.lastLeftOut !== undefined && ['last ', { time: row.lastLeftOut }],
        ),
      ],
      ['waiting', row.waiting > 0 ? `${countOf(row.waiting, 'start')} until a run ends` : undefined],
      ['next', nextOf(row)],
    ],
  },
  tableOf(row.runs, [
    ['Run', ({ runId }) => ({ run: runId, whole: true })],
    ['Due', ({ dueAt }) => (dueAt === undefined ? 'triggered' : { time: dueAt })],
    ['Started', ({ startedAt }) => ({ time: startedAt })],
    ['Status', outcome],
  ]),
];

const starts = ({ kind, route = '?' }: ScheduleRow): string => `${kind} ${route}`;

const due = ({ cron, timezone }: Pick<ScheduleRow, 'cron' | 'timezone'>): string => `${cron} ${timezone}`;

const outcome = ({ status }: ScheduleRow['runs'][number]): Value => (status === undefined ? '?' : { status });

const nextOf = ({ next, paused }: ScheduleRow): Value => {
  if (next.length === 0) return 'none';
  return paused ? 'none while paused' : listed(...next.map((time) => ({ time })));
};
