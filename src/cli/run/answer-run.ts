import { createHash, randomUUID } from 'node:crypto';
import { PortolanError } from '../../model/errors/errors';
import type { ParkedRecord } from '../../model/run/parked';
import { shortRunId } from '../../model/run/run-id';
import { type Approve, type Cancel, messageNames, type Refuse, type Resume } from '../../model/run/run-input';
import { type Delivery, isOver, sendUpdate } from '../../temporal/send-update';
import type { TemporalClient } from '../../temporal/session';

/** Approves the plan of that hash. Typed again it is the same approval, not a second one. */
export const approveRun = (temporal: TemporalClient, runId: string, approval: Approve): Promise<Delivery> =>
  answer(temporal, runId, messageNames.approve, `approve-${approval.hash}`, approval);

/** Rejects the plan that waits, which ends the run. */
export const rejectRun = (
  temporal: TemporalClient,
  runId: string,
  hash: string | undefined,
  refusal: Refuse,
): Promise<Delivery> =>
  answer(temporal, runId, messageNames.reject, `reject-${hash ?? randomUUID()}`, refusal);

/**
 * Goes on with a parked run. Typed again it is the same resume; after a refusal, with another correction, or once the
 * run is parked anew, it is another one.
 */
export const resumeRun = (
  temporal: TemporalClient,
  runId: string,
  { count, refusals }: ParkedRecord,
  resume: Resume,
): Promise<Delivery> =>
  answer(
    temporal,
    runId,
    messageNames.resume,
    ['resume', count, refusals, ...(resume.set === undefined ? [] : [digestOf(resume.set)])].join('-'),
    resume,
  );

const digestOf = (value: object): string =>
  createHash('sha256').update(JSON.stringify(value)).digest('hex').slice(0, 8);

/** Asks the run to end. A signal is kept for the worker, so it is always taken. */
export async function cancelRun({ client }: TemporalClient, runId: string, cancel: Cancel): Promise<void> {
  try {
    await client.workflow.getHandle(runId).signal(messageNames.cancel, cancel);
  } catch (thrown) {
    throw isOver(thrown) ? over(runId) : thrown;
  }
}

async function answer<Argument>(
  temporal: TemporalClient,
  workflowId: string,
  name: string,
  updateId: string,
  argument: Argument,
): Promise<Delivery> {
  try {
    return await sendUpdate(temporal, { workflowId, name, updateId, hint: lookAt(workflowId) }, argument);
  } catch (thrown) {
    throw isOver(thrown) ? over(workflowId) : thrown;
  }
}

export const lookAt = (runId: string): string => `Look at it with: portolan run show ${shortRunId(runId)}`;

export const over = (runId: string): PortolanError =>
  new PortolanError('USAGE', `${runId} is over and takes no answer.`, { hint: lookAt(runId) });
