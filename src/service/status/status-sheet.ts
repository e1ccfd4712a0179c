import type { RunRow } from '../../contract/run-row';
import type { StatusView } from '../../contract/status';
import { exitStatus, meaningOf } from '../../model/errors/error-codes';
import { shortRunId } from '../../model/run/run-id';
import { bad, type Block, good, listed, notice, type Sheet, type Value } from '../../model/text/sheet';
import { countOf, exactDuration, listFirst, windowWords } from '../../model/text/words';
import { queueWords } from '../portal-queue/queue-words';

/** Something that needs attention. */
interface Concern {
  readonly exit: number;
  readonly words: string;
  /** Each of its subjects: its name, why, and what to type. */
  readonly about: readonly Row[];
}
type Row = readonly Value[];

/** Everything that needs attention, most severe first. */
export function concernsOf(view: StatusView): Concern[] {
  const { temporal, workers, unable } = view;
  const { noTemporal, partial, waiting } = exitStatus;
  const isIdle = temporal.answers && workers.length === 0;
  const away: Row = [temporal.address, 'runs are as last recorded', { command: 'portolan up' }];
  const idle: Row = ['', 'runs and decisions wait for one', { command: 'portolan worker' }];
  return [
    { exit: noTemporal, words: 'cannot reach Temporal', about: temporal.answers ? [] : [away] },
    { exit: noTemporal, words: 'no worker is running', about: isIdle ? [idle] : [] },
    {
      exit: unable ? meaningOf(unable.code).exit : partial,
      words: 'a worker cannot do its work',
      about: unable ? [[unable.code, '', { command: 'portolan doctor' }]] : [],
    },
    { exit: partial, words: 'overdue', about: view.overdue.map(overdueRow) },
    { exit: partial, words: 'rules', about: view.rules.map(ruleRow) },
    {
      exit: partial,
      words: 'failed or partial in the last 24 hours',
      about: runRows(view.failed, ({ status, startedAt, finishedAt = startedAt }) => [
        { status },
        ' ',
        { time: finishedAt },
      ]),
    },
    {
      exit: partial,
      words: 'never proven',
      about: view.unproven.map((route) => [
        backupsOf(route),
        'no drill yet',
        { command: `portolan backup drill ${route}` },
      ]),
    },
    { exit: partial, words: 'not checked', about: view.notes.map((note) => ['', note]) },
    {
      exit: waiting,
      words: 'parked',
      about: runRows(view.parked, (row) => listed(row.phase, startedOf(row))),
    },
    { exit: waiting, words: 'waiting for approval', about: runRows(view.waiting, startedOf) },
    { exit: waiting, words: 'frozen', about: view.frozen.map(freezeRow) },
    {
      exit: waiting,
      words: 'paused',
      about: view.paused.map((name) => scheduleRow(name, `resume ${name}`)),
    },
    {
      exit: waiting,
      words: 'differs from portolan.yaml',
      about: view.unapplied.map((name) => scheduleRow(name, 'apply')),
    },
  ].filter(({ about }) => about.length > 0);
}

/** One screen: workers, open runs, what needs attention, and the next starts. */
export function statusSheet(view: StatusView): Sheet {
  const [gravest] = concernsOf(view);
  const running = runRows(view.running, progressOf, 'watch');
  return [
    {
      columns: [],
      rows: [
        ...labelled(
          'worker',
          view.workers.map((name) => [name]),
        ),
        ...labelled('running', running),
      ],
    },
    ...attentionSheet(view),
    nextTable(view),
    {
      lines: [
        [
          gravest ? notice('This needs attention.') : good('Nothing needs attention.'),
          ` Exit status ${gravest?.exit ?? exitStatus.done}.`,
        ],
      ],
    },
  ];
}

/** What needs attention, and what a worker lacks. */
export const attentionSheet = (view: StatusView): Sheet => [
  {
    columns: [],
    rows: concernsOf(view).flatMap(({ exit, words, about }) =>
      labelled(exit === exitStatus.waiting ? notice(words) : bad(words), about),
    ),
  },
  view.unable && {
    title: bad(view.unable.code),
    lines: [...view.unable.message.split('\n'), view.unable.hint],
  },
];

export const nextTable = ({ next }: Pick<StatusView, 'next'>): Block => ({
  columns: ['Next', 'Starts', 'At'],
  rows: next.map(({ schedule, kind, route, at }) => [
    schedulePage(schedule),
    [kind, route].filter(Boolean).join(' '),
    { time: at },
  ]),
});

/** Rows under one label. */
const labelled = (label: Value, rows: readonly Row[]): Row[] =>
  rows.map((row, at) => [at === 0 ? label : '', ...row]);

/** Runs listed of each status; `run list` has all. */
const LISTED = 5;

function runRows(rows: readonly RunRow[], why: (row: RunRow) => Value, verb = 'show'): Row[] {
  const shown = rows.slice(0, LISTED).map((row): Row => {
    const { runId } = row;
    const command = `portolan run ${verb} ${shortRunId(runId)}`;
    return [{ run: runId, whole: true }, why(row), { command }];
  });
  const left = rows.length - shown.length;
  return left > 0 ? [...shown, [`${left} more`, '', { command: 'portolan run list' }]] : shown;
}

const startedOf = ({ startedAt }: RunRow): Value => ['started ', { time: startedAt }];

const progressOf = ({ phase, queue, window, startedAt }: RunRow): Value =>
  listed(phase, queueWords(queue), window && windowWords(window), { from: startedAt });

const overdueRow = ({ route, lastGood, maxAgeMs }: StatusView['overdue'][number]): Row => [
  backupsOf(route),
  listed(
    lastGood === undefined
      ? 'no good backup'
      : lastGood.goodAt === undefined
        ? 'last good backup is dated in the future'
        : ['last good backup is ', { from: lastGood.goodAt }, ' old'],
    maxAgeMs !== undefined && `maximum age: ${exactDuration(maxAgeMs)}`,
  ),
  { command: `portolan backup create ${route}` },
];

function ruleRow({ rule, groups, overdue, failures, failed, error }: StatusView['rules'][number]): Row {
  const why = listed(
    error === undefined ? groups === 0 && 'no group matched, or it has not run yet' : `failed: ${error}`,
    failures > 0 && `${failures} of ${countOf(groups, 'group')} not backed up`,
    overdue > 0 && `${overdue} overdue`,
    ...listFirst(failed, 3, failures),
  );
  return [{ link: rule, to: '/coverage' }, why, { command: `portolan protect show ${rule}` }];
}

function freezeRow({ portal, who, at, reason }: StatusView['frozen'][number]): Row {
  const [pipeline = '', ...stage] = portal.split('/');
  const to = stage.length === 0 ? '/audit' : `/pipelines/${encodeURIComponent(pipeline)}`;
  const why = ['by ', who, ', ', { time: at }, ': ', reason];
  return [{ link: portal, to }, why, { command: `portolan unfreeze ${portal}` }];
}

const scheduleRow = (name: string, words: string): Row => [
  schedulePage(name),
  '',
  { command: `portolan schedule ${words}` },
];

const backupsOf = (route: string): Value => ({ link: route, to: `/backups/${encodeURIComponent(route)}` });
const schedulePage = (name: string): Value => ({ link: name, to: '/schedules' });
