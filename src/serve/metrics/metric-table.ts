/** A metric of `portolan serve`. Its gauge and its row in docs/reference/metrics.md are made from this. */
export interface MetricMeaning {
  /** What it measures, and its value if there is nothing to measure. */
  readonly help: string;
  /** Their values come from the configuration or a short fixed list. */
  readonly labels: readonly string[];
  /** The group of values it is read with; see `looks`. */
  readonly look: Look;
}

/** Groups of values that are read together, and their maximum age. @format milliseconds */
export const looks = {
  up: 15_000,
  open: 15_000,
  ended: 60_000,
  receivers: 60_000,
  // Reading costs one request per snapshot in the bucket, and alerts on these are about hours.
  stored: 5 * 60_000,
} as const;
export type Look = keyof typeof looks;

const ofQueue = { labels: ['portal', 'direction'], look: 'open' } as const;
const ofLast = { look: 'ended' } as const;
const ofSnapshots = { labels: ['route'], look: 'stored' } as const;
const ofStage = { labels: ['pipeline', 'stage'], look: 'stored' } as const;

/** All metrics except those of the process and of HTTP, without the prefix `portolan_`. */
export const metricTable = {
  temporal_up: {
    help: '1 if Temporal responds',
    labels: [],
    look: 'up',
  },
  store_up: {
    help: '1 if the store responds',
    labels: [],
    look: 'up',
  },
  workers: {
    help: 'workers that accept new runs; with worker versions, those of the current one',
    labels: [],
    look: 'up',
  },
  open_runs: { look: 'open', help: 'open runs by status', labels: ['status'] },
  open_run_oldest_start_timestamp_seconds: {
    look: 'open',
    labels: ['status'],
    help: 'start of the oldest open run; 0 if none',
  },
  held_runs: {
    look: 'open',
    labels: ['status', 'age'],
    help: 'runs waiting for approval or parked, by age',
  },
  held_run_oldest_since_timestamp_seconds: {
    labels: ['status'],
    look: 'open',
    help: 'when the longest-held run began to wait or was parked; 0 if none',
  },
  failing_runs: {
    look: 'open',
    labels: [],
    help: 'open runs whose workflow task is failing',
  },
  queue_slots: { ...ofQueue, help: 'runs that may export or import at a time' },
  queue_holders: { ...ofQueue, help: 'runs that hold a slot' },
  queue_waiting: { ...ofQueue, help: 'runs that wait for a slot' },
  queue_oldest_holder_timestamp_seconds: {
    ...ofQueue,
    help: 'when the oldest held slot was taken; 0 if none',
  },
  ended_runs: {
    look: 'ended',
    labels: ['kind', 'outcome'],
    help: 'runs that ended in the last 24 hours; not a counter',
  },
  last_success_timestamp_seconds: {
    labels: ['route', 'kind'],
    look: 'ended',
    help: 'end of the last sync, backup or drill that ended succeeded or nothing-to-do; 0 if a scheduled one never did',
  },
  schedule_overdue: {
    labels: ['route', 'kind'],
    look: 'ended',
    help: '1 if no run succeeded for twice the longest interval between two scheduled starts and at least an hour; absent while paused',
  },
  last_success_duration_seconds: {
    ...ofLast,
    labels: ['route', 'kind'],
    help: 'duration of the last success, including waits',
  },
  last_success_phase_duration_seconds: {
    ...ofLast,
    labels: ['route', 'kind', 'phase'],
    help: 'duration of each phase of the last success',
  },
  last_success_items: {
    ...ofLast,
    labels: ['route', 'kind', 'list'],
    help: 'items of the last success by result; `saved` for a backup or drill',
  },
  last_success_bytes: {
    ...ofLast,
    labels: ['route', 'kind'],
    help: 'size of the export package or snapshot of the last success; absent if nothing was transferred',
  },
  last_good_snapshot_timestamp_seconds: {
    ...ofSnapshots,
    help: 'when the last good snapshot was taken or last confirmed unchanged; 0 if never',
  },
  last_proven_timestamp_seconds: {
    ...ofSnapshots,
    help: 'last drill that proved a snapshot restorable; 0 if never',
  },
  backup_overdue: {
    ...ofSnapshots,
    help: '1 if the last good snapshot is missing or older than `backup.maxAge`',
  },
  backup_max_age_seconds: {
    ...ofSnapshots,
    help: '`backup.maxAge`; absent if not set',
  },
  stage_last_verified_timestamp_seconds: {
    ...ofStage,
    help: 'last verified promotion to the stage, or for the first stage last release created; 0 if never',
  },
  stage_verified: {
    ...ofStage,
    help: "1 if all of the stage's current release was verified; absent if it has none",
  },
  notifications_undelivered: {
    labels: ['receiver'],
    look: 'receivers',
    help: 'undelivered messages that are still retried',
  },
  notification_last_failed: {
    labels: ['receiver'],
    look: 'receivers',
    help: '1 if delivery of the last message was given up',
  },
} as const satisfies Record<string, MetricMeaning>;
export type MetricName = keyof typeof metricTable;

/** Request durations of this process. */
export const requestDuration = {
  name: 'portolan_http_request_duration_seconds',
  help: 'duration of HTTP requests by API route and status',
  labels: ['method', 'route', 'status'],
} as const;
