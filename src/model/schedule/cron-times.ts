import type { Cron } from './cron';
import { clockChanges, offsetAt } from './zone';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
/** Offsets of time zones change at these only. */
const QUARTER = 15 * MINUTE;

/**
 * The times at which a cron expression is due, from one time to another, both included; in milliseconds since the
 * epoch. The clock of the zone is taken at its word, as Temporal does: an hour that the clocks leave out has no times,
 * and one that they show twice has them twice.
 */
export function* dueTimes(cron: Cron, timezone: string, from: number, to: number): Generator<number> {
  for (let quarter = Math.floor(from / QUARTER) * QUARTER; quarter <= to; quarter += QUARTER) {
    const local = new Date(quarter + offsetAt(timezone, quarter));
    if (!isDueDay(cron, local)) {
      // On to the end of the day, less what the clocks may be set by on it.
      quarter += Math.max(0, 20 - local.getUTCHours()) * HOUR;
      continue;
    }
    if (!cron.hours.includes(local.getUTCHours())) continue;
    const minute = local.getUTCMinutes();
    for (const due of cron.minutes) {
      if (due < minute || due >= minute + 15) continue;
      const at = quarter + (due - minute) * MINUTE;
      if (at >= from && at <= to) yield at;
    }
  }
}

const isDueDay = ({ months, daysOfMonth, daysOfWeek }: Cron, local: Date): boolean =>
  months.includes(local.getUTCMonth() + 1) &&
  daysOfMonth.includes(local.getUTCDate()) &&
  daysOfWeek.includes(local.getUTCDay());

/** A day that has a due time of the clock twice, or not at all. */
export interface OddDay {
  /** `2027-03-28` */
  readonly date: string;
  /** `02:30`, the first of them. */
  readonly time: string;
  readonly starts: 'never' | 'twice';
}

/** Due times that the clocks of a zone leave out or repeat when they are set, within a year. */
export function oddDays(cron: Cron, timezone: string, from: number): OddDay[] {
  // What is due each hour has no time of the day that somebody would miss.
  if (cron.hours.length === 24) return [];
  return clockChanges(timezone, from, from + 366 * 86_400_000).flatMap(({ at, before, after }) => {
    const first = at + Math.min(before, after);
    const [odd] = dueTimes(cron, 'UTC', first, first + Math.abs(after - before) - 1);
    if (odd === undefined) return [];
    const [date = '', time = ''] = new Date(odd).toISOString().split('T');
    return [
      { date, time: time.slice(0, 5), starts: after > before ? ('never' as const) : ('twice' as const) },
    ];
  });
}
