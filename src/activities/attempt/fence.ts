import { setTimeout as sleep } from 'node:timers/promises';
import { Context } from '@temporalio/activity';
import {
  ActivityCancelledError,
  ActivityNotFoundError,
  ActivityPausedError,
  ActivityResetError,
} from '@temporalio/client';
import { PortolanError } from '../../model/errors/errors';
import type { CallOptions } from '../../portal/http/request';
import { notYet } from './failure';
import { heartbeatNow } from './heartbeat';

/**
 * Temporal gives an activity to another worker after 20 s without a heartbeat. A response within this time leaves enough
 * to connect (10 s) and send. @format milliseconds
 */
const ANSWERS_WITHIN_MS = 5_000;
const ASK_AGAIN_MS = 500;

/** Whether this attempt still owns its activity, and whether Temporal wants it to continue. */
type Ownership = 'held' | 'to be stopped' | 'lost';

/** Asks until the response is fresh, as long as the attempt can still own its activity. */
async function askOwnership(): Promise<Ownership> {
  const { client, info, cancellationSignal } = Context.current();
  const heartbeat = (): Promise<void> => client.activity.heartbeat(info.taskToken, heartbeatNow());
  const began = performance.now();
  for (;;) {
    const asked = performance.now();
    const ownership = await client
      .withDeadline(Date.now() + ANSWERS_WITHIN_MS, heartbeat)
      .then((): Ownership => 'held', ownershipIn);
    if (cancellationSignal.aborted) return 'to be stopped';
    const isFresh = performance.now() - asked <= ANSWERS_WITHIN_MS;
    if (ownership === 'lost' || (ownership !== undefined && isFresh)) return ownership;
    // After the heartbeat timeout, the server gives the activity to another attempt.
    if (performance.now() - began > (info.heartbeatTimeoutMs ?? 0)) return 'lost';
    await sleep(ASK_AGAIN_MS);
  }
}

/** What an error says about the attempt; undefined if Temporal did not respond. */
function ownershipIn(thrown: unknown): Ownership | undefined {
  if (thrown instanceof ActivityNotFoundError) return 'lost';
  const stops = [ActivityCancelledError, ActivityPausedError, ActivityResetError];
  return stops.some((stop) => thrown instanceof stop) ? 'to be stopped' : undefined;
}

/**
 * Call before a request that another attempt may have sent: a worker can be frozen, or cut off from Temporal, until its
 * activity goes to another one. Throws if this attempt no longer owns its activity, or must stop.
 */
export async function requireCurrentAttempt(): Promise<void> {
  const ownership = await askOwnership();
  if (ownership === 'held') return;
  // Temporal ignores how an outdated attempt ends.
  if (ownership === 'lost') throw notYet('another attempt has taken over this activity', ASK_AGAIN_MS);
  await Context.current().cancelled;
}

/** A write to a portal that two attempts must not send. */
export class FencedWrite {
  #isSent = false;

  /** Options for the request that writes. Its response must be heard, so nothing aborts it. */
  readonly options: CallOptions = {
    signal: new AbortController().signal,
    beforeSending: async () => {
      await requireCurrentAttempt();
      this.#isSent = true;
    },
  };

  /** Whether the portal may have started the write that failed with this error. */
  mayHaveBegun(thrown: unknown): boolean {
    return this.#isSent && PortolanError.from(thrown).meaning.begun === 'maybe';
  }
}
