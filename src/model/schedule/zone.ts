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

const clocks = new Map<string, Intl.DateTimeFormat>();

function clockOf(timezone: string): Intl.DateTimeFormat {
  const known = clocks.get(timezone);
  if (known) return known;
  const clock = new Intl.DateTimeFormat('en-US', {
    timeZone: timezone,
    hourCycle: 'h23',
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
  });
  clocks.set(timezone, clock);
  return clock;
}

/** How far the clocks of a time zone are ahead of UTC at a time. @format milliseconds */
export function offsetAt(timezone: string, at: number): number {
  if (timezone === 'UTC') return 0;
  const parts: Partial<Record<Intl.DateTimeFormatPartTypes, number>> = {};
  for (const { type, value } of clockOf(timezone).formatToParts(at)) parts[type] = Number(value);
  const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = parts;
  return Date.UTC(year, month - 1, day, hour, minute, second) - Math.floor(at / 1000) * 1000;
}

/** Clocks that are set. */
export interface ClockChange {
  /** The first moment with the new offset. @format milliseconds since the epoch */
  readonly at: number;
  /** Offsets before and after. @format milliseconds */
  readonly before: number;
  readonly after: number;
}

const DAY = 86_400_000;
const MINUTE = 60_000;

/** When the clocks of a time zone are set between two times. */
export function clockChanges(timezone: string, from: number, to: number): ClockChange[] {
  const changes: ClockChange[] = [];
  for (let day = from; day < to; day += DAY) {
    const before = offsetAt(timezone, day);
    const after = offsetAt(timezone, Math.min(day + DAY, to));
    if (before === after) continue;
    let [low, high] = [Math.floor(day / MINUTE), Math.floor(Math.min(day + DAY, to) / MINUTE)];
    while (high - low > 1) {
      const middle = Math.floor((low + high) / 2);
      if (offsetAt(timezone, middle * MINUTE) === before) low = middle;
      else high = middle;
    }
    changes.push({ at: high * MINUTE, before, after });
  }
  return changes;
}
