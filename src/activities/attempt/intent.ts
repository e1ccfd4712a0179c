import { z } from 'zod';
import type { CallOptions } from '../../portal/http/request';
import { keys } from '../../store/keys';
import type { Store } from '../../store/store';
import { FencedWrite, isOurs, requireOurs } from './fence';

/** What a run noted before it posted something that must not be posted twice. */
const intent = z.object({
  /** When it was posted, milliseconds since the epoch. */
  at: z.number(),
  /** How often it was posted. */
  round: z.number(),
  /** Item ids that were there before. */
  seen: z.array(z.string()),
  /** Fingerprint of what the post changes, and since when it stands still. */
  fingerprint: z.string().optional(),
  stillSince: z.number().optional(),
  /** The answer, once it came. Holds no unsealed key. */
  answer: z.unknown().optional(),
});
export type Intent = z.infer<typeof intent>;

/** The intent of one write of one run, kept in the store so that any worker can look. */
export class IntentFile {
  private readonly key: string;

  constructor(
    private readonly store: Store,
    runId: string,
    name: string,
  ) {
    this.key = keys.intent(runId, name);
  }

  read(): Promise<Intent | undefined> {
    return this.store.readJson(this.key, intent);
  }

  write(value: Intent): Promise<void> {
    return this.store.writeJson(this.key, value);
  }

  clear(): Promise<void> {
    return this.store.remove(this.key);
  }

  /**
   * Notes the intent and sends the request, if this attempt still has its call. If the portal has begun nothing, the note
   * is removed. Otherwise it stays, and the next attempt looks before it sends anything.
   * @param send sends with these options; they hold no signal, since a sent request must get its response
   */
  async post<Answer>(value: Intent, send: (options: CallOptions) => Promise<Answer>): Promise<Answer> {
    await requireOurs();
    await this.write(value);
    const write = new FencedWrite();
    try {
      return await send(write.options);
    } catch (thrown) {
      if (!write.mayHaveBegun(thrown) && (await isOurs())) await this.clear();
      throw thrown;
    }
  }
}
