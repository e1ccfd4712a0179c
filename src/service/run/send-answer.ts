import { setTimeout as sleep } from 'node:timers/promises';
import { type WorkflowExecutionDescription, WorkflowNotFoundError } from '@temporalio/client';
import type { Delivery } from '../../contract/delivery';
import { isErrorCode } from '../../model/errors/error-codes';
import { PortolanError } from '../../model/errors/errors';
import { isOpenExecution } from '../../domain/run/executions';
import { type AnswerOutcome, outcomeQueryName, type Signed } from '../../model/run/signature';
import { fromTemporal, isCutOff } from '../../temporal/connection';
import { pinnedVersionOf, workersOf } from '../../temporal/task-queue';
import { failingTask } from './lookup/failing-task';
import { failingWords } from './run-view';
import type { WriteContext } from './run-sources';

/** @format milliseconds */
const DELIVERED_WITHIN_MS = 5_000;
/** How long no worker may respond. @format milliseconds */
const SILENT_MS = 5_000;
/** Checks on portals take time; after this, they continue without the caller. `serve` waits a little longer. @format milliseconds */
const ANSWERED_WITHIN_MS = 40_000;
/** Temporal Cloud bills each query. @format milliseconds */
const PAUSE_FIRST_MS = 50;
const PAUSE_LATER_MS = 2_000;

/** Context of an answer. */
export type Answering = Pick<WriteContext, 'config' | 'temporal'>;

/** To whom an answer goes. */
export interface Addressee {
  readonly workflowId: string;
  /** Of the signal. */
  readonly name: string;
  /** Where to see what became of it. */
  readonly hint: string;
  /** Thrown if the workflow has ended, or ends without having heard it. */
  readonly over: PortolanError;
}

/**
 * Sends a signed answer, which history then keeps, and waits for its outcome as long as a person likes to wait. Throws
 * the refusal of the workflow under its own code, and "not delivered" if Temporal has not confirmed the signal.
 */
export async function sendAnswer(at: Answering, to: Addressee, message: Required<Signed>): Promise<Delivery> {
  await deliver(at, to, message);
  const outcome = await untilKnown(at, to, message.proof.nonce ?? '');
  switch (outcome.status) {
    case 'accepted':
      return { taken: true, answer: outcome.answer };
    case 'checking':
      return { taken: true, unanswered: `received; the checks are still running. ${to.hint}` };
    case 'silent':
      return { taken: false, unanswered: `saved, but not yet received: ${outcome.why}. ${to.hint}` };
    case 'over':
      throw to.over;
    case 'refused': {
      const { code, message: words, hint } = outcome;
      throw new PortolanError(isErrorCode(code) ? code : 'INTERNAL', `The run refused it: ${words}`, {
        hint: hint || to.hint,
      });
    }
  }
}

/** Returns once Temporal has saved the signal. */
async function deliver(
  { config: { temporal: where }, temporal: { client, connection } }: Answering,
  { workflowId, name, over }: Addressee,
  message: object,
): Promise<void> {
  try {
    await connection.withDeadline(Date.now() + DELIVERED_WITHIN_MS, () =>
      client.workflow.getHandle(workflowId).signal(name, message),
    );
  } catch (thrown) {
    if (thrown instanceof WorkflowNotFoundError) throw over;
    const why = PortolanError.from(fromTemporal(thrown, where.address, where.namespace));
    throw new PortolanError(why.code, `Not delivered: ${why.plainMessage}`, why.facts, { cause: thrown });
  }
}

type Known =
  AnswerOutcome | { readonly status: 'over' } | { readonly status: 'silent'; readonly why: string };

/** Queries the outcome until it is known, or no worker responds. Never throws, because the answer is delivered. */
async function untilKnown(at: Answering, { workflowId }: Addressee, nonce: string): Promise<Known> {
  const { client, connection } = at.temporal;
  const handle = client.workflow.getHandle(workflowId);
  const end = Date.now() + ANSWERED_WITHIN_MS;
  let known: Known = { status: 'silent', why: 'no worker responded in time' };
  let silentAt = Date.now() + SILENT_MS;
  for (let pauseMs = PAUSE_FIRST_MS; ; pauseMs = Math.min(2 * pauseMs, PAUSE_LATER_MS)) {
    try {
      // Described first: a run that has ended by then has no outcome to come.
      const description = await handle.describe();
      const why = await whySilent(at, description);
      if (why !== undefined) return { status: 'silent', why };
      const outcome = await connection.withDeadline(Math.min(end, silentAt), () =>
        handle.query<AnswerOutcome | undefined, [string]>(outcomeQueryName, nonce),
      );
      if (outcome && outcome.status !== 'checking') return outcome;
      // What was being checked when it was ended never gets an outcome.
      if (!isOpenExecution(description.status)) return { status: 'over' };
      known = outcome ?? { status: 'silent', why: 'no worker could check its signature yet' };
      silentAt = Date.now() + SILENT_MS;
    } catch (thrown) {
      if (thrown instanceof PortolanError) return { status: 'silent', why: thrown.plainMessage };
      if (isCutOff(thrown)) return { status: 'silent', why: 'the connection to Temporal was lost' };
    }
    if (Date.now() + pauseMs > Math.min(end, silentAt)) return known;
    await sleep(pauseMs);
  }
}

/** Why no worker can respond, if that is visible without one. */
async function whySilent(
  { temporal }: Answering,
  description: WorkflowExecutionDescription,
): Promise<string | undefined> {
  const build = pinnedVersionOf(description)?.buildId;
  const workers = await workersOf(temporal, description.taskQueue, build);
  if (workers.length === 0)
    return build === undefined
      ? 'no worker is running'
      : `the run is pinned to version ${build}, which no worker runs`;
  const failing = await failingTask(temporal, description);
  if (failing === undefined) return undefined;
  const { saw, todo } = failingWords(failing);
  return `${saw}. ${todo.replace(/\.$/, '')}`;
}
