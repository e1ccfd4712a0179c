import { createHash } from 'node:crypto';
import { openControl } from '../../domain/control/control';
import { PortolanError } from '../../model/errors/errors';
import type { ParkedRecord } from '../../model/run/parked';
import type { Signed } from '../../model/run/signature';
import { isNamed } from '../../model/transfer/plan-hash';
import { type Approve, type Cancel, messageNames, type Refuse, type Resume } from '../../model/run/run-input';
import { type Delivery, isOver, isUndelivered, sendUpdate } from '../../temporal/send-update';
import { lookAt } from './next-commands';
import { untilOver } from './read-run';
import type { WriteContext } from './run-sources';
import type { RunView } from './run-view';

/** @format milliseconds */
const KEPT_WITHIN_MS = 5_000;

/** Context of a decision: Temporal, key and user. */
type Addressed = Pick<WriteContext, 'config' | 'temporal' | 'asker'>;

/** A decision without its author. */
type Said<Message extends Refuse | Approve> = Omit<Message, 'who' | 'proof'>;

/**
 * Refuses a decision on a plan that is not waiting, as far as visible while no worker runs: otherwise it would be
 * refused later, when no one sees it. If a worker runs, the run itself decides.
 */
export function requirePlan(view: RunView, hash?: string): void {
  const { record, open, source } = view;
  if (!open) throw over(record.runId);
  if (source !== 'record') return;
  if (record.status !== 'waiting')
    throw unfit(record.runId, `is ${record.status} and does not wait for approval`);
  if (hash !== undefined && record.plan !== undefined && !isNamed(record.plan, hash))
    throw planMismatchError(record.runId, record.plan.hash, hash);
}

export const planMismatchError = (runId: string, waits: string, seen: string): PortolanError =>
  unfit(runId, `waits with plan ${waits}, not ${seen}`);

/** Why the run is parked. Throws `USAGE` if it is not, and `NO_WORKER` if only a worker can tell. */
export function requireParked({ record, open, source }: RunView): ParkedRecord {
  const { runId, status, parked } = record;
  if (!open) throw unfit(runId, `has ended (${status}) and is not parked`);
  if (status !== 'parked') throw unfit(runId, `is ${status} and is not parked`);
  if (parked !== undefined) return parked;
  if (source === 'run') throw unfit(runId, 'is about to end and is not parked any more');
  throw new PortolanError(
    'NO_WORKER',
    `${runId} is parked, but no worker is running to say why, and its record is in a store this machine cannot read.`,
  );
}

/**
 * Approves the plan with that hash. A repeat by the same person counts as the same approval. While no worker runs,
 * the run's history keeps it.
 */
export const approveRun = (at: Addressed, runId: string, approval: Said<Approve>): Promise<Delivery> =>
  sendLasting(at, runId, messageNames.approve, approval);

/** Rejects the waiting plan, which ends the run. While no worker runs, the run's history keeps it. */
export const rejectRun = (at: Addressed, runId: string, refusal: Said<Refuse>): Promise<Delivery> =>
  sendLasting(at, runId, messageNames.reject, refusal);

/**
 * Resumes a parked run. A repeat by the same person is the same resume and waits for the same response. After a
 * refusal, with another correction, or once the run is parked again, it is a new one. Throws `NO_WORKER` if no
 * worker can check the portals.
 */
export const resumeRun = (
  at: Addressed,
  runId: string,
  { count, refusals }: ParkedRecord,
  resume: Said<Resume>,
): Promise<Delivery> => {
  const { who, identity } = at.asker;
  const what = ['resume', count, refusals, digestOf({ who, identity, set: resume.set })].join('-');
  return sign(at, runId, messageNames.resume, resume).then((signed) =>
    deliver(at, { workflowId: runId, name: messageNames.resume, what }, signed),
  );
};

const digestOf = (value: object): string =>
  createHash('sha256').update(JSON.stringify(value)).digest('hex').slice(0, 8);

/** Asks the run to end. Temporal keeps a signal for the worker, so it is always accepted. */
export async function cancelRun(at: Addressed, runId: string, cancel: Said<Cancel>): Promise<void> {
  const signed = await sign(at, runId, messageNames.cancel, cancel);
  const handle = at.temporal.client.workflow.getHandle(runId);
  await unlessOver(runId, handle.signal(messageNames.cancel, signed));
}

/** Cancels and waits for the end: until then it blocks other runs on its target. */
export async function endRun(sources: WriteContext, runId: string, reason: string): Promise<void> {
  await cancelRun(sources, runId, { reason, now: false });
  await untilOver(sources, runId);
}

/**
 * Sends a decision that goes into the run's history while no worker takes it. Temporal keeps an update's outcome
 * under its ID, also a failure: so each decision has its own ID and is the same however it arrives.
 */
async function sendLasting(
  at: Addressed,
  workflowId: string,
  name: string,
  argument: object,
): Promise<Delivery> {
  const signed = await sign(at, workflowId, name, argument);
  try {
    return await deliver(at, { workflowId, name, what: `${name}-${signed.proof.nonce}` }, signed);
  } catch (thrown) {
    if (!isUndelivered(thrown)) throw thrown;
    const { client, connection } = at.temporal;
    // The time the update has already taken counts.
    const kept = connection.withDeadline(Date.now() + KEPT_WITHIN_MS, () =>
      client.workflow.getHandle(workflowId).signal(name, signed),
    );
    await unlessOver(workflowId, kept);
    return { taken: false };
  }
}

const sign = async (
  { config, asker: { who, identity } }: Addressed,
  workflowId: string,
  name: string,
  argument: object,
): Promise<Refuse & Required<Signed>> =>
  (await openControl(config)).signAnswer(name, workflowId, { ...argument, who }, identity);

async function deliver(
  { config, temporal }: Addressed,
  { workflowId, name, what }: Record<'workflowId' | 'name' | 'what', string>,
  signed: object,
): Promise<Delivery> {
  const updateId = (await openControl(config)).updateId(workflowId, what);
  const update = { workflowId, name, updateId, hint: lookAt(workflowId) };
  return await unlessOver(workflowId, sendUpdate(temporal, update, signed));
}

async function unlessOver<T>(runId: string, sent: Promise<T>): Promise<T> {
  try {
    return await sent;
  } catch (thrown) {
    throw isOver(thrown) ? over(runId) : thrown;
  }
}

export const over = (runId: string): PortolanError =>
  new PortolanError('USAGE', `${runId} has ended; it accepts no decisions.`, { hint: lookAt(runId) });

const unfit = (runId: string, words: string): PortolanError =>
  new PortolanError('USAGE', `${runId} ${words}.`, { hint: lookAt(runId) });
