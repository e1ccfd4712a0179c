import { CronDate } from 'cron-parser';

export const DAY_MS = 24 * 3_600_000;

/** Whether it is the name of a time zone, such as `Europe/Berlin`. */
export function isTimeZone(name: string): boolean {
  // Offsets such as `+02:00` are known here, but not to Temporal's server.
  if (!/^[A-Za-z]/.test(name)) return false;
  try {
    const { timeZone } = new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions();
    // Any case is known here, but the server looks for a file of that name.
    return timeZone === name || timeZone.toLowerCase() !== name.toLowerCase();
  } catch {
    return false;
  }
}

/**
 * What the clock of a time zone shows at a time, to the minute, as the time at which UTC's clock shows the same.
 * @param at milliseconds since the epoch
 */
export function clockAt(at: number, timezone: string): number {
  const clock = new CronDate(at, timezone);
  return Date.UTC(
    clock.getFullYear(),
    clock.getMonth(),
    clock.getDate(),
    clock.getHours(),
    clock.getMinutes(),
  );
}

/**
 * When the clock of a time zone shows these times of one day, in the form of `clockAt`: of a time that it shows twice
 * the first, and for one that it skips as much later as it is put forward.
 */
export function timesOfDay(day: number, clocks: readonly number[], timezone: string): number[] {
  const offset = (at: number): number => clockAt(at, timezone) - at;
  const before = offset(day - DAY_MS);
  const after = offset(day + 2 * DAY_MS);
  if (before === after) return clocks.map((clock) => clock - before);
  return clocks.map((clock) => {
    const shown = [clock - before, clock - after].filter((at) => clockAt(at, timezone) === clock);
    return shown.length > 0 ? Math.min(...shown) : clock - before;
  });
}

/** The day that a clock shows, in the form of `clockAt`. */
export const dayOf = (clock: number): number => Math.floor(clock / DAY_MS) * DAY_MS;
