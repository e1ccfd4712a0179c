import {
  WorkflowNotFoundError,
  WorkflowUpdateFailedError,
  WorkflowUpdateRPCTimeoutOrCancelledError,
} from '@temporalio/client';
import { ApplicationFailure } from '@temporalio/common';
import { isErrorCode } from '../model/errors/error-codes';
import { type FailureDetails, PortolanError } from '../model/errors/errors';
import { buildOf } from './deployment';
import type { TemporalClient } from './session';
import { workersOf } from './task-queue';

/**
 * An update that no worker has accepted by then is not delivered: the server keeps it in memory only.
 * @format milliseconds
 */
const takenWithinMs = 5_000;

/** Checks on portals take time; after this, they continue without the caller. @format milliseconds */
const answeredWithinMs = 60_000;

/** Whether it was answered, is in progress, or is stored in the run's history until a worker runs. */
export type Delivery =
  | { readonly taken: true; readonly answer: string | undefined }
  | { readonly taken: false; readonly answer?: undefined };

export interface Update {
  readonly workflowId: string;
  readonly name: string;
  /** Sending the same ID again is the same update. */
  readonly updateId: string;
  /** Hint if it is refused without a code. */
  readonly hint: string;
}

/**
 * Sends an update and waits for its answer as long as a person likes to wait. Throws what it was refused with:
 * under the refusal's own code where it has one, else `USAGE`. Throws `NO_WORKER` where nobody has taken it, and
 * `WorkflowNotFoundError` where the workflow is over.
 */
export async function sendUpdate<Argument>(
  temporal: TemporalClient,
  { workflowId, name, updateId, hint }: Update,
  argument: Argument,
): Promise<Delivery & { readonly taken: true }> {
  const { client, connection } = temporal;
  const handle = client.workflow.getHandle(workflowId);
  let taken = false;
  try {
    const description = await handle.describe();
    const { taskQueue } = description;
    const build = buildOf(description);
    const workers = await workersOf(temporal, taskQueue, build);
    if (workers.length === 0) throw noWorkerTakesIt(taskQueue, build, hint);
    const update = await connection.withDeadline(Date.now() + takenWithinMs, () =>
      handle.startUpdate<string, [Argument]>(name, {
        args: [argument],
        updateId,
        waitForStage: 'ACCEPTED',
      }),
    );
    taken = true;
    return {
      taken,
      answer: await connection.withDeadline(Date.now() + answeredWithinMs, () => update.result()),
    };
  } catch (thrown) {
    if (thrown instanceof WorkflowUpdateRPCTimeoutOrCancelledError) {
      if (taken) return { taken, answer: undefined };
      throw notDelivered(`no worker accepted it within ${takenWithinMs / 1000} s`, hint);
    }
    throw thrown instanceof WorkflowUpdateFailedError ? refusalOf(thrown, hint) : thrown;
  }
}

/** A run stays on the version that started it unless someone moves it. */
const noWorkerTakesIt = (taskQueue: string, build: string | undefined, hint: string): PortolanError =>
  build === undefined
    ? notDelivered(`no worker accepts work from task queue "${taskQueue}"`, hint)
    : new PortolanError(
        'NO_WORKER',
        `Not delivered: the run is pinned to version ${build}, which no worker runs.`,
        {
          hint: `Move it to the current version: portolan deploy drain ${build} --yes. Then repeat the command. ${hint}`,
        },
      );

const notDelivered = (why: string, hint: string): PortolanError =>
  new PortolanError('NO_WORKER', `Not delivered: ${why}.`, {
    hint: `Start a worker: portolan worker. Then repeat the command. ${hint}`,
  });

/** Whether no worker has accepted the update. */
export const isUndelivered = (thrown: unknown): boolean =>
  thrown instanceof PortolanError && thrown.code === 'NO_WORKER';

export const isOver = (thrown: unknown): boolean => thrown instanceof WorkflowNotFoundError;

/** A refusal, with its message. */
function refusalOf(thrown: WorkflowUpdateFailedError, hint: string): PortolanError {
  const failure = applicationFailureIn(thrown);
  const details = failure?.details?.[0] as Partial<FailureDetails> | undefined;
  const code = details?.code ?? failure?.type ?? 'USAGE';
  const words = failure?.message ?? thrown.cause?.message ?? 'no reason given';
  return new PortolanError(isErrorCode(code) ? code : 'USAGE', `The run rejected it: ${words}`, {
    hint: details?.hint ?? hint,
    portal: details?.portal,
    portalWords: details?.portalWords,
  });
}

function applicationFailureIn(thrown: Error): ApplicationFailure | undefined {
  for (let cause: unknown = thrown.cause; cause instanceof Error; cause = cause.cause) {
    if (cause instanceof ApplicationFailure) return cause;
  }
  return undefined;
}

/** Why there is no response yet. */
export async function unansweredWords(
  temporal: TemporalClient,
  taskQueue: string,
  taken: boolean,
): Promise<string> {
  if (taken) return 'received; the portals are still being checked. Repeating the command is safe.';
  const workers = await workersOf(temporal, taskQueue).catch(() => undefined);
  const why = workers?.length === 0 ? 'no worker is running' : 'no worker responded in time';
  return `saved, but not yet received: ${why}. A worker delivers it once one is running; repeating the command is safe.`;
}
