import { randomUUID } from 'node:crypto';
import {
  WorkflowNotFoundError,
  WorkflowUpdateFailedError,
  WorkflowUpdateRPCTimeoutOrCancelledError,
} from '@temporalio/client';
import { PortolanError } from '../model/errors';
import { type Approve, messageNames, type Refuse } from '../model/sync-input';
import { type TemporalClient, workersOf } from './temporal';

/** An update that no worker has taken by then lands later; Temporal keeps it. @format milliseconds */
const takenWithinMs = { byWorkers: 5_000, byNobody: 1_000 };

/** Whether the run has answered, or the answer will come when a worker is up. */
export type Delivery = { readonly taken: true; readonly answer: string } | { readonly taken: false };

/** Approves the plan of that hash. Typed again it is the same approval, not a second one. */
export const approveRun = (temporal: TemporalClient, runId: string, approval: Approve): Promise<Delivery> =>
  sendUpdate(temporal, runId, messageNames.approve, `approve-${approval.hash}`, approval);

/** Rejects the plan that waits, which ends the run. */
export const rejectRun = (
  temporal: TemporalClient,
  runId: string,
  hash: string | undefined,
  refusal: Refuse,
): Promise<Delivery> =>
  sendUpdate(temporal, runId, messageNames.reject, `reject-${hash ?? randomUUID()}`, refusal);

/** Asks the run to end. A signal is kept for the worker, so it is always taken. */
export async function cancelRun({ client }: TemporalClient, runId: string, refusal: Refuse): Promise<void> {
  try {
    await client.workflow.getHandle(runId).signal(messageNames.cancel, refusal);
  } catch (thrown) {
    throw isOver(thrown) ? over(runId) : thrown;
  }
}

async function sendUpdate(
  temporal: TemporalClient,
  runId: string,
  name: string,
  updateId: string,
  argument: Approve | Refuse,
): Promise<Delivery> {
  const { client, connection } = temporal;
  const handle = client.workflow.getHandle(runId);
  try {
    const { taskQueue } = await handle.describe();
    const workers = await workersOf(temporal, taskQueue);
    const patience = workers.length > 0 ? takenWithinMs.byWorkers : takenWithinMs.byNobody;
    const answer = await connection.withDeadline(Date.now() + patience, () =>
      handle.executeUpdate<string, [Approve | Refuse]>(name, { args: [argument], updateId }),
    );
    return { taken: true, answer };
  } catch (thrown) {
    if (thrown instanceof WorkflowUpdateRPCTimeoutOrCancelledError) return { taken: false };
    if (thrown instanceof WorkflowUpdateFailedError) {
      throw new PortolanError(
        'USAGE',
        `The run did not take it: ${thrown.cause?.message ?? 'no reason given'}.`,
        {
          hint: `Look at it with: portolan run show ${runId}`,
        },
      );
    }
    throw isOver(thrown) ? over(runId) : thrown;
  }
}

const isOver = (thrown: unknown): boolean => thrown instanceof WorkflowNotFoundError;

const over = (runId: string): PortolanError =>
  new PortolanError('USAGE', `${runId} is over and takes no answer.`, {
    hint: `Look at it with: portolan run show ${runId}`,
  });

/** Says why an answer was not taken yet. */
export async function undeliveredWords(temporal: TemporalClient, taskQueue: string): Promise<string> {
  const workers = await workersOf(temporal, taskQueue).catch(() => undefined);
  const why = workers?.length === 0 ? 'no worker is up' : 'no worker answered in time';
  return `sent, not yet taken: ${why}. It is kept and lands when one is; typing it again is safe.`;
}
