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
 * Temporal gives a call to another worker when it has heard nothing for 20 s. An answer that came within this leaves
 * enough of them to connect (10 s) and send. @format milliseconds
 */
const ANSWERS_WITHIN_MS = 5_000;
const ASK_AGAIN_MS = 500;

/** Whether this attempt still has its call, and whether Temporal wants it to continue. */
type Standing = 'ours' | 'to be stopped' | 'gone';

/** Asks until the answer is fresh, for as long as the call can still be ours. */
async function askStanding(): Promise<Standing> {
  const { client, info, cancellationSignal } = Context.current();
  const heartbeat = (): Promise<void> => client.activity.heartbeat(info.taskToken, heartbeatNow());
  const began = performance.now();
  for (;;) {
    const asked = performance.now();
    const standing = await client
      .withDeadline(Date.now() + ANSWERS_WITHIN_MS, heartbeat)
      .then((): Standing => 'ours', standingIn);
    if (cancellationSignal.aborted) return 'to be stopped';
    const isFresh = performance.now() - asked <= ANSWERS_WITHIN_MS;
    if (standing === 'gone' || (standing !== undefined && isFresh)) return standing;
    // The server has heard nothing for so long that it gives the call to another attempt.
    if (performance.now() - began > (info.heartbeatTimeoutMs ?? 0)) return 'gone';
    await sleep(ASK_AGAIN_MS);
  }
}

/** What an error says about the call; undefined if Temporal did not answer. */
function standingIn(thrown: unknown): Standing | undefined {
  if (thrown instanceof ActivityNotFoundError) return 'gone';
  const stops = [ActivityCancelledError, ActivityPausedError, ActivityResetError];
  return stops.some((stop) => thrown instanceof stop) ? 'to be stopped' : undefined;
}

/**
 * Holds back a request that another attempt may have sent by now: a worker can be frozen, or cut off from Temporal, until
 * its call goes to another one. Throws if this attempt no longer has the call, or has to stop.
 */
export async function requireOurs(): Promise<void> {
  const standing = await askStanding();
  if (standing === 'ours') return;
  // Temporal ignores how an attempt ends that no longer has its call.
  if (standing === 'gone') throw notYet('another attempt has taken over this activity', ASK_AGAIN_MS);
  await Context.current().cancelled;
}

/** One write to a portal that must not be sent by two attempts. */
export class FencedWrite {
  #isSent = false;

  /** For the call that writes. */
  readonly options: CallOptions = {
    beforeSending: async () => {
      await requireOurs();
      this.#isSent = true;
    },
  };

  /** Whether the portal can have begun the write that ended with this error. */
  mayHaveBegun(thrown: unknown): boolean {
    return this.#isSent && PortolanError.from(thrown).meaning.begun === 'maybe';
  }
}
