import { randomBytes } from 'node:crypto';
import { z } from 'zod';
import { mapLimited } from '../model/map-limited';
import { action } from '../model/run/run';
import { keys } from '../store/keys';
import { keysUnder, type Store } from '../store/store';

/** Entries kept per configuration. */
const EVENTS_MAX = 1_000;
/** Notes that are read at a time. */
const CONCURRENCY = 16;

/** A pause, resume or trigger of a schedule. */
const scheduleEvent = z.object({
  what: z.enum(['pause', 'resume', 'trigger']),
  schedule: z.string(),
  who: z.string(),
  identity: action.shape.identity,
  /** Milliseconds since 1970, as far as a date goes. */
  at: z.number().min(0).max(8.64e15),
  reason: z.string().optional(),
});
export type ScheduleEvent = z.infer<typeof scheduleEvent>;

/** Log of actions on the schedules of a task queue, one file each. */
export class ScheduleLog {
  constructor(
    private readonly store: Store,
    private readonly taskQueue: string,
  ) {}

  async note(event: ScheduleEvent): Promise<void> {
    const noted = await this.keys();
    const key = keys.scheduleEvent(this.taskQueue, event.at, randomBytes(4).toString('hex'));
    await this.store.writeJson(key, scheduleEvent.parse(event));
    for (const old of noted.slice(0, Math.max(0, noted.length + 1 - EVENTS_MAX)))
      await this.store.remove(old);
  }

  /** The newest first, and how many cannot be read. */
  async read(): Promise<{ events: ScheduleEvent[]; unreadable: number }> {
    const noted = await this.keys();
    const read = await mapLimited(noted, CONCURRENCY, (key) =>
      this.store.readJson(key, scheduleEvent).catch(() => null),
    );
    const events = read.flatMap((event) => event ?? []);
    return {
      events: events.sort((one, other) => other.at - one.at),
      unreadable: read.filter((event) => event === null).length,
    };
  }

  /** In the order of time. */
  private async keys(): Promise<string[]> {
    return await keysUnder(this.store, keys.scheduleLog(this.taskQueue));
  }
}
