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

/** Whether Temporal still counts this attempt as the one that has the call, and wants it to go on. */
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
    // The server has heard nothing for so long that it has given the call away, or will.
    if (performance.now() - began > (info.heartbeatTimeoutMs ?? 0)) return 'gone';
    await sleep(ASK_AGAIN_MS);
  }
}

/** What an error says of the call; nothing where Temporal did not answer. */
function standingIn(thrown: unknown): Standing | undefined {
  if (thrown instanceof ActivityNotFoundError) return 'gone';
  const stops = [ActivityCancelledError, ActivityPausedError, ActivityResetError];
  return stops.some((stop) => thrown instanceof stop) ? 'to be stopped' : undefined;
}

/**
 * Keeps a request back that another attempt may have sent by now: a worker can be frozen, or cut off from Temporal, for
 * so long that its call was given to another one. Throws where this attempt no longer has the call, or is to stop.
 */
export async function requireOurs(): Promise<void> {
  const standing = await askStanding();
  if (standing === 'ours') return;
  // Temporal ignores how an attempt ends that no longer has its call.
  if (standing === 'gone') throw notYet('another attempt has taken over this call', ASK_AGAIN_MS);
  await Context.current().cancelled;
}

/** Whether this attempt may still undo what it has noted: another one goes by its own notes. */
export const isOurs = async (): Promise<boolean> => (await askStanding()) !== 'gone';

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
