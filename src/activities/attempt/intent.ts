import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import type { CallOptions } from '../../portal/http/request';
import { keys } from '../../store/keys';
import type { Store } from '../../store/store';
import { FencedWrite, requireOurs } from './fence';

/** What a run saves before it sends something that must not be sent twice. */
const intent = z.object({
  /** ID of this request, which can be withdrawn. */
  id: z.string().optional(),
  /** When it was sent, milliseconds since the epoch. */
  at: z.number(),
  /** How often it was sent. */
  round: z.number(),
  /** Item IDs that existed before. */
  seen: z.array(z.string()),
  /** Fingerprint of what the request changes, and since when it has not changed. */
  fingerprint: z.string().optional(),
  stillSince: z.number().optional(),
  /** The response, once received. Contains no unsealed key. */
  answer: z.unknown().optional(),
});
export type Intent = z.infer<typeof intent>;

/** The intent of one write of a run, saved in the store for all workers. */
export class IntentFile {
  private readonly key: string;

  constructor(
    private readonly store: Store,
    private readonly runId: string,
    private readonly name: string,
  ) {
    this.key = keys.intent(runId, name);
  }

  /** @returns undefined also if its attempt withdrew it */
  async read(): Promise<Intent | undefined> {
    const noted = await this.store.readJson(this.key, intent);
    if (noted?.id === undefined) return noted;
    const withdrawn = await this.store.readJson(this.withdrawalKey(noted.id), z.object({}));
    return withdrawn ? undefined : noted;
  }

  write(value: Intent): Promise<void> {
    return this.store.writeJson(this.key, value);
  }

  clear(): Promise<void> {
    return this.store.remove(this.key);
  }

  /**
   * Saves the intent and sends the request, if this attempt still owns its activity. If the portal has started nothing,
   * withdraws the intent. Otherwise the next attempt looks before it sends anything.
   * @param send sends with these options, without a signal, since a sent request must get its response
   */
  async post<Answer>(value: Intent, send: (options: CallOptions) => Promise<Answer>): Promise<Answer> {
    await requireOurs();
    const id = randomUUID();
    await this.write({ ...value, id });
    const write = new FencedWrite();
    try {
      return await send(write.options);
    } catch (thrown) {
      // A separate file, because the intent may already be another attempt's.
      if (!write.mayHaveBegun(thrown)) await this.store.writeJson(this.withdrawalKey(id), {});
      throw thrown;
    }
  }

  private withdrawalKey(id: string): string {
    return keys.withdrawnIntent(this.runId, this.name, id);
  }
}
