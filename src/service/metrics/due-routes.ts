import type { ReadContext } from '../run/run-sources';
import { CronDate } from 'cron-parser';
import { isNamedDay } from '../../model/schedule/cron';
import { cronOnServer, timesOnServer } from '../schedule/schedule-fields';
import { type ListedSchedule, listSchedules } from '../schedule/server-schedules';
import { nameOf, type RoutineKind, routineKindOf } from './last-successes';

/** A route with scheduled runs of a kind, by its most frequent schedule. */
export interface DueRoute {
  readonly route: string;
  readonly kind: RoutineKind;
  /** When that schedule was created; 0 if another tool wrote its times. @format milliseconds since the epoch */
  readonly since: number;
  /** The longest interval between its next starts, such as a weekend. @format milliseconds */
  readonly everyMs: number;
}

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** The next start makes up for one failure, but not for two. */
const MISSED_STARTS = 2;
/** Allowance for the duration of runs. @format milliseconds */
const OVERDUE_AFTER_MS = 3_600_000;

/** Starts of schedules that are not paused, by Temporal's list. */
export async function readDueRoutes({ config, temporal }: Required<ReadContext>): Promise<DueRoute[]> {
  const due = new Map<string, DueRoute>();
  for (const schedule of await listSchedules(temporal, config)) {
    const { route = '', kind: started, spec, state } = schedule;
    const kind = routineKindOf(started);
    const everyMs = longestPause(schedule);
    if (kind === undefined || everyMs === undefined || state.paused || !config.routes.has(route)) continue;
    const name = nameOf({ route, kind });
    if (everyMs < (due.get(name)?.everyMs ?? Infinity))
      due.set(name, { route, kind, everyMs, since: timesOnServer(spec)?.createdAt ?? 0 });
  }
  return [...due.values()];
}

function longestPause({ spec, info }: ListedSchedule): number | undefined {
  const starts = info.nextActionTimes.map((start) => start.getTime());
  const pauses = [...pausesOf(starts), ...pausesOf(startsOfTwoWeeks(spec))];
  return pauses.length === 0 ? undefined : Math.max(...pauses);
}

const pausesOf = (starts: readonly number[]): number[] =>
  starts.slice(1).map((start, at) => start - starts[at]!);

/** The list has five starts, which may miss the weekend of a schedule for working days. */
function startsOfTwoWeeks(spec: ListedSchedule['spec']): number[] {
  const cron = cronOnServer(spec);
  if (cron === undefined) return [];
  const times = cron.hours.flatMap((hour) =>
    cron.minutes.map((minute) => hour * HOUR_MS + minute * MINUTE_MS),
  );
  const days = Array.from({ length: 14 }, (_, day) => day);
  return days
    .filter((day) => isNamedDay(cron, new CronDate(Date.now() + day * DAY_MS, spec.timezone || 'UTC')))
    .flatMap((day) => times.map((time) => day * DAY_MS + time));
}

/** Whether starts were due since the last success, or since the schedule was created, and none succeeded. */
export const isOverdue = ({ since, everyMs }: DueRoute, lastAt = 0, now = Date.now()): boolean =>
  now - Math.max(lastAt, since) > Math.max(MISSED_STARTS * everyMs, OVERDUE_AFTER_MS);
