import { z } from 'zod';
import type { RunRecord } from '../../model/run/run';
import { ledgerLists } from '../../model/transfer/ledger-lists';
import { type DueRoute, isOverdue, readDueRoutes } from '../../service/metrics/due-routes';
import { type EndedRuns, readEndedRuns } from '../../service/metrics/ended-runs';
import {
  type LastSuccess,
  type LastTime,
  lastTimes,
  nameOf,
  readLastSuccesses,
  scheduledRoutines,
} from '../../service/metrics/last-successes';
import { heldAges, type OpenFigures, readOpenFigures, readWorkers } from '../../service/metrics/open-figures';
import {
  type CoverageFigures,
  readCoverageFigures,
  readReceivers,
  readRoutes,
  readStageFigures,
  type ReceiverFigures,
  type RouteFigures,
  type StageFigures,
} from '../../service/metrics/stored-figures';
import { lengthOf } from '../../service/run/run-view';
import { keys } from '../../store/keys';
import type { Sources } from '../sources';

/** What the metrics are made of. */
export interface Figures {
  workers: number;
  store: boolean;
  open: OpenFigures;
  ended: readonly EndedRuns[];
  receivers: readonly ReceiverFigures[];
  last: {
    readonly successes: readonly LastSuccess[];
    /** Routines of the configuration. */
    readonly scheduled: readonly LastTime[];
    /** Absent if the successes are of an earlier read: values from before Temporal became unreachable must raise no alert. */
    readonly due?: readonly DueRoute[];
  };
  routes: readonly RouteFigures[];
  stages: readonly StageFigures[];
  coverage: readonly CoverageFigures[];
}

/** Those that are known: figures are absent until they were read. */
export type Known = Partial<Figures>;

/** Figures that are read together. */
interface Look<T> {
  /** @format milliseconds */
  readonly maxAgeMs: number;
  readonly read: (sources: Sources, before: T | undefined) => Promise<T>;
  /** What stays known if it cannot be read. @default nothing */
  readonly unread?: (before: T) => T;
}

const LIVE_MS = 15_000;
const MINUTE_MS = 60_000;
/** Reading costs one request per snapshot in the bucket, and alerts on these are about hours. @format milliseconds */
const STORED_MS = 5 * MINUTE_MS;
/** Many open runs, or the first read of many routes, take a while; scrapes do not wait for it. @format milliseconds */
const READ_WITHIN_MS = 60_000;

/** Figures about the past stay true. */
const same = <T>(before: T): T => before;

export const looks: { readonly [Name in keyof Figures]: Look<Figures[Name]> } = {
  workers: { maxAgeMs: LIVE_MS, read: (sources) => sources.both(readWorkers) },
  store: {
    maxAgeMs: LIVE_MS,
    read: ({ store }) => store.readJson(keys.storeId, z.unknown()).then(() => true),
  },
  open: { maxAgeMs: LIVE_MS, read: (sources) => sources.both(readOpenFigures, READ_WITHIN_MS) },
  ended: { maxAgeMs: MINUTE_MS, read: (sources) => sources.both(readEndedRuns, READ_WITHIN_MS) },
  receivers: { maxAgeMs: MINUTE_MS, read: readReceivers, unread: same },
  last: {
    maxAgeMs: MINUTE_MS,
    read: (sources, before) =>
      sources.both(
        async (both) => ({
          successes: await readLastSuccesses(both, before?.successes),
          scheduled: scheduledRoutines(both.config),
          due: await readDueRoutes(both),
        }),
        READ_WITHIN_MS,
      ),
    unread: ({ successes, scheduled }) => ({ successes, scheduled }),
  },
  routes: { maxAgeMs: STORED_MS, read: readRoutes, unread: same },
  stages: { maxAgeMs: STORED_MS, read: readStageFigures, unread: same },
  coverage: { maxAgeMs: STORED_MS, read: readCoverageFigures, unread: same },
};

/** A value, and that of each label. A value that is undefined is left out. */
type Value = readonly [number | undefined, ...string[]];

/** A metric of `portolan serve`. Its gauge and its row in docs/reference/metrics.md are made from this. */
export interface MetricMeaning {
  readonly look: keyof Figures;
  /** Their values come from the configuration or a short fixed list. */
  readonly labels: readonly string[];
  /** What it measures, and its value if there is nothing to measure. */
  readonly help: string;
  readonly values: (figures: Known) => readonly Value[] | undefined;
}

const metric = (
  look: MetricMeaning['look'],
  labels: MetricMeaning['labels'],
  help: string,
  values: MetricMeaning['values'],
): MetricMeaning => ({ look, labels, help, values });

const seconds = (time = 0): number => time / 1_000;
/** 0 if there is none. */
const oldest = (times: readonly number[]): number => (times.length === 0 ? 0 : seconds(Math.min(...times)));

/** All metrics except those of the process and of HTTP, without the prefix `portolan_`. */
export const metricTable: Readonly<Record<string, MetricMeaning>> = {
  temporal_up: metric('workers', [], '1 if Temporal responds', ({ workers }) => [
    [Number(workers !== undefined)],
  ]),
  store_up: metric('store', [], '1 if the store responds', ({ store = false }) => [[Number(store)]]),
  workers: metric(
    'workers',
    [],
    'workers that accept new runs; with worker versions, those of the current one',
    ({ workers }) => [[workers]],
  ),
  open_runs: metric('open', ['status'], 'open runs by status', ({ open }) =>
    open?.starts.map(({ status, times }) => [times.length, status]),
  ),
  open_run_oldest_start_timestamp_seconds: metric(
    'open',
    ['status'],
    'start of the oldest open run; 0 if none',
    ({ open }) => open?.starts.map(({ status, times }) => [oldest(times), status]),
  ),
  held_runs: metric('open', ['status', 'age'], 'runs waiting for approval or parked, by age', ({ open }) =>
    open?.held.flatMap(({ status, times }) => {
      const ages = times.map((at) => heldAges.find(({ belowMs }) => Date.now() - at < belowMs)?.age);
      return heldAges.map(({ age }): Value => [ages.filter((each) => each === age).length, status, age]);
    }),
  ),
  held_run_oldest_since_timestamp_seconds: metric(
    'open',
    ['status'],
    'when the longest-held run began to wait or was parked; 0 if none',
    ({ open }) => open?.held.map(({ status, times }) => [oldest(times), status]),
  ),
  failing_runs: metric('open', [], 'open runs whose workflow task is failing', ({ open }) => [
    [open?.failing],
  ]),
  queue_slots: queueMetric('runs that may export or import at a time', ({ slots }) => slots),
  queue_holders: queueMetric('runs that hold a slot', ({ holders }) => holders.length),
  queue_waiting: queueMetric('runs that wait for a slot', ({ waiting }) => waiting.length),
  queue_oldest_holder_timestamp_seconds: queueMetric(
    'when the oldest held slot was taken; 0 if none',
    ({ holders }) => oldest(holders.map(({ since }) => Date.parse(since))),
  ),
  ended_runs: metric(
    'ended',
    ['kind', 'outcome'],
    'runs that ended in the last 24 hours; not a counter',
    ({ ended }) => ended?.map(({ kind, outcome, runs }) => [runs, kind, outcome]),
  ),
  last_success_timestamp_seconds: metric(
    'last',
    ['route', 'kind'],
    'end of the last sync, backup or drill that ended succeeded or nothing-to-do; 0 if a scheduled one never did',
    (figures) => timesIn(figures).map(({ route, kind, at }) => [seconds(at), route, kind]),
  ),
  schedule_overdue: metric(
    'last',
    ['route', 'kind'],
    '1 if no run succeeded for twice the longest interval between two scheduled starts and at least an hour; absent while paused',
    (figures) => {
      // Absent until the snapshots were read: only they may know of a success.
      const { last: { due: dueRoutes } = {}, routes } = figures;
      const times = timesIn(figures);
      return (
        routes &&
        dueRoutes?.map((due) => {
          const last = times.find((time) => nameOf(time) === nameOf(due));
          return [Number(isOverdue(due, last?.at)), due.route, due.kind];
        })
      );
    },
  ),
  last_success_duration_seconds: successMetric([], 'duration of the last success, including waits', (run) => [
    [secondsOf(run)],
  ]),
  last_success_phase_duration_seconds: successMetric(
    ['phase'],
    'duration of each phase of the last success',
    ({ phases }) =>
      phases.map(({ name, status, ...times }) => [status === 'done' ? secondsOf(times) : undefined, name]),
  ),
  last_success_items: successMetric(
    ['list'],
    'items of the last success by result; `saved` for a backup or drill',
    ({ items, kind, snapshot }) => [
      ...ledgerLists.map((list): Value => [items && lengthOf(items[list]), list]),
      [kind === 'sync' ? undefined : snapshot?.items, 'saved'],
    ],
  ),
  last_success_bytes: successMetric(
    [],
    'size of the export package or snapshot of the last success; absent if nothing was transferred',
    ({ package: file, kind, snapshot }) => [
      [file?.sizeBytes ?? (kind === 'sync' ? undefined : snapshot?.sizeBytes)],
    ],
  ),
  last_good_snapshot_timestamp_seconds: routeMetric(
    'when the last good snapshot was taken or last confirmed unchanged; 0 if never',
    ({ goodAt }) => seconds(goodAt),
  ),
  last_proven_timestamp_seconds: routeMetric(
    'last drill that proved a snapshot restorable; 0 if never',
    ({ provenAt }) => (provenAt === undefined ? undefined : seconds(provenAt)),
  ),
  backup_overdue: routeMetric(
    '1 if the last good snapshot is missing or older than `backup.maxAge`',
    ({ overdue }) => Number(overdue),
  ),
  backup_max_age_seconds: routeMetric('`backup.maxAge`; absent if not set', ({ maxAgeMs }) =>
    maxAgeMs === undefined ? undefined : seconds(maxAgeMs),
  ),
  stage_last_verified_timestamp_seconds: stageMetric(
    'last verified promotion to the stage, or for the first stage last release created; 0 if never',
    ({ lastVerified }) => seconds(lastVerified),
  ),
  stage_verified: stageMetric(
    "1 if all of the stage's current release was verified; absent if it has none",
    ({ verified }) => (verified === undefined ? undefined : Number(verified)),
  ),
  coverage_items: metric(
    'coverage',
    ['portal', 'state'],
    'items of a portal by state, when `portolan coverage` or a rule last counted them; absent before',
    ({ coverage }) => coverage?.map(({ portal, state, items }) => [items, portal, state]),
  ),
  notifications_undelivered: receiverMetric(
    'undelivered messages that are still retried',
    ({ open }) => open,
  ),
  notification_last_failed: receiverMetric(
    '1 if delivery of the last message was given up',
    ({ lastFailed }) => Number(lastFailed),
  ),
};

function queueMetric(help: string, of: (queue: OpenFigures['queues'][number]) => number): MetricMeaning {
  return metric('open', ['portal', 'direction'], help, ({ open }) =>
    open?.queues.map((queue) => [of(queue), queue.portal, queue.direction]),
  );
}

/** Of each last success whose record the store has; `of` gives the values of further labels. */
function successMetric(
  labels: readonly string[],
  help: string,
  of: (record: RunRecord) => readonly Value[],
): MetricMeaning {
  return metric('last', ['route', 'kind', ...labels], help, ({ last }) =>
    last?.successes.flatMap(({ route, kind, record }) =>
      (record ? of(record) : []).map(([value, ...rest]): Value => [value, route, kind, ...rest]),
    ),
  );
}

function routeMetric(help: string, of: (route: RouteFigures) => number | undefined): MetricMeaning {
  return metric('routes', ['route'], help, ({ routes }) => routes?.map((each) => [of(each), each.route]));
}

function stageMetric(help: string, of: (stage: StageFigures) => number | undefined): MetricMeaning {
  return metric('stages', ['pipeline', 'stage'], help, ({ stages }) =>
    stages?.map((each) => [of(each), each.pipeline, each.stage]),
  );
}

function receiverMetric(help: string, of: (figures: ReceiverFigures) => number): MetricMeaning {
  return metric('receivers', ['receiver'], help, ({ receivers }) =>
    receivers?.map((each) => [of(each), each.receiver]),
  );
}

/** Those that never were are included once everything that may know of them was read. */
const timesIn = ({ last, routes }: Known): LastTime[] =>
  lastTimes([...(last?.due && routes ? last.scheduled : []), ...(last?.successes ?? [])], routes ?? []);

function secondsOf({
  startedAt,
  finishedAt,
}: Partial<Pick<RunRecord, 'startedAt' | 'finishedAt'>>): number | undefined {
  if (startedAt === undefined || finishedAt === undefined) return undefined;
  return seconds(Math.max(0, Date.parse(finishedAt) - Date.parse(startedAt)));
}

/** Request durations of this process. */
export const requestDuration = {
  name: 'portolan_http_request_duration_seconds',
  help: 'duration of HTTP requests by API route and status',
  labels: ['method', 'route', 'status'],
} as const;
