import type { Delivery } from '../../contract/delivery';
import { WorkflowNotFoundError } from '@temporalio/client';
import type { RunView } from '../../contract/runs';
import { openControl } from '../../domain/control/control';
import { PortolanError } from '../../model/errors/errors';
import { matchesPlanHash } from '../../model/transfer/plan-summary';
import { type Approve, type Cancel, messageNames, type Refuse, type Resume } from '../../model/run/run-input';
import { moveIfStranded } from '../../temporal/task-queue';
import { lookAt } from './next-commands';
import { untilOver } from './read-run';
import type { WriteContext } from './run-sources';
import { sendAnswer } from './send-answer';

/** Context of a decision: Temporal, key and user. */
type Addressed = Pick<WriteContext, 'config' | 'temporal' | 'asker'>;

/** A decision without its author. */
type Unsigned<Message extends Refuse | Approve> = Omit<Message, 'who' | 'proof'>;

/**
 * Refuses a decision on another plan, and while no worker runs one on a run that does not wait: it would be refused
 * later, when no one sees it. If a worker runs, the run itself decides: a repeat may be confirmed.
 */
export function requirePlan(view: RunView, hash?: string): void {
  const { record, open, source } = view;
  if (!open) throw runEndedError(record.runId);
  const { runId, status, plan } = record;
  if (status !== 'waiting') {
    if (source === 'record') throw invalidStateError(runId, `is ${status} and does not wait for approval`);
  } else if (hash !== undefined && plan !== undefined && !matchesPlanHash(plan, hash))
    throw invalidStateError(runId, `waits with plan ${plan.hash}, not ${hash}`);
}

/** Throws `USAGE` if the run is not parked. */
export function requireParked({ record, open, source }: RunView): void {
  const { runId, status, parked } = record;
  if (!open) throw invalidStateError(runId, `has ended (${status}) and is not parked`);
  if (status !== 'parked') throw invalidStateError(runId, `is ${status} and is not parked`);
  if (parked === undefined && source === 'run')
    throw invalidStateError(runId, 'is about to end and is not parked any more');
}

/** Approves the plan with that hash. A repeat by the same person counts as the same approval. */
export const approveRun = (at: Addressed, runId: string, approve: Unsigned<Approve>): Promise<Delivery> =>
  send(at, runId, messageNames.approve, approve);

/** Rejects the waiting plan, which ends the run. */
export const rejectRun = (at: Addressed, runId: string, reject: Unsigned<Refuse>): Promise<Delivery> =>
  send(at, runId, messageNames.reject, reject);

/** Resumes a parked run. If no worker has the version it is pinned to, it moves to the current one. */
export async function resumeRun(at: Addressed, runId: string, resume: Unsigned<Resume>): Promise<Delivery> {
  await moveIfStranded(at.temporal, runId).catch((thrown: unknown) => {
    throw thrown instanceof WorkflowNotFoundError ? runEndedError(runId) : thrown;
  });
  return await send(at, runId, messageNames.resume, resume);
}

/** Asks the run to end. */
export const cancelRun = (at: Addressed, runId: string, cancel: Unsigned<Cancel>): Promise<Delivery> =>
  send(at, runId, messageNames.cancel, cancel);

/** Cancels and waits for the end: until then it blocks other runs on its target. */
export async function endRun(sources: WriteContext, runId: string, reason: string): Promise<void> {
  await cancelRun(sources, runId, { reason, now: false });
  await untilOver(sources, runId);
}

async function send(at: Addressed, workflowId: string, name: string, message: object): Promise<Delivery> {
  const { who, identity } = at.asker;
  const signed = (await openControl(at.config)).signAnswer(name, workflowId, { ...message, who }, identity);
  return await sendAnswer(
    at,
    { workflowId, name, hint: lookAt(workflowId), over: runEndedError(workflowId) },
    signed,
  );
}

export const runEndedError = (runId: string): PortolanError =>
  new PortolanError('USAGE', `${runId} has ended; it accepts no decisions.`, { hint: lookAt(runId) });

const invalidStateError = (runId: string, words: string): PortolanError =>
  new PortolanError('USAGE', `${runId} ${words}.`, { hint: lookAt(runId) });
