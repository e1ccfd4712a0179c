import { offsetAt } from '../../model/schedule/zone';

const DAY = 86_400_000;

/** A span of time that somebody means by `2026-11-21` or `2026-11-21T03:00`: a day, or a moment. */
export interface Moment {
  /** Both in milliseconds since the epoch, and both included. */
  readonly first: number;
  readonly last: number;
}

/** Of ISO 8601, in the time zone unless it says one itself; undefined for anything else. */
export function parseMoment(text: string, timezone: string): Moment | undefined {
  const [, day, time, zone] =
    /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d(?::\d\d)?))?(Z|[+-]\d\d:\d\d)?$/.exec(text.trim()) ?? [];
  if (day === undefined || (time === undefined && zone !== undefined)) return undefined;
  const local = Date.parse(`${day}T${time ?? '00:00'}Z`);
  // Days that no month has are moved on by the parser of dates.
  if (Number.isNaN(local) || !new Date(local).toISOString().startsWith(day)) return undefined;
  if (zone !== undefined) {
    const at = Date.parse(`${day}T${time}${zone}`);
    return Number.isNaN(at) ? undefined : { first: at, last: at };
  }
  const first = atLocal(local, timezone);
  return { first, last: time === undefined ? atLocal(local + DAY, timezone) - 1 : first };
}

/** The moment at which the clocks of the zone show this; where they are set, the offset after it counts. */
function atLocal(local: number, timezone: string): number {
  const guess = local - offsetAt(timezone, local);
  return local - offsetAt(timezone, guess);
}
