import type { RunRow } from '../../contract/run-row';
import type { RunEvent, RunView } from '../../contract/runs';
import { targetStateText } from '../../model/run/phase';
import type { RunRecord } from '../../model/run/run';
import { isPartOf } from '../../model/run/run-id';
import { createdCounts } from '../../model/run/run-state';
import {
  bad,
  type Block,
  type Facts,
  faint,
  listed,
  notice,
  type Sheet,
  strong,
  tableOf,
  type Value,
  warningLines,
} from '../../model/text/sheet';
import {
  bytesText,
  countOf,
  countWords,
  listFirst,
  quoted,
  routeWords,
  windowWords,
} from '../../model/text/words';
import { queueStanding, queueWords } from '../portal-queue/queue-words';
import { changesTable } from './changes-sheet';
import { guardRows } from './guards-sheet';
import { nextCommands } from './next-commands';
import { exitStatusOf } from './run-view';
import { outcomeWords } from './run-words';
import { whyBlock } from './why-sheet';

const targetWords: Readonly<Record<RunRecord['target'], Value>> = {
  untouched: ' The target is unchanged.',
  changed: notice(' The target has changed.'),
  unknown: notice(' The target may have changed.'),
};

/** The state of a run in a sentence, and whether its target has changed. */
export const runState = ({ record, open }: RunView): Value => [
  stateOf(record, open),
  record.route.target && targetWords[record.target],
];

function stateOf(record: RunRecord, open: boolean): Value {
  const { status, plan, parked, phases, startedAt, finishedAt } = record;
  if (status === 'waiting') return ['Waiting for approval', plan && ` of plan ${plan.hash}`, '.'];
  if (status === 'parked')
    return parked
      ? [
          `Parked in ${parked.phase}. Without a decision, it cleans up and fails `,
          { time: parked.until },
          '.',
        ]
      : 'Parked.';
  if (open || finishedAt === undefined) {
    const phase = phases.findLast((each) => each.status === 'running')?.name;
    return ['Running for ', { from: startedAt }, phase && `, now in ${phase}`, '.'];
  }
  const outcome = outcomeWords(record);
  return [
    'Ended ',
    { time: finishedAt },
    ' after ',
    { from: startedAt, to: finishedAt },
    outcome && `: ${outcome}`,
    '.',
  ];
}

/** What a run moves, who started it, what it waits for, and what it has made. */
export function runFacts({ record, workers, portalQueue, open }: RunView): Facts {
  const { parent, startedBy, queue, window, snapshot, safeguard, taskRun, banner } = record;
  const schedule = scheduleBesides(record);
  return [
    ['route', routeWords(record.route)],
    [
      'started',
      [{ time: record.startedAt }, startedBy && ` by ${startedBy}`, schedule && ` for schedule ${schedule}`],
    ],
    [parent === undefined ? '' : parentLabel(record, parent), parent && { run: parent, whole: true }],
    ['queue', queue && queueStanding(queue, portalQueue)],
    ['window', window && `${windowWords(window)}: ${window.why}`],
    [
      'workers',
      open && workers
        ? workers.length > 0
          ? workers.join(', ')
          : notice(`none running${record.parked ? '' : '; the run waits for one'}`)
        : undefined,
    ],
    ['package', record.package && packageWords(record.package)],
    ['snapshot', snapshot && `${snapshot.id}${snapshot.unchanged ? ', unchanged since' : ''}`],
    ['safeguard', safeguard && safeguard.id !== snapshot?.id ? safeguard.id : undefined],
    ['saved', record.saved && `previous values, in the store: ${record.saved}`],
    [
      'task',
      taskRun &&
        `${taskRun.taskId} of ${taskRun.username} on ${taskRun.portal}: ${taskRun.said ?? 'not reported yet'}`,
    ],
    ['banner', banner && bannerWords[banner.status]],
  ];
}

/** The schedule a run was started for, unless `startedBy` says it already. */
const scheduleBesides = ({ startedBy, scheduledBy }: RunRecord): string | undefined =>
  startedBy === `schedule ${scheduledBy}` ? undefined : scheduledBy;

/** How a run relates to the run that it names. */
function parentLabel({ runId, kind }: RunRecord, parent: string): string {
  if (isPartOf(runId, parent)) return 'parent';
  return kind === 'rollback' ? 'undoes' : kind === 'bisect' ? 'bisects' : 'repeats';
}

const packageWords = ({ sizeBytes, sha256 }: NonNullable<RunRecord['package']>): string =>
  `${bytesText(sizeBytes)}, sha256 ${sha256.slice(0, 12)}..`;

/** The state of the banner on the target. */
const bannerWords: Readonly<Record<NonNullable<RunRecord['banner']>['status'], string>> = {
  planned: 'about to be shown',
  shown: 'shown on the target',
  back: 'removed; the previous state is restored',
  theirs: 'changed by someone else during the run; left as is',
};

/** Preflight checks that did not simply pass, and warnings. */
export const remarkBlock = (record: RunRecord): Block => ({
  title: strong('Warnings'),
  columns: [],
  rows: [
    ...(record.guards ?? []).filter(({ verdict, isNews }) => verdict !== 'pass' || isNews).flatMap(guardRows),
    ...warningsOf(record).map((warning) => [notice(' !'), '', warning]),
  ],
});

/** Warnings, except those that are shown with the preflight checks. */
function warningsOf({ guards = [], warnings, leftRunning }: RunRecord): string[] {
  const open = guards
    .filter(({ verdict }) => verdict === 'unknown')
    .map(({ name, saw }) => `${name}: ${saw}`);
  return [
    ...warnings.filter((warning) => !open.includes(warning)),
    ...leftRunning.map((left) => `still running: ${left}`),
  ];
}

/** The child runs of a run. */
export const childTable = (children: RunRecord['children'] = []): Block =>
  tableOf(
    children,
    [
      ['Run', ({ runId }) => ({ run: runId })],
      ['Step', ({ does, name }) => [does, name].filter(Boolean).join(' ')],
      ['Items', ({ items }) => countWords(items)],
      ['Status', ({ status }) => ({ status })],
    ],
    { title: strong(countOf(children.length, 'child run')) },
  );

/** The values that a change of a portal changes. */
export const changeBlock = ({ changes = [] }: RunRecord): Block => ({
  ...changesTable(changes, ['Before', 'After']),
  title: strong('Changes'),
});

/** Who did what, when and why. */
export const actionTable = ({ actions }: RunRecord): Block =>
  tableOf(
    actions,
    [
      ['Time', ({ at }) => ({ time: at })],
      ['Who', personOf],
      ['Action', ({ what }) => what],
      ['Reason', ({ reason }) => reason],
    ],
    { title: strong('Activity') },
  );

/** How an identity is known. */
const identityWords: Readonly<Record<string, string>> = {
  claimed: 'unverified',
  key: 'API key',
  portal: 'portal sign-in',
};

/** `a.brandt@desk (unverified)`. */
export const personOf = ({
  who,
  identity,
}: Pick<RunRecord['actions'][number], 'who' | 'identity'>): Value => [
  who,
  identity && faint(` (${identityWords[identity] ?? identity})`),
];

/** The next commands. */
export const nextFacts = (record: RunRecord): Facts =>
  nextCommands(record).map(([label, command]) => [label, { command }]);

/** Created items that an ending names. */
const NAMED_ITEMS = 5;

/** The end of a run, or of watching it: its outcome, the state of the target, and the next commands. */
export function endingSheet(record: RunRecord, status = exitStatusOf(record)): Sheet {
  const outcome = outcomeWords(record);
  const { startedAt, finishedAt, parked, created } = record;
  return [
    {
      title: [
        { status: record.status, text: record.status.toUpperCase() },
        finishedAt === undefined ? ' after ' : ' in ',
        { from: startedAt, to: finishedAt ?? parked?.at },
        outcome === '' ? '.' : `. ${outcome}.`,
        ` Target: ${targetStateText(record.target)}. Exit status ${status}.`,
      ],
      facts: whyBlock(record)?.facts ?? [],
    },
    created && {
      lines: listFirst(
        created.there.map(({ itemId, title, reason }) => `${itemId} ${quoted(title)}: ${reason}`),
        NAMED_ITEMS,
        createdCounts(created).there,
      ),
    },
    warningLines(warningsOf(record)),
    { facts: nextFacts(record) },
  ];
}

/** Runs, newest first. @param whole with whole IDs, for programs */
export const runTable = (rows: readonly RunRow[], { empty, whole }: { empty: string; whole?: true }): Block =>
  tableOf(
    rows,
    [
      ['Run', ({ runId }) => ({ run: runId, whole })],
      ['Kind', ({ kind }) => kind],
      ['Route', ({ route }) => route],
      ['Status', ({ status }) => ({ status })],
      ['Phase', runStanding],
      ['Started', ({ startedAt }) => ({ time: startedAt })],
      ['Took', ({ startedAt, finishedAt }) => ({ from: startedAt, to: finishedAt })],
      ['By', ({ startedBy }) => startedBy],
    ],
    { empty },
  );

/** The phase of a run, and what it waits for. */
export const runStanding = ({ phase, queue, window, failing }: RunRow): Value =>
  listed(
    phase,
    queueWords(queue),
    window && windowWords(window),
    failing && bad(`workflow task failing (attempt ${failing.attempt}): check the worker version`),
  );

/** Events of a run, from its history. */
export const eventTable = (events: readonly RunEvent[], empty?: string): Block =>
  tableOf(
    events,
    [
      ['Time', ({ at }) => ({ time: at, seconds: true })],
      ['Subject', ({ subject }) => subject],
      [
        'Event',
        ({ kind, what }) => (kind === 'problem' ? bad(what) : kind === 'message' ? strong(what) : what),
      ],
    ],
    { empty },
  );
