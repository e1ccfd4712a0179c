import { Context } from '@temporalio/activity';
import { WorkflowNotFoundError } from '@temporalio/client';
import { defineSearchAttributeKey } from '@temporalio/common';
import { gateMessages, gateWorkflow, partsOfGateId } from '../model/gate';
import { searchAttributeNames } from '../model/search-attributes';
import { notYet } from './failure';

/** A holder that is over is noticed after this at the latest. */
const LOOK_AGAIN_MS = 5_000;

const kind = defineSearchAttributeKey(searchAttributeNames.kind, 'KEYWORD');

export function createGateActivities() {
  return {
    /** Puts a run into the line of a gate, which is made where there is none. Asking twice is asking once. */
    async askGate(input: { gate: string; runId: string; slots: number }): Promise<void> {
      const { client, info } = Context.current();
      const { gate, runId, slots } = input;
      const { portal, direction } = partsOfGateId(gate) ?? {};
      await client.workflow.signalWithStart(gateWorkflow, {
        workflowId: gate,
        taskQueue: info.taskQueue,
        signal: gateMessages.ask,
        signalArgs: [{ runId, slots }],
        args: [],
        typedSearchAttributes: [{ key: kind, value: 'gate' }],
        staticSummary: `${direction}s on ${portal}: one after the other`,
      });
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
