import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { PortolanError } from '../../model/errors/errors';
import type { CallOptions } from '../../portal/http/request';
import { keys } from '../../store/keys';
import type { Store } from '../../store/store';
import { activityTime } from './clock';
import { FencedWrite, requireCurrentAttempt } from './fence';

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
