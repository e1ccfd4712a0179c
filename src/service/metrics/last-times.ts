import type { Config } from '../../config/config';
import type { RouteState } from '../../domain/snapshot/retention/route-state';
import { type LastSuccess, nameOf, type RoutineKind, routineKindOf } from './last-successes';

/** Last success of a route and kind. */
export interface LastTime {
  readonly route: string;
  readonly kind: RoutineKind;
  /** Milliseconds since the epoch; absent if there never was one, although it is scheduled. */
  readonly at?: number;
}

/** The latest of runs, snapshots and drill results. */
export function lastTimes(
  { schedules }: Pick<Config, 'schedules'>,
  successes: readonly LastSuccess[],
  states: readonly RouteState[],
): LastTime[] {
  const due = [...schedules.values()].flatMap((schedule): LastTime[] => {
    const kind = routineKindOf(schedule.kind);
    return kind !== undefined && 'route' in schedule ? [{ route: schedule.route, kind }] : [];
  });
  const stored = states.flatMap((state): LastTime[] => [
    { route: state.route, kind: 'backup', at: goodAt(state) },
    { route: state.route, kind: 'drill', at: provenAt(state) },
  ]);
  const times = new Map<string, LastTime>(due.map((each) => [nameOf(each), each]));
  for (const { route, kind, at } of [...stored, ...successes]) {
    const name = nameOf({ route, kind });
    const before = times.get(name)?.at ?? -Infinity;
    if (at !== undefined && at > before) times.set(name, { route, kind, at });
  }
  return [...times.values()];
}

/** When the last good snapshot was taken or confirmed. */
export const goodAt = ({ lastGood }: Pick<RouteState, 'lastGood'>): number | undefined =>
  lastGood && Date.parse(lastGood.confirmedAt ?? lastGood.takenAt);

export const provenAt = ({ lastProven }: Pick<RouteState, 'lastProven'>): number | undefined =>
  lastProven && Date.parse(lastProven.proof.at);
