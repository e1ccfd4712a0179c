import { CronDate } from 'cron-parser';
import ms from 'ms';
import type { Window } from '../../model/run/policy';
import { type Cron, isNamedDay, parseCron } from '../../model/schedule/cron';

const DAY_MS = 24 * 3_600_000;

/** A window that does not open within a year never opens. */
const HORIZON_MS = 366 * DAY_MS;

/** Why no import may start now. */
interface Closed {
  /** When one may start; absent if not within a year. @format milliseconds since the epoch */
  readonly until?: number;
  /** As text after the portal name. */
  readonly why: string;
}

/**
 * Whether windows allow an import now; undefined if they do. With several policies, all must allow it. A deny window
 * blocks; with allow windows, everything outside of them is blocked.
 * @param now milliseconds since the epoch
 */
export function closedAt(policies: readonly (readonly Window[])[], now: number): Closed | undefined {
  const zones = new Map<string, Zone>();
  const each = policies.map((windows) => rulesOf(windows, zones));
  let first: Required<Closed> | undefined;
  let at = now;
  while (at <= now + HORIZON_MS) {
    const closed = each.map((rules) => closedBy(rules, at)).find((found) => found !== undefined);
    if (!closed) return first && { ...first, until: at };
    first ??= closed;
    at = closed.until;
  }
  return first && { why: first.why };
}

/** The windows of a policy, read once for all the times at which they are asked. */
interface Rules {
  readonly denies: readonly { readonly from: number; readonly until: number; readonly why: string }[];
  readonly allows: readonly { readonly forMs: number; readonly openings: Openings }[];
  /** Why it is closed outside of what is allowed. */
  readonly why: string;
}

function rulesOf(windows: readonly Window[], zones: Map<string, Zone>): Rules {
  const zoneOf = (timezone: string): Zone => {
    const zone = zones.get(timezone) ?? new Zone(timezone);
    zones.set(timezone, zone);
    return zone;
  };
  const denies = windows
    .filter((window) => window.kind === 'deny')
    .map(({ from, to, timezone, reason }) => {
      const zone = zoneOf(timezone);
      const because = reason === undefined ? '' : `: ${reason}`;
      return {
        from: zone.instantOf(Date.parse(from)),
        until: zone.instantOf(Date.parse(to) + DAY_MS),
        why: `allows no import from ${from} to ${to} (${timezone})${because}`,
      };
    });
  const allows = windows.filter((window) => window.kind === 'allow');
  const within = allows.map(({ cron, forMs, timezone }) => `"${cron}" for ${ms(forMs)} (${timezone})`);
  return {
    denies,
    allows: allows.map(({ cron: text, forMs, timezone }) => {
      const cron = parseCron(text);
      if ('problem' in cron) throw new TypeError(`cron "${text}" ${cron.problem}`);
      return { forMs, openings: new Openings(cron, zoneOf(timezone)) };
    }),
    why: `allows imports only within ${within.join(' or ')}`,
  };
}

/** Why a policy blocks imports at a time, and until when for this reason: `Infinity` if for more than a year. */
function closedBy({ denies, allows, why }: Rules, at: number): Required<Closed> | undefined {
  const denied = denies.find(({ from, until }) => from <= at && at < until);
  if (denied) return { until: denied.until, why: denied.why };
  const isOpen = allows.some(({ forMs, openings }) => openings.next(at - forMs) <= at);
  if (allows.length === 0 || isOpen) return undefined;
  return { until: Math.min(...allows.map(({ openings }) => openings.next(at))), why };
}

/** When a window opens. */
class Openings {
  /** By the midnight of their day on UTC's clock, sorted: a year is asked for in small steps. */
  private readonly days = new Map<number, readonly number[]>();

  constructor(
    private readonly cron: Cron,
    private readonly zone: Zone,
  ) {}

  /** The first one after a time; `Infinity` if none within a year. */
  next(after: number): number {
    const clock = after + this.zone.offsetAt(after);
    const today = Math.floor(clock / DAY_MS) * DAY_MS;
    for (let day = today; day <= today + HORIZON_MS; day += DAY_MS) {
      const later = firstAfter(this.on(day), after);
      if (later !== undefined) return later;
    }
    return Infinity;
  }

  private on(day: number): readonly number[] {
    const known = this.days.get(day);
    if (known) return known;
    const { hours, minutes } = this.cron;
    const openings = isNamedDay(this.cron, new CronDate(day, 'UTC'))
      ? hours.flatMap((hour) =>
          minutes.map((minute) => this.zone.instantOf(day + (hour * 60 + minute) * 60_000)),
        )
      : [];
    openings.sort((one, other) => one - other);
    this.days.set(day, openings);
    return openings;
  }
}

/** The first of sorted times that is after another. */
function firstAfter(times: readonly number[], after: number): number | undefined {
  let [from, to] = [0, times.length];
  while (from < to) {
    const middle = (from + to) >> 1;
    if ((times[middle] ?? Infinity) > after) to = middle;
    else from = middle + 1;
  }
  return times[from];
}

/** The clock of a time zone. */
class Zone {
  /** How far it is ahead of UTC's where a day of UTC begins. Each takes the library some microseconds. */
  private readonly offsets = new Map<number, number>();

  constructor(private readonly timezone: string) {}

  /**
   * When it shows a time: if it shows it twice, the first time, and if it skips it, as much later as it is put forward.
   * @param clock the time at which UTC's clock shows it
   */
  instantOf(clock: number): number {
    const before = this.offsetAt(clock - DAY_MS);
    const after = this.offsetAt(clock + DAY_MS);
    const isShownLater = this.offsetAt(clock - before) !== before && this.offsetAt(clock - after) === after;
    return clock - (isShownLater ? after : before);
  }

  /** How far it is ahead of UTC's; clocks are not changed twice within a day. @format milliseconds */
  offsetAt(at: number): number {
    const day = Math.floor(at / DAY_MS);
    const offset = this.offsetOn(day);
    return offset === this.offsetOn(day + 1) ? offset : this.read(at);
  }

  private offsetOn(day: number): number {
    const known = this.offsets.get(day);
    if (known !== undefined) return known;
    const offset = this.read(day * DAY_MS);
    this.offsets.set(day, offset);
    return offset;
  }

  private read(at: number): number {
    return new CronDate(at, this.timezone).getUTCOffset() * 60_000;
  }
}
