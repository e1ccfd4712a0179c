import { CronDate } from 'cron-parser';
import ms from 'ms';
import type { Window } from '../../model/run/policy';
import { isNamedDay, parseCron } from '../../model/schedule/cron';

const DAY_MS = 24 * 3_600_000;

/** A window that does not open within a year never opens. */
const HORIZON_MS = 366 * DAY_MS;

/** Why no import may start now. */
export interface Closed {
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
  let first: Closed | undefined;
  let at = now;
  while (at <= now + HORIZON_MS) {
    const closed = policies.map((windows) => closedBy(windows, at)).find((each) => each !== undefined);
    if (!closed) return first && { ...first, until: at };
    first ??= closed;
    if (closed.until === undefined) break;
    at = closed.until;
  }
  return first && { why: first.why };
}

type Allow = Extract<Window, { kind: 'allow' }>;

/** Why a policy blocks imports at a time, and until when for this reason. */
function closedBy(windows: readonly Window[], at: number): Closed | undefined {
  const allows: Allow[] = [];
  for (const window of windows) {
    if (window.kind === 'allow') {
      allows.push(window);
      continue;
    }
    const { from, to, timezone, reason } = window;
    const until = instantOf(Date.parse(to) + DAY_MS, timezone);
    if (at < instantOf(Date.parse(from), timezone) || until <= at) continue;
    const because = reason === undefined ? '' : `: ${reason}`;
    return { until, why: `allows no import from ${from} to ${to} (${timezone})${because}` };
  }
  const isOpen = (allow: Allow): boolean => (nextOpening(allow, at - allow.forMs) ?? Infinity) <= at;
  if (allows.length === 0 || allows.some(isOpen)) return undefined;
  const next = allows.map((allow) => nextOpening(allow, at)).filter((each) => each !== undefined);
  const within = allows.map(({ cron, forMs, timezone }) => `"${cron}" for ${ms(forMs)} (${timezone})`);
  return {
    until: next.length > 0 ? Math.min(...next) : undefined,
    why: `allows imports only within ${within.join(' or ')}`,
  };
}

/** The first time after another at which a window opens. */
function nextOpening({ cron: text, timezone }: Allow, after: number): number | undefined {
  const cron = parseCron(text);
  if ('problem' in cron) throw new TypeError(`cron "${text}" ${cron.problem}`);
  const clock = after + offsetAt(after, timezone);
  const today = Math.floor(clock / DAY_MS) * DAY_MS;
  for (let day = today; day <= today + HORIZON_MS; day += DAY_MS) {
    if (!isNamedDay(cron, new CronDate(day, 'UTC'))) continue;
    const openings = cron.hours.flatMap((hour) =>
      cron.minutes.map((minute) => instantOf(day + (hour * 60 + minute) * 60_000, timezone)),
    );
    const later = openings.filter((opens) => opens > after);
    if (later.length > 0) return Math.min(...later);
  }
  return undefined;
}

/**
 * When the clock of a time zone shows a time: if it shows it twice, the first time, and if it skips it, as much later
 * as it is put forward.
 * @param clock the time at which UTC's clock shows it
 */
function instantOf(clock: number, timezone: string): number {
  const before = offsetAt(clock - DAY_MS, timezone);
  const after = offsetAt(clock + DAY_MS, timezone);
  const isShownLater =
    offsetAt(clock - before, timezone) !== before && offsetAt(clock - after, timezone) === after;
  return clock - (isShownLater ? after : before);
}

/** How far the clock of a time zone is ahead of UTC's. @format milliseconds */
const offsetAt = (at: number, timezone: string): number => new CronDate(at, timezone).getUTCOffset() * 60_000;
