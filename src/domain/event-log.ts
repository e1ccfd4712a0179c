import { randomBytes } from 'node:crypto';
import { z, type ZodType } from 'zod';
import { mapLimited } from '../model/map-limited';
import { action } from '../model/run/run';
import { eventName, keys } from '../store/keys';
import { keysUnder, type Store, STORE_READS_AT_A_TIME } from '../store/store';

/** Entries kept in a log. */
const EVENTS_MAX = 1_000;

const anyEvent = {
  who: z.string(),
  /** Milliseconds since 1970, as far as a date goes. */
  at: z.number().min(0).max(8.64e15),
  reason: z.string().optional(),
};

/** A freeze or unfreeze. */
const freezeEvent = z.object({
  what: z.enum(['frozen', 'unfrozen']),
  /** Portal name as typed. */
  portal: z.string(),
  ...anyEvent,
});
export type FreezeEvent = z.infer<typeof freezeEvent>;

/** A release that was blocked or unblocked. */
const blockEvent = z.object({ what: z.enum(['block', 'unblock']), release: z.string(), ...anyEvent });

/** A pause, resume or trigger of a schedule. */
const scheduleEvent = z.object({
  what: z.enum(['pause', 'resume', 'trigger']),
  schedule: z.string(),
  identity: action.shape.identity,
  ...anyEvent,
});
export type ScheduleEvent = z.infer<typeof scheduleEvent>;

/** Log of freezes and unfreezes, also ended ones. @param address of one portal. @default of all */
export const freezeLog = (store: Store, address?: string): EventLog<FreezeEvent> =>
  new EventLog(store, address === undefined ? keys.freezeLogs : keys.freezeLog(address), freezeEvent);

/** Log of actions on the schedules of a task queue. */
export const scheduleLog = (store: Store, taskQueue: string): EventLog<ScheduleEvent> =>
  new EventLog(store, keys.scheduleLog(taskQueue), scheduleEvent);

/** Log of blocked and unblocked releases. */
export const blockLog = (store: Store) => new EventLog(store, keys.blockLog, blockEvent);

/** Actions of people in a folder of the store: one file each, so that concurrent writers lose nothing. */
class EventLog<Event extends { readonly at: number }> {
  constructor(
    private readonly store: Store,
    private readonly folder: string,
    private readonly schema: ZodType<Event>,
  ) {}

  async note(event: Event): Promise<void> {
    const noted = await keysUnder(this.store, this.folder);
    const name = eventName(event.at, randomBytes(4).toString('hex'));
    await this.store.writeJson(`${this.folder}${name}`, this.schema.parse(event));
    const tooMany = noted.slice(0, Math.max(0, noted.length + 1 - EVENTS_MAX));
    for (const old of tooMany) await this.store.remove(old);
  }

  /** Entries, newest first, and keys of unreadable files. */
  async read(): Promise<{ events: Event[]; unreadable: string[] }> {
    const unreadable: string[] = [];
    const noted = await keysUnder(this.store, this.folder);
    const read = await mapLimited(noted, STORE_READS_AT_A_TIME, async (key) => {
      try {
        return await this.store.readJson(key, this.schema);
      } catch {
        unreadable.push(key);
        return undefined;
      }
    });
    const events = read.filter((event) => event !== undefined);
    return { events: events.sort((one, other) => other.at - one.at), unreadable };
  }
}
