import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { Context } from '@temporalio/activity';
import {
  ActivityCancelledError,
  ActivityNotFoundError,
  ActivityPausedError,
  ActivityResetError,
} from '@temporalio/client';
import { PortolanError } from '../../model/errors/errors';
import type { CallOptions } from '../../portal/http/request';
import { keys } from '../../store/keys';
import type { Store } from '../../store/store';
import { activityTime, heartbeatNow, isRepeat, lastProgress, progress, stopSignal } from './heartbeat';
import { notYet } from './failure';

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

/** What a run saves before it sends something that must not be sent twice. */
const intent = z.object({
  /** ID of this request, which can be withdrawn. */
  id: z.string(),
  /** When it was sent, milliseconds since the epoch. */
  at: z.number(),
  /** How often it was sent. */
  round: z.number(),
  /** Item IDs that existed before. */
  seen: z.array(z.string()),
  /** The result, once known. Contains no unsealed key. */
  answer: z.unknown().optional(),
});
export type Intent = z.infer<typeof intent>;

/** A request that is ready to be sent. */
export interface Request<Reply> {
  /** Item IDs that exist before. */
  readonly seen?: string[];
  /** Sends with these options. */
  readonly send: (options: CallOptions, intent: Intent) => Promise<Reply>;
}

/** A write that no two attempts may send. */
interface OneWrite<Reply, Answer> {
  readonly runId: string;
  /** Identifies the write within its run. */
  readonly name: string;
  /** What a request did whose response was lost; `again` if nothing. Throws "not yet" until that is certain. */
  readonly look: (noted: Intent) => Promise<Answer | 'again'>;
  /**
   * Does everything that must precede the intent, or finds that nothing needs to be sent.
   * @param noted of an earlier request that did nothing
   */
  readonly prepare: (noted?: Intent) => Promise<Request<Reply> | { readonly answer: Answer }>;
  /** Turns the response into the result, which later attempts return. */
  readonly keep: (reply: Reply, intent: Intent) => Promise<Answer>;
}

/**
 * Saves an intent and sends the request, if this attempt still owns its activity. If the portal has started nothing, the
 * intent is withdrawn. Otherwise the next attempt looks before it sends anything. An error says whether any attempt may
 * have written.
 */
export async function postOnce<Reply, Answer extends NonNullable<unknown>>(
  { store }: { readonly store: Store },
  { runId, name, look, prepare, keep }: OneWrite<Reply, Answer>,
): Promise<Answer> {
  const save = (value: Intent): Promise<void> => store.writeJson(keys.intent(runId, name), value);
  const noted = await readIntent(store, runId, name);
  if (noted?.answer !== undefined) return noted.answer as Answer;
  let mayBeThere = noted !== undefined;
  try {
    const found = noted ? await look(noted) : 'again';
    if (noted && found !== 'again') {
      await save({ ...noted, answer: found });
      return found;
    }
    const request = await prepare(noted);
    if ('answer' in request) return request.answer;
    const { seen = [], send } = request;
    // Checked here so that a stale attempt cannot overwrite the intent; FencedWrite checks again before sending.
    await requireCurrentAttempt();
    const sent: Intent = { id: randomUUID(), at: activityTime(), round: (noted?.round ?? 0) + 1, seen };
    await save(sent);
    const write = new FencedWrite();
    const reply = await send(write.options, sent).catch(async (thrown: unknown) => {
      if (write.mayHaveBegun(thrown)) mayBeThere = true;
      // A separate file, because the intent may already be another attempt's.
      else await store.writeJson(keys.withdrawnIntent(runId, name, sent.id), {});
      throw thrown;
    });
    mayBeThere = true;
    const answer = await keep(reply, sent);
    await save({ ...sent, answer });
    return answer;
  } catch (thrown) {
    throw mayBeThere && thrown instanceof PortolanError ? thrown.with({ mayBeThere }) : thrown;
  }
}

/** @returns undefined also if its attempt withdrew it */
export async function readIntent(store: Store, runId: string, name: string): Promise<Intent | undefined> {
  const noted = await store.readJson(keys.intent(runId, name), intent);
  const withdrawal = noted && keys.withdrawnIntent(runId, name, noted.id);
  return withdrawal && (await store.readJson(withdrawal, z.object({}))) ? undefined : noted;
}

/** Lets the write be sent again. */
export const forgetIntent = (store: Store, runId: string, name: string): Promise<void> =>
  store.remove(keys.intent(runId, name));

/** A write whose result the portal shows. */
interface ShownWrite {
  /** Whether the portal already shows it. */
  readonly isThere: () => Promise<boolean>;
  /**
   * @param options for the request that writes
   * @param mayBeThere whether an earlier attempt may have written
   */
  readonly post: (options: CallOptions, mayBeThere: boolean) => Promise<unknown>;
}

/** What attempts know of earlier ones: whether one may have written. */
interface Tried {
  readonly mayBeThere: boolean;
}

/**
 * Writes what the portal does not show yet. After a write whose response was lost it looks first, and only a later
 * attempt sends it again. The error says whether any attempt may have written.
 */
export async function writeOnce({ isThere, post }: ShownWrite): Promise<void> {
  // An attempt that was cut off may have written.
  const mayBeThere = isRepeat() && lastProgress<Tried>().mayBeThere !== false;
  try {
    if (mayBeThere && (await isThere())) return;
  } catch (thrown) {
    throw noted(thrown, true);
  }
  progress({ mayBeThere: true });
  const write = new FencedWrite();
  try {
    await post({ ...write.options, signal: stopSignal() }, mayBeThere);
  } catch (thrown) {
    if (!write.mayHaveBegun(thrown)) throw noted(thrown, mayBeThere);
    // If this check also fails, the next attempt checks again.
    if (!(await isThere().catch(() => false))) throw noted(thrown, true);
  }
}

function noted(thrown: unknown, mayBeThere: boolean): PortolanError {
  progress({ mayBeThere });
  return PortolanError.from(thrown).with({ mayBeThere });
}
