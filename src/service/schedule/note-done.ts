import { type ScheduleEvent, scheduleLog } from '../../domain/event-log';
import type { WriteContext } from '../run/run-sources';

/** Logs an action on a schedule for the audit. */
export async function noteDone(
  { config, store, asker: { who, identity } }: WriteContext,
  what: ScheduleEvent['what'],
  schedule: string,
  reason?: string,
): Promise<void> {
  const event = { what, schedule, who, identity, at: Date.now(), reason };
  await scheduleLog(store, config.temporal.taskQueue).note(event);
}
