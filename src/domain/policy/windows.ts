import { CronDate } from 'cron-parser';
import ms from 'ms';
import type { Window } from '../../model/run/policy';
import { type Cron, isNamedDay, parseCron } from '../../model/schedule/cron';
import { clockAt, DAY_MS, dayOf, timesOfDay } from '../../model/schedule/time-zone';

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
  const rules = policies.map(rulesOf);
  let at = now;
  let why: string | undefined;
  while (at <= now + HORIZON_MS) {
    const closed = rules.map((each) => closedBy(each, at)).find((each) => each !== undefined);
    if (!closed) return why === undefined ? undefined : { until: at, why };
    why ??= closed.why;
    if (closed.until === undefined) break;
    at = closed.until;
  }
  return { why: why ?? 'no window opens' };
}

interface Allow {
  readonly cron: Cron;
  readonly forMs: number;
  readonly timezone: string;
  readonly words: string;
}

interface Deny {
  /** @format milliseconds since the epoch */
  readonly from: number;
  /** The first moment that is not denied. @format milliseconds since the epoch */
  readonly until: number;
  readonly words: string;
}

/** One policy's windows, read. */
interface WindowRules {
  readonly allows: readonly Allow[];
  readonly denies: readonly Deny[];
}

function rulesOf(windows: readonly Window[]): WindowRules {
  const allows: Allow[] = [];
  const denies: Deny[] = [];
  for (const window of windows) {
    if (window.kind === 'allow') {
      const { forMs, timezone } = window;
      const cron = parseCron(window.cron);
      if ('problem' in cron) throw new TypeError(`cron "${window.cron}" ${cron.problem}`);
      allows.push({ cron, forMs, timezone, words: `"${window.cron}" for ${ms(forMs)} (${timezone})` });
    } else {
      const { from, to, timezone, reason } = window;
      denies.push({
        from: beginOf(Date.parse(from), timezone),
        until: beginOf(Date.parse(to) + DAY_MS, timezone),
        words: `${from} to ${to} (${timezone})${reason === undefined ? '' : `: ${reason}`}`,
      });
    }
  }
  return { allows, denies };
}

/** When a day begins in a time zone. */
function beginOf(day: number, timezone: string): number {
  const [begin = day] = timesOfDay(day, [day], timezone);
  return begin;
}

/** Why a policy blocks imports at a time, and until when for this reason. */
function closedBy({ allows, denies }: WindowRules, at: number): Closed | undefined {
  const denied = denies.find(({ from, until }) => from <= at && at < until);
  if (denied) return { until: denied.until, why: `allows no import from ${denied.words}` };
  if (allows.length === 0 || allows.some((allow) => isOpen(allow, at))) return undefined;
  const next = allows.map((allow) => nextOpening(allow, at)).filter((each) => each !== undefined);
  return {
    until: next.length > 0 ? Math.min(...next) : undefined,
    why: `allows imports only within ${allows.map(({ words }) => words).join(' or ')}`,
  };
}

/** Whether it has opened and is still open. */
function isOpen(allow: Allow, at: number): boolean {
  const { forMs, timezone } = allow;
  const first = dayOf(clockAt(at - forMs, timezone));
  for (let day = dayOf(clockAt(at, timezone)); day >= first; day -= DAY_MS)
    if (openingsOn(allow, day).some((opens) => opens <= at && at < opens + forMs)) return true;
  return false;
}

function nextOpening(allow: Allow, at: number): number | undefined {
  const today = dayOf(clockAt(at, allow.timezone));
  for (let day = today; day <= today + HORIZON_MS; day += DAY_MS) {
    const later = openingsOn(allow, day).filter((opens) => opens > at);
    if (later.length > 0) return Math.min(...later);
  }
  return undefined;
}

function openingsOn({ cron, timezone }: Allow, day: number): number[] {
  if (!isNamedDay(cron, new CronDate(day, 'UTC'))) return [];
  const clocks = cron.hours.flatMap((hour) =>
    cron.minutes.map((minute) => day + (hour * 60 + minute) * 60_000),
  );
  return timesOfDay(day, clocks, timezone);
}
