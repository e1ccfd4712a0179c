import { Context } from '@temporalio/activity';
import {
  type WorkflowExecutionDescription,
  WorkflowNotFoundError,
  ScheduleNotFoundError,
} from '@temporalio/client';
import { defineSearchAttributeKey } from '@temporalio/common';
import {
  type Direction,
  type SlotRequest,
  portalQueueId,
  portalQueueMemoKey,
  portalQueueMessages,
  portalQueueWorkflow,
  parsePortalQueueId,
} from '../../model/run/portal-queue';
import { isOpenExecution, readPortalQueueState, openExecutions } from '../../domain/run/executions';
import { searchAttributeNames } from '../../model/run/run-id';
import { notYet } from '../attempt/failure';
import { readMemo } from '../../model/run/start-memo';
import { messageNames, type Supersede } from '../../model/run/run-input';
import type { ActivityDeps } from '../deps';

/** First and longest pause between checks whether a holder has ended. @format milliseconds */
const LOOK_FIRST_MS = 60_000;
const LOOK_LATER_MS = 10 * 60_000;
/** Growth per time watched, which starts when another run waits. */
const GROWTH = 0.15;

/**
 * Pause until a portal queue checks again whether a holder has ended without leaving. Temporal Cloud bills each check;
 * an hour of watching takes 22.
 * @param watchedMs time watched so far
 * @param firstMs shortest pause
 * @format milliseconds
 */
export const untilNextWatch = (watchedMs: number, firstMs = LOOK_FIRST_MS): number =>
  Math.min(LOOK_LATER_MS, Math.max(firstMs, GROWTH * watchedMs));

const kind = defineSearchAttributeKey(searchAttributeNames.kind, 'KEYWORD');

interface RequestSlot {
  readonly portal: string;
  readonly direction: Direction;
  readonly runId: string;
  /** How many runs may hold a slot at once. */
  readonly slots: number;
}

/**
 * Adds a run to a portal queue, which is started if needed. A signal tells the run when it holds a slot. Safe to
 * repeat.
 */
export async function requestSlot(input: RequestSlot): Promise<void> {
  const { portal, direction, runId, slots } = input;
  const queueId = portalQueueId({ taskQueue: Context.current().info.taskQueue, portal, direction });
  await signalPortalQueue(queueId, portalQueueMessages.ask, { runId, slots });
}

/** Frees a run's slot, or its place in the queue. A portal queue that has ended holds no runs. */
export async function leaveQueue(input: { queueId: string; runId: string }): Promise<void> {
  await signalPortalQueue(input.queueId, portalQueueMessages.leave, input.runId);
}

/** Completes once a run has ended. The first pauses between its checks take `firstMs`. */
export async function watchRun(input: { runId: string; firstMs?: number }): Promise<void> {
  const run = await lastExecution(input.runId);
  if (!run || !isOpenExecution(run.status)) return;
  const { currentAttemptScheduledTimestampMs: now, scheduledTimestampMs: began } = Context.current().info;
  throw notYet(`${input.runId} is still open`, untilNextWatch(now - began, input.firstMs));
}

/**
 * Signals a portal queue. If it was ended from outside, for example by a terminate, it is restarted with the runs in its
 * memo: holders keep their slots, and waiting runs keep their order. One that ended by itself is started by a request.
 */
async function signalPortalQueue(
  queueId: string,
  signal: 'ask' | 'leave',
  words: SlotRequest | string,
): Promise<void> {
  const { client, info } = Context.current();
  for (;;) {
    try {
      await client.workflow.getHandle(queueId).signal(signal, words);
      return;
    } catch (thrown) {
      if (!(thrown instanceof WorkflowNotFoundError)) throw thrown;
    }
    const last = await lastExecution(queueId);
    // Another run has started it since.
    if (last && isOpenExecution(last.status)) continue;
    const wasEnded = last !== undefined && last.status.name !== 'COMPLETED';
    if (signal === 'leave' && !wasEnded) return;
    const left = wasEnded ? readPortalQueueState(last.memo) : undefined;
    const { portal, direction } = parsePortalQueueId(queueId) ?? {};
    await client.workflow.signalWithStart(portalQueueWorkflow, {
      workflowId: queueId,
      taskQueue: info.taskQueue,
      signal,
      signalArgs: [words],
      // The new one may be ended before it has written a memo.
      ...(left && { args: [left, true], memo: { [portalQueueMemoKey]: left } }),
      typedSearchAttributes: [{ key: kind, value: 'portal-queue' }],
      staticSummary: `${direction} slots of ${portal}`,
    });
    return;
  }
}

/** The newest execution of a workflow; undefined if Temporal knows none. */
async function lastExecution(workflowId: string): Promise<WorkflowExecutionDescription | undefined> {
  try {
    return await Context.current().client.workflow.getHandle(workflowId).describe();
  } catch (thrown) {
    if (thrown instanceof WorkflowNotFoundError) return undefined;
    throw thrown;
  }
}

/** When a schedule is due next; null if it is paused, deleted, or never due again. */
export async function nextStart({ scheduleId }: { readonly scheduleId: string }): Promise<string | null> {
  try {
    const { state, info } = await Context.current().client.schedule.getHandle(scheduleId).describe();
    const [next] = state.paused ? [] : info.nextActionTimes;
    return next?.toISOString() ?? null;
  } catch (thrown) {
    if (thrown instanceof ScheduleNotFoundError) return null;
    throw thrown;
  }
}

/**
 * Ends parked runs of the same route and schedule, so that one bad night does not end all later ones. Returns their IDs.
 */
export async function supersedeParked(
  { openControl }: ActivityDeps,
  input: { runId: string; route: string; scheduledBy: string },
): Promise<string[]> {
  const { client, info } = Context.current();
  const { runId, route, scheduledBy } = input;
  const { route: ofRoute, outcome } = searchAttributeNames;
  const query = [
    `${ofRoute} = '${route}'`,
    `${outcome} = 'parked'`,
    openExecutions,
    // Another configuration in this namespace may use the same names.
    `TaskQueue = '${info.taskQueue}'`,
  ].join(' AND ');
  const superseded: string[] = [];
  for await (const { workflowId, memo } of client.workflow.list({ query })) {
    if (workflowId === runId) continue;
    if (readMemo(memo)?.scheduledBy !== scheduledBy) continue;
    try {
      const supersede: Supersede = { by: runId };
      const signed = (await openControl()).signAnswer(messageNames.supersede, workflowId, supersede);
      await client.workflow.getHandle(workflowId).signal(messageNames.supersede, signed);
      superseded.push(workflowId);
    } catch (thrown) {
      // It has ended since it was listed.
      if (!(thrown instanceof WorkflowNotFoundError)) throw thrown;
    }
  }
  return superseded;
}
