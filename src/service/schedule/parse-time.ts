import { CronDate } from 'cron-parser';

/** A period typed as `2026-11-21` or `2026-11-21T03:00`: a day, or a moment. */
export interface TimeSpan {
  /** Both in milliseconds since the epoch, and both included. */
  readonly first: number;
  readonly last: number;
}

/** Of ISO 8601, in the time zone unless it says one itself; undefined for anything else. */
export function parseTimeSpan(text: string, timezone: string): TimeSpan | undefined {
  const [, day, time, zone = ''] =
    /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d(?::\d\d)?)(Z|[+-]\d\d:\d\d)?)?$/.exec(text.trim()) ?? [];
  if (day === undefined) return undefined;
  try {
    const at = new CronDate(`${day}T${time ?? '00:00'}${zone}`, timezone);
    const first = at.getTime();
    if (time === undefined) at.setEndOfDay();
    return { first, last: at.getTime() };
  } catch {
    // Invalid days and times.
    return undefined;
  }
}
