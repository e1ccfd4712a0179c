import { Context } from '@temporalio/activity';
import { type WorkflowExecutionDescription, WorkflowNotFoundError } from '@temporalio/client';
import { defineSearchAttributeKey } from '@temporalio/common';
import {
  type Direction,
  type GateAsk,
  gateId,
  gateMemoKey,
  gateMessages,
  gateWorkflow,
  partsOfGateId,
} from '../../model/run/gate';
import { isOpenExecution } from '../../model/open-execution';
import { readGateState } from '../../domain/run/gate-state';
import { searchAttributeNames } from '../../model/run/search-attributes';
import { notYet } from '../attempt/failure';

/** Whether a holder is over is looked at so often at first, and later so rarely. @format milliseconds */
const LOOK_FIRST_MS = 60_000;
const LOOK_LATER_MS = 10 * 60_000;
/** Of the time for which it has been watched, which begins when another run waits. */
const GROWTH = 0.15;

/**
 * Until a gate looks again whether a holder is over that has not left: each look is an action to whoever bills these, and
 * an hour of watching is 22 of them.
 * @param watchedMs for how long it has been watched
 * @format milliseconds
 */
export const untilNextWatch = (watchedMs: number): number =>
  Math.min(LOOK_LATER_MS, Math.max(LOOK_FIRST_MS, GROWTH * watchedMs));

const kind = defineSearchAttributeKey(searchAttributeNames.kind, 'KEYWORD');

export interface AskGate {
  readonly portal: string;
  readonly direction: Direction;
  readonly runId: string;
  /** How many runs the gate lets in at a time. */
  readonly slots: number;
}

export interface AskedGate {
  readonly gate: string;
  /** Whether the run was let in, as far as that was seen. Absent where a signal says so in any case. */
  readonly isIn?: boolean;
}

export function createGateActivities() {
  return {
    /**
     * Puts a run into the queue of a gate, which is made where there is none; a signal says when it is in. Returns the
     * gate's id. Asking twice is asking once.
     */
    async askGate(input: AskGate): Promise<AskedGate> {
      const { portal, direction, runId, slots } = input;
      const gate = gateId({ taskQueue: Context.current().info.taskQueue, portal, direction });
      await tellGate(gate, gateMessages.ask, { runId, slots });
      return { gate };
    },

    /** Gives a run's place back, in the gate or in its queue. A gate that ended by itself has nobody in it. */
    async leaveGate(input: { gate: string; runId: string }): Promise<void> {
      await tellGate(input.gate, gateMessages.leave, input.runId);
    },

    /** Ends once a run is over, however it ended. */
    async watchRun(input: { runId: string }): Promise<void> {
      const run = await lastExecution(input.runId);
      if (!run || !isOpenExecution(run.status)) return;
      const { currentAttemptScheduledTimestampMs: now, scheduledTimestampMs: began } = Context.current().info;
      throw notYet(`${input.runId} is still open`, untilNextWatch(now - began));
    },
  };
}

/**
 * Signals a gate. One that somebody has ended, by terminating it for one, is begun again with whom it shows: runs that it
 * let in go on, and whoever stands in its queue keeps their place. One that ended by itself is begun anew by who asks.
 */
async function tellGate(gate: string, signal: 'ask' | 'leave', words: GateAsk | string): Promise<void> {
  const { client, info } = Context.current();
  for (;;) {
    try {
      await client.workflow.getHandle(gate).signal(signal, words);
      return;
    } catch (thrown) {
      if (!(thrown instanceof WorkflowNotFoundError)) throw thrown;
    }
    const last = await lastExecution(gate);
    // Somebody else has begun it since.
    if (last && isOpenExecution(last.status)) continue;
    const wasEnded = last !== undefined && last.status.name !== 'COMPLETED';
    if (signal === 'leave' && !wasEnded) return;
    const left = wasEnded ? readGateState(last.memo) : undefined;
    const { portal, direction } = partsOfGateId(gate) ?? {};
    await client.workflow.signalWithStart(gateWorkflow, {
      ...{ workflowId: gate, taskQueue: info.taskQueue, signal, signalArgs: [words] },
      // The next one may be ended before it has shown anything itself.
      ...(left && { args: [left, true], memo: { [gateMemoKey]: left } }),
      typedSearchAttributes: [{ key: kind, value: 'gate' }],
      staticSummary: `${direction}s on ${portal}: one at a time`,
    });
    return;
  }
}

/** What Temporal says of the newest execution under an id; undefined where it knows none. */
async function lastExecution(workflowId: string): Promise<WorkflowExecutionDescription | undefined> {
  try {
    return await Context.current().client.workflow.getHandle(workflowId).describe();
  } catch (thrown) {
    if (thrown instanceof WorkflowNotFoundError) return undefined;
    throw thrown;
  }
}
