import {
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
 * How each kind of call is tried. An activity decides by the table of errors whether a failure may be
 * repeated; what stands here is for how long, and how soon a dead worker's call is taken over.
 */

/** Activities beat every 5 s; a worker that was killed is noticed after this. */
const heartbeatTimeout = '20 seconds';
const retry: ActivityOptions['retry'] = {
  initialInterval: FIRST_PAUSE_MS,
  backoffCoefficient: 2,
  maximumInterval: LONGEST_PAUSE_MS,
};

const reads: ActivityOptions = {
  heartbeatTimeout,
  startToCloseTimeout: '20 minutes',
  // What keeps failing ends itself (src/activities/attempt/heartbeat.ts); this only bounds what nobody foresaw.
  scheduleToCloseTimeout: CALLS_END_MS,
  retry,
};

const writes: ActivityOptions = { ...reads, startToCloseTimeout: '10 minutes' };

const transfers: ActivityOptions = {
  heartbeatTimeout,
  // A transfer ends itself when no byte came for ten minutes; these only bound what nobody foresaw.
  startToCloseTimeout: '24 hours',
  scheduleToCloseTimeout: CALLS_END_MS,
  retry,
};

/** Sweeps over all items of a group: long, with their cursor in the heartbeat. */
const sweeps: ActivityOptions = {
  ...reads,
  startToCloseTimeout: '12 hours',
};

/** A rollback, or a restore that a person waits for. The server gives everything else 3; a lower key is first. */
function isUrgent(): boolean {
  const { workflowType, parent } = workflowInfo();
  // A promotion restores hundreds of groups, which would hold everything else up.
  return workflowType === 'rollback' || (workflowType === 'restore' && parent === undefined);
}

/**
 * The Web UI shows the summary on the timeline. The portal is the fairness key: where calls wait for a worker, portals
 * take turns, so that two calls to one do not wait for two hundred to another.
 * @see https://docs.temporal.io/develop/task-queue-priority-fairness
 */
const calls = (base: ActivityOptions, what: string, portal?: string): Activities =>
  proxyActivities<Activities>({
    ...base,
    summary: portal === undefined ? what : `${portal}: ${what}`,
    priority: { fairnessKey: portal, priorityKey: isUrgent() ? 1 : undefined },
  });

/** @param portal that is called; absent if none is */
export type CallsTo = (what: string, portal?: string) => Activities;

/** Calls that change nothing on a portal. */
export const reading: CallsTo = (what, portal) => calls(reads, what, portal);

/** Calls that change a portal, each made so that a repeat looks before it writes. */
export const writing: CallsTo = (what, portal) => calls(writes, what, portal);

export const sweeping: CallsTo = (what, portal) => calls(sweeps, what, portal);

/** Files go over a queue of their own, so that they never starve the calls. */
export const transferring = (taskQueue: string, ...to: Parameters<CallsTo>): Activities =>
  calls({ ...transfers, taskQueue }, ...to);

/**
 * One look at a job or an upload each attempt. The activity owns the deadline, since a time-out of Temporal's
 * would lose the last word; this one is a backstop.
 */
export const polling = (what: string, portal: string, deadlineMs: number): Activities =>
  calls(
    {
      heartbeatTimeout,
      startToCloseTimeout: '2 minutes',
      scheduleToCloseTimeout: deadlineMs + CALLS_END_MS,
      retry,
    },
    what,
    portal,
  );

/** A check of a stage, in so long at most: it beats while it goes on, and another worker makes it again. */
export const checking = (what: string, longestMs: number): Activities =>
  calls({ ...reads, startToCloseTimeout: longestMs }, what);

/** Looks that only add to what is told: what cannot be seen within a minute is left out. */
export const bestEffort: CallsTo = (what, portal) =>
  calls({ ...reads, startToCloseTimeout: '30 seconds', scheduleToCloseTimeout: '1 minute' }, what, portal);

/** The activity bounds each attempt and their number; what stands here is for a worker that is gone meanwhile. */
export const sending = (event: NotifyEvent): Activities =>
  calls(
    { heartbeatTimeout, startToCloseTimeout: '1 minute', scheduleToCloseTimeout: '30 minutes' },
    `notification of "${event}"`,
  );

/** Looks again and again, for as long as it takes; each look is a short attempt. */
export const watching = (what: string): Activities =>
  calls({ heartbeatTimeout, startToCloseTimeout: '30 seconds', retry }, what);

/**
 * Calls without which nothing else goes on: they are tried until they succeed. Behind the threshold the workflow waits by
 * a timer for the next attempt. A workflow task that held it back would keep its slot and add to history all the time.
 */
const untilDone: LocalActivityOptions = {
  startToCloseTimeout: '20 seconds',
  localRetryThreshold: '1 second',
  retry: { initialInterval: '200 milliseconds', maximumInterval: '5 minutes' },
};

/** Looks at what was signed, one event each. */
export const { admitStart, admitAnswer, signPart } = proxyLocalActivities<Activities>(untilDone);

/** A look at the worker's own configuration; who asked has gone by the time that it could be asked twice. */
export const { getWorkerView } = proxyLocalActivities<Activities>({
  startToCloseTimeout: '20 seconds',
  retry: { maximumAttempts: 1 },
});

/** Short reads and writes of our own store, which cost one event each. */
export const { saveRecord, wanted } = proxyLocalActivities<Activities>({
  startToCloseTimeout: '20 seconds',
  retry: { initialInterval: '200 milliseconds', maximumInterval: '2 seconds', maximumAttempts: 5 },
});

/** Words to Temporal itself, which cost one event each. */
export const { requestSlot, leaveQueue } = proxyLocalActivities<Activities>(untilDone);
