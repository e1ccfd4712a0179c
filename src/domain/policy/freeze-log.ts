import { randomBytes } from 'node:crypto';
import { z } from 'zod';
import { keys } from '../../store/keys';
import type { Store } from '../../store/store';

/** Of one portal; the oldest go. */
const EVENTS_MAX = 200;

/** That a portal was frozen, or may be written into again. */
export const freezeEvent = z.object({
  what: z.enum(['frozen', 'unfrozen']),
  /** As whoever did it called the portal. */
  portal: z.string(),
  who: z.string().describe('`user@host`'),
  /** Milliseconds since 1970, as far as a date goes. */
  at: z.number().min(0).max(8.64e15),
  reason: z.string().optional(),
});
export type FreezeEvent = z.infer<typeof freezeEvent>;

/**
 * Who froze which portal and who undid it, kept in the store when it is long over: a note for each, so that two who
 * write at a time lose nothing.
 */
export class FreezeLog {
  constructor(private readonly store: Store) {}

  /** @param address of the portal, as `portalIdentity` has it */
  async note(address: string, event: FreezeEvent): Promise<void> {
    const noted = await this.keysUnder(keys.freezeLog(address));
    await this.store.writeJson(
      keys.freezeEvent(address, event.at, randomBytes(4).toString('hex')),
      freezeEvent.parse(event),
    );
    const tooMany = noted.slice(0, Math.max(0, noted.length + 1 - EVENTS_MAX));
    for (const key of tooMany) await this.store.remove(key);
  }

  /**
   * What was noted, the newest first, and the keys of what cannot be read.
   * @param address of one portal. @default every portal that ever was frozen
   */
  async read(address?: string): Promise<{ events: FreezeEvent[]; unreadable: string[] }> {
    const events: FreezeEvent[] = [];
    const unreadable: string[] = [];
    const prefix = address === undefined ? keys.freezeLogs : keys.freezeLog(address);
    for (const key of await this.keysUnder(prefix)) {
      const event = await this.store.readJson(key, freezeEvent).catch(() => null);
      if (event) events.push(event);
      else if (event === null) unreadable.push(key);
    }
    return { events: events.sort((one, other) => other.at - one.at), unreadable };
  }

  private async keysUnder(prefix: string): Promise<string[]> {
    const found: string[] = [];
    for await (const key of this.store.list(prefix)) found.push(key);
    return found;
  }
}
