import {
  ActivityCancellationType,
  type ActivityOptions,
  type LocalActivityOptions,
  proxyActivities,
  proxyLocalActivities,
  workflowInfo,
} from '@temporalio/workflow';
import type { Activities } from '../../activities/activities';
import type { NotifyEvent } from '../../model/run/notification';
import { CALLS_END_MS, FIRST_PAUSE_MS, LONGEST_PAUSE_MS } from '../../model/errors/budgets';

/**
 * Timeouts and retries for each kind of activity. The table of error codes decides whether a failure is retried.
 * These options decide how long, and how soon another worker takes over from one that died.
 */

/** Activities send a heartbeat every 5 s, so a killed worker is noticed after this time. */
const heartbeatTimeout = '20 seconds';
const retry: ActivityOptions['retry'] = {
  initialInterval: FIRST_PAUSE_MS,
  backoffCoefficient: 2,
  maximumInterval: LONGEST_PAUSE_MS,
};

const reads: ActivityOptions = {
  heartbeatTimeout,
  startToCloseTimeout: '20 minutes',
  // The activity itself ends repeated failures (src/activities/attempt/heartbeat.ts). This is only a backstop.
  scheduleToCloseTimeout: CALLS_END_MS,
  retry,
};

const writes: ActivityOptions = { ...reads, startToCloseTimeout: '10 minutes' };

const transfers: ActivityOptions = {
  heartbeatTimeout,
  // A transfer ends itself after ten minutes without a byte. These are only backstops.
  startToCloseTimeout: '24 hours',
  scheduleToCloseTimeout: CALLS_END_MS,
  retry,
};

/** For activities over all items of a group: long, with their cursor in the heartbeat. */
const sweeps: ActivityOptions = {
  ...reads,
  startToCloseTimeout: '12 hours',
};

/** Whether the run is a rollback, or a restore of its own. Promotions restore hundreds of groups, which would starve others. */
function isUrgent(): boolean {
  const { workflowType, parent } = workflowInfo();
  return workflowType === 'rollback' || (workflowType === 'restore' && parent === undefined);
}

/**
 * Temporal's Web UI shows the summary in the timeline. Portals take turns at the workers by fairness key, and urgent
 * activities go first: a lower priority key is earlier, and 3 is the default.
 * @see https://docs.temporal.io/develop/task-queue-priority-fairness
 */
const activities = (base: ActivityOptions, what: string, portal?: string): Activities =>
  proxyActivities<Activities>({
    ...base,
    // The SDK names this as its default, but does not wait without it: an export would end in a package that nobody knows.
    cancellationType: ActivityCancellationType.WAIT_CANCELLATION_COMPLETED,
    summary: portal === undefined ? what : `${portal}: ${what}`,
    priority: { fairnessKey: portal, priorityKey: isUrgent() ? 1 : undefined },
  });

/** @param portal that is called; absent if none is */
export type ActivitiesOn = (what: string, portal?: string) => Activities;

/** Activities that change nothing on a portal. */
export const reading: ActivitiesOn = (what, portal) => activities(reads, what, portal);

/** Activities that change a portal. A retry looks before it writes. */
export const writing: ActivitiesOn = (what, portal) => activities(writes, what, portal);

export const sweeping: ActivitiesOn = (what, portal) => activities(sweeps, what, portal);

/** Transfers have their own task queue, so that they never starve other activities. */
export const transferring = (what: string, taskQueue: string, portal?: string): Activities =>
  activities({ ...transfers, taskQueue }, what, portal);

/**
 * Polls a job or an upload once per attempt. The activity enforces the deadline, because a Temporal timeout would lose
 * its last error. This timeout is a backstop.
 */
export const polling = (what: string, deadlineMs: number, portal: string): Activities =>
  activities(
    {
      heartbeatTimeout,
      startToCloseTimeout: '2 minutes',
      scheduleToCloseTimeout: deadlineMs + CALLS_END_MS,
      retry,
    },
    what,
    portal,
  );

/** A check of a stage, with a time limit. If its worker dies, another repeats it. */
export const checking = (what: string, longestMs: number): Activities =>
  activities({ ...reads, startToCloseTimeout: longestMs }, what);

/** Optional activities: a result not available within a minute is left out. */
export const bestEffort: ActivitiesOn = (what, portal) =>
  activities(
    { ...reads, startToCloseTimeout: '30 seconds', scheduleToCloseTimeout: '1 minute' },
    what,
    portal,
  );

/** Notifies of one event. The activity limits its attempts; these options are for a worker that dies meanwhile. */
export const sending = (event: NotifyEvent): Activities =>
  activities(
    { heartbeatTimeout, startToCloseTimeout: '1 minute', scheduleToCloseTimeout: '30 minutes' },
    `notification of "${event}"`,
  );

/** Polls without a time limit, in short attempts. */
export const watching = (what: string): Activities =>
  activities({ heartbeatTimeout, startToCloseTimeout: '30 seconds', retry }, what);

/**
 * Activities the run cannot continue without: retried until they succeed. After the threshold the workflow waits on a
 * timer, because a workflow task held open would occupy its slot and keep adding events.
 */
const untilDone: LocalActivityOptions = {
  startToCloseTimeout: '20 seconds',
  localRetryThreshold: '1 second',
  retry: { initialInterval: '200 milliseconds', maximumInterval: '5 minutes' },
};

/** Local activities that check or make signatures, one event each. */
export const { admitStart, admitAnswer, signPart } = proxyLocalActivities<Activities>(untilDone);

/** Reads the worker's own configuration. Not retried, since the caller would no longer be waiting. */
export const { getWorkerView } = proxyLocalActivities<Activities>({
  startToCloseTimeout: '20 seconds',
  retry: { maximumAttempts: 1 },
});

/** Short reads and writes of the store and settings, one event each. */
export const { saveRecord, filterSubscribedEvents } = proxyLocalActivities<Activities>({
  startToCloseTimeout: '20 seconds',
  retry: { initialInterval: '200 milliseconds', maximumInterval: '2 seconds', maximumAttempts: 5 },
});

/** Requests to Temporal itself, one event each. */
export const { requestSlot, leaveQueue } = proxyLocalActivities<Activities>(untilDone);
