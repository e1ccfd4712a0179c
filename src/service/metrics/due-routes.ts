import type { RunSources } from '../run/run-sources';
import { serverSchedules, startOfSchedule } from '../schedule/server-schedules';
import { nameOf, type RoutineKind, routineKindOf } from './last-successes';

/** A route that is to have a run of a kind again and again, by the schedule that starts one most often. */
export interface DueRoute {
  readonly route: string;
  readonly kind: RoutineKind;
  /** When that schedule was made. @format milliseconds since the epoch */
  readonly since: number;
  /** The longest time between two of its next starts: over the weekend, of one for working days. @format milliseconds */
  readonly everyMs: number;
}

/** One start that fails is mended by the next one; a second one is nobody's plan. */
const MISSED_STARTS = 2;
/** Runs take their time, however often they are started. @format milliseconds */
const OVERDUE_AFTER_MS = 3_600_000;

/** What schedules start that are not paused, by Temporal itself, whoever made them. */
export async function readDueRoutes({ config, temporal }: Required<RunSources>): Promise<DueRoute[]> {
  const due = new Map<string, DueRoute>();
  for (const schedule of await serverSchedules(temporal, config)) {
    const { info, state } = schedule.description;
    const { route = '', kind: started } = startOfSchedule(schedule);
    const kind = routineKindOf(started);
    const everyMs = longestPause(info.nextActionTimes);
    if (kind === undefined || everyMs === undefined || state.paused || !config.routes.has(route)) continue;
    const name = nameOf({ route, kind });
    if (everyMs < (due.get(name)?.everyMs ?? Infinity))
      due.set(name, { route, kind, everyMs, since: info.createdAt.getTime() });
  }
  return [...due.values()];
}

function longestPause(starts: readonly Date[]): number | undefined {
  const pauses = starts.slice(1).map((start, at) => start.getTime() - starts[at]!.getTime());
  return pauses.length === 0 ? undefined : Math.max(...pauses);
}

/** Whether starts were due since the last success, or since the schedule was made, none of which came to one. */
export const isOverdue = ({ since, everyMs }: DueRoute, lastAt = 0, now = Date.now()): boolean =>
  now - Math.max(lastAt, since) > Math.max(MISSED_STARTS * everyMs, OVERDUE_AFTER_MS);
