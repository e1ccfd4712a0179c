import { setTimeout as sleep } from 'node:timers/promises';
import { Context } from '@temporalio/activity';
import { WorkflowNotFoundError } from '@temporalio/client';
import { defineSearchAttributeKey } from '@temporalio/common';
import {
  type Direction,
  gateId,
  gateMemoKey,
  gateMessages,
  type GateState,
  gateWorkflow,
} from '../../model/run/gate';
import { searchAttributeNames } from '../../model/run/search-attributes';
import { notYet } from '../attempt/failure';

/** A holder that is over is noticed after this at the latest. */
const LOOK_AGAIN_MS = 5_000;
/** A gate answers within moments, unless its worker is very busy. */
const ANSWER_MS = 10_000;
const LOOK_MS = 25;

const kind = defineSearchAttributeKey(searchAttributeNames.kind, 'KEYWORD');

export interface AskGate {
  readonly portal: string;
  readonly direction: Direction;
  readonly runId: string;
  /** How many runs the gate lets in at a time. */
  readonly slots: number;
}

export function createGateActivities() {
  return {
    /**
     * Puts a run into the queue of a gate, which is made where there is none. Returns the gate's id and whether the run
     * is in; where it has to wait, or the gate is slow to answer, a signal says so later. Asking twice is asking once.
     */
    async askGate(input: AskGate): Promise<{ gate: string; isIn: boolean }> {
      const { client, info } = Context.current();
      const { portal, direction, runId, slots } = input;
      const gate = gateId({ taskQueue: info.taskQueue, portal, direction });
      await client.workflow.signalWithStart(gateWorkflow, {
        workflowId: gate,
        taskQueue: info.taskQueue,
        signal: gateMessages.ask,
        signalArgs: [{ runId, slots }],
        args: [],
        typedSearchAttributes: [{ key: kind, value: 'gate' }],
        staticSummary: `${direction}s on ${portal}: one after the other`,
      });
      for (const until = Date.now() + ANSWER_MS; Date.now() < until; await sleep(LOOK_MS)) {
        const { memo } = await client.workflow.getHandle(gate).describe();
        const state = memo?.[gateMemoKey] as GateState | undefined;
        if (state?.holders.some((holder) => holder.runId === runId)) return { gate, isIn: true };
        if (state?.queue.includes(runId)) break;
      }
      return { gate, isIn: false };
    },

    /** Gives a run's place back, in the gate or in its queue. A gate that is gone has nobody in it. */
    async leaveGate(input: { gate: string; runId: string }): Promise<void> {
      try {
        await Context.current().client.workflow.getHandle(input.gate).signal(gateMessages.leave, input.runId);
      } catch (thrown) {
        if (!(thrown instanceof WorkflowNotFoundError)) throw thrown;
      }
    },

    /** Ends once a run is over, however it ended. */
    async watchRun(input: { runId: string }): Promise<void> {
      try {
        const { status } = await Context.current().client.workflow.getHandle(input.runId).describe();
        if (status.name !== 'RUNNING') return;
      } catch (thrown) {
        if (thrown instanceof WorkflowNotFoundError) return;
        throw thrown;
      }
      throw notYet(`${input.runId} is still open`, LOOK_AGAIN_MS);
    },
  };
}
