/** What a metric of `portolan serve` says: of this its gauge, and its row of docs/reference/metrics.md, are made. */
export interface MetricMeaning {
  /** What it says, and what it says where there is nothing to say. */
  readonly help: string;
  readonly unit: '' | 'bytes' | 'items' | 'runs' | 'seconds' | 'seconds since the epoch' | '0 or 1';
  /** Of what there is one of each: as many as the configuration names, or a handful. */
  readonly labels: readonly string[];
  readonly source: string;
  /** Of which look it is part; see `looks`. */
  readonly look: Look;
}

/** What is read together, and how old it is at most, however many ask. @format milliseconds */
export const looks = {
  up: 15_000,
  open: 15_000,
  ended: 60_000,
  receivers: 60_000,
  // Reading every snapshot of a bucket costs a request each; alarms are about hours.
  stored: 5 * 60_000,
} as const;
export type Look = keyof typeof looks;

const index = "Temporal's index";
const inRuns = { unit: 'runs', source: index, look: 'open' } as const;
const ofQueue = {
  labels: ['portal', 'direction'],
  source: 'the portal queue, by Temporal',
  look: 'open',
} as const;
const ofLast = { source: 'the record of the run', look: 'ended' } as const;
const ofSnapshots = { labels: ['route'], source: 'snapshots in the store', look: 'stored' } as const;
const ofStage = { labels: ['pipeline', 'stage'], look: 'stored' } as const;
const time = 'seconds since the epoch';

/** All but what Node and HTTP say of the process. `portolan_` stands before each name. */
export const metricTable = {
  temporal_up: {
    help: '1 where Temporal answers',
    unit: '0 or 1',
    labels: [],
    source: 'Temporal',
    look: 'up',
  },
  store_up: {
    help: '1 where the store answers',
    unit: '0 or 1',
    labels: [],
    source: 'the store',
    look: 'up',
  },
  workers: {
    help: 'workers that take what begins now, those of the current build where they have builds; absent while Temporal does not answer, as all that Temporal is asked for',
    unit: '',
    labels: [],
    source: 'Temporal',
    look: 'up',
  },
  open_runs: { ...inRuns, help: 'runs that are not over, by what they do', labels: ['status'] },
  open_run_oldest_start_timestamp_seconds: {
    ...inRuns,
    unit: time,
    labels: ['status'],
    help: 'when the oldest of them was started; 0 where there is none',
  },
  held_runs: {
    ...inRuns,
    source: 'records of these runs',
    labels: ['status', 'age'],
    help: 'runs that wait for an approval, or are parked, by for how long',
  },
  held_run_oldest_since_timestamp_seconds: {
    unit: time,
    labels: ['status'],
    source: 'records of these runs',
    look: 'open',
    help: 'since when the first of them waits for somebody; 0 where none does',
  },
  failing_runs: {
    ...inRuns,
    source: 'histories of open runs',
    labels: [],
    help: 'open runs that stand still since their workflow task fails',
  },
  queue_slots: {
    ...ofQueue,
    unit: 'runs',
    help: 'slots of the portal queue: runs that may export or import at a time',
  },
  queue_holders: { ...ofQueue, unit: 'runs', help: 'runs that hold a slot' },
  queue_waiting: { ...ofQueue, unit: 'runs', help: 'runs that wait for a slot' },
  queue_oldest_holder_timestamp_seconds: {
    ...ofQueue,
    unit: time,
    help: 'when the oldest holder got its slot; 0 if no run holds one',
  },
  ended_runs: {
    ...inRuns,
    look: 'ended',
    labels: ['kind', 'outcome'],
    help: 'runs that ended in the last 24 hours; goes down again, so it is no counter',
  },
  last_success_timestamp_seconds: {
    unit: time,
    labels: ['route', 'kind'],
    look: 'ended',
    help: 'end of the last sync, backup or drill of a route that succeeded, or found nothing to do; 0 is never, and told of what a schedule starts',
    source: `${index}; what the store notes of the route, and its snapshots, where Temporal remembers none`,
  },
  schedule_overdue: {
    unit: '0 or 1',
    labels: ['route', 'kind'],
    source: "Temporal's schedules, and the time of the last success",
    look: 'ended',
    help: '1 where what a schedule starts has not succeeded for twice the longest time between two of its starts, and for an hour; absent of one that is paused',
  },
  last_success_duration_seconds: {
    ...ofLast,
    unit: 'seconds',
    labels: ['route', 'kind'],
    help: 'how long that took, with what was waited for',
  },
  last_success_phase_duration_seconds: {
    ...ofLast,
    unit: 'seconds',
    labels: ['route', 'kind', 'phase'],
    help: 'how long each of its phases took',
  },
  last_success_items: {
    ...ofLast,
    unit: 'items',
    labels: ['route', 'kind', 'list'],
    help: 'its items, by the list of the ledger; `saved` of a backup and a drill',
  },
  last_success_bytes: {
    ...ofLast,
    unit: 'bytes',
    labels: ['route', 'kind'],
    help: 'size of its package, or of its snapshot; absent where nothing travelled',
  },
  last_good_snapshot_timestamp_seconds: {
    ...ofSnapshots,
    unit: time,
    help: 'last good snapshot of a route, or when it was last seen to hold still; 0 is never',
  },
  last_proven_timestamp_seconds: {
    ...ofSnapshots,
    unit: time,
    help: 'when a drill last proved a snapshot of a route restorable; 0 is never',
  },
  backup_overdue: {
    ...ofSnapshots,
    unit: '0 or 1',
    help: '1 where the last good snapshot is older than it may be, or there is none though there should be',
  },
  backup_max_age_seconds: {
    ...ofSnapshots,
    unit: 'seconds',
    source: '`backup.maxAge` of the route',
    help: 'how old it may be; absent where nothing says so',
  },
  stage_last_verified_timestamp_seconds: {
    ...ofStage,
    unit: time,
    source: 'promotions and releases in the store',
    help: 'when a release last came to a stage and was verified there, or was made in the first one; 0 is never',
  },
  stage_verified: {
    ...ofStage,
    unit: '0 or 1',
    source: 'promotions and releases in the store',
    help: '1 where all of the release that stands there was verified; absent where none stands there',
  },
  notifications_undelivered: {
    unit: '',
    labels: ['receiver'],
    source: 'deliveries in the store',
    look: 'receivers',
    help: 'messages to a receiver that have not arrived, and are sent again',
  },
  notification_last_failed: {
    unit: '0 or 1',
    labels: ['receiver'],
    source: 'deliveries in the store',
    look: 'receivers',
    help: '1 where the last message to a receiver was given up',
  },
} as const satisfies Record<string, MetricMeaning>;
export type MetricName = keyof typeof metricTable;

/** How this process answers: it begins at 0 with it, and each of several servers has its own. */
export const requestDuration = {
  name: 'portolan_http_request_duration_seconds',
  help: 'how long requests took, by route of the API and status',
  labels: ['method', 'route', 'status'],
} as const;
