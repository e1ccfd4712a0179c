import { randomBytes } from 'node:crypto';
import { z } from 'zod';
import { keys } from '../../store/keys';
import { keysUnder, type Store } from '../../store/store';

/** Entries kept per portal. */
const EVENTS_MAX = 200;

/** A freeze or unfreeze. */
export const freezeEvent = z.object({
  what: z.enum(['frozen', 'unfrozen']),
  /** Portal name as typed. */
  portal: z.string(),
  who: z.string().describe('`user@host`'),
  /** Milliseconds since 1970, as far as a date goes. */
  at: z.number().min(0).max(8.64e15),
  reason: z.string().optional(),
});
export type FreezeEvent = z.infer<typeof freezeEvent>;

/** Log of freezes and unfreezes, also ended ones: one file per entry, so that concurrent writers lose nothing. */
export class FreezeLog {
  constructor(private readonly store: Store) {}

  /** @param address of the portal, as `portalIdentity` has it */
  async note(address: string, event: FreezeEvent): Promise<void> {
    const noted = await keysUnder(this.store, keys.freezeLog(address));
    await this.store.writeJson(
      keys.freezeEvent(address, event.at, randomBytes(4).toString('hex')),
      freezeEvent.parse(event),
    );
    const tooMany = noted.slice(0, Math.max(0, noted.length + 1 - EVENTS_MAX));
    for (const key of tooMany) await this.store.remove(key);
  }

  /**
   * Entries, newest first, and keys of unreadable files.
   * @param address of one portal. @default every portal that ever was frozen
   */
  async read(address?: string): Promise<{ events: FreezeEvent[]; unreadable: string[] }> {
    const events: FreezeEvent[] = [];
    const unreadable: string[] = [];
    const prefix = address === undefined ? keys.freezeLogs : keys.freezeLog(address);
    for (const key of await keysUnder(this.store, prefix)) {
      const event = await this.store.readJson(key, freezeEvent).catch(() => null);
      if (event) events.push(event);
      else if (event === null) unreadable.push(key);
    }
    return { events: events.sort((one, other) => other.at - one.at), unreadable };
  }
}
