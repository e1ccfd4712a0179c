import type { MetricMeter, MetricGauge } from '@temporalio/common';
import { exactDuration } from '../../model/text/words';
import type { Notice } from '../../model/run/notification';
import {
  type AgeLook,
  ageNote,
  type AgeNote,
  type WatchedRoute,
  type WatchInput,
} from '../../model/snapshot/watch-age';
import { parseRuleRoute, protectedRoute } from '../../model/snapshot/rule-route';
import { knownGroups } from '../../domain/protect/rule-groups';
import {
  type KnownSnapshot,
  lastGoodIn,
  listSnapshots,
  heldAt,
  type SnapshotListing,
} from '../../domain/snapshot/list-snapshots';
import { readUnaltered } from '../../store/authentic/authentic-store';
import { keys } from '../../store/keys';
import type { Store } from '../../store/store';
import type { ActivityDeps } from '../deps';
import { activityTime } from '../attempt/heartbeat';
import type { RouteConfig } from '../../config/config';
import { namedSnapshots } from '../../domain/snapshot/named-snapshots';
import { readRouteStates } from '../../domain/snapshot/retention/route-state';
import type { Snapshots } from '../../domain/snapshot/snapshots';

/** How often people are notified of an overdue route. */
const AGAIN_MS = 24 * 3_600_000;

/** Checks the age of each route's last good snapshot, and says which notifications are due. Writes nothing. */
export async function lookAtAges(
  { snapshots, store }: ActivityDeps,
  { watch: { routes }, watchId }: OfWatch & { readonly watchId: string },
): Promise<AgeLook[]> {
  const listing = await listSnapshots(snapshots);
  const now = activityTime();
  return await Promise.all(
    routes.map(async (route) => {
      const { value: noted } = await readUnaltered(store, keyOf(route), ageNote);
      const last = await worstOf(store, listing, route.name, now);
      return lookAt(route, last, noted, { now, watchId });
    }),
  );
}

/** The last good snapshot of a route; of a rule that of its worst group, and none if a group has none. */
async function worstOf(
  store: Store,
  listing: SnapshotListing,
  route: string,
  now: number,
): Promise<KnownSnapshot | undefined> {
  if (parseRuleRoute(route) === undefined) return lastGoodIn(listing, route);
  const { groups = [] } = (await store.readJson(keys.ruleGroups(route), knownGroups)) ?? {};
  const each = groups.map(({ id }) => lastGoodIn(listing, protectedRoute(route, id)));
  const found = each.filter((last) => last !== undefined);
  if (found.length < groups.length) return undefined;
  const age = (last: KnownSnapshot): number => heldAt(last, now) ?? -Infinity;
  return found.toSorted((one, other) => age(one) - age(other))[0];
}

/** Records a notification, so that the next is sent tomorrow and not in a quarter of an hour. */
export async function noteAge(
  { store }: ActivityDeps,
  { route, note }: OfWatch & Required<Pick<AgeLook, 'route' | 'note'>>,
): Promise<void> {
  if (note === null) await store.remove(keyOf(route));
  else await store.writeJson(keyOf(route), note);
}

/** What was signed for the watch that calls (src/activities/attempt/callers.ts). */
interface OfWatch {
  readonly watch: WatchInput;
}

const keyOf = ({ name, groupId }: WatchedRoute): string => keys.age({ name, source: { groupId } });

function lookAt(
  route: WatchedRoute,
  last: KnownSnapshot | undefined,
  noted: AgeNote | undefined,
  { now, watchId }: { readonly now: number; readonly watchId: string },
): AgeLook {
  const { name, groupId, maxAgeMs } = route;
  const goodAt = last && heldAt(last, now);
  const since = noted?.since ?? new Date(now).toISOString();
  // With no snapshot, or one dated in the future, the allowed age counts from the start of watching.
  const ageMs = now - (goodAt ?? Date.parse(since));
  const common = {
    about: 'age' as const,
    runId: last?.manifest.runId ?? watchId,
    route: { name, source: { groupId } },
    target: 'untouched' as const,
  };
  if (ageMs <= maxAgeMs) {
    if (!last || goodAt === undefined)
      return { route, ageMs, note: noted ? undefined : { since, notified: 0 } };
    if (!noted?.notified) return { route, ageMs };
    const notice: Notice = {
      ...common,
      event: 'recovered',
      status: 'succeeded',
      reason: `snapshot ${last.manifest.id}`,
      commands: ['portolan snapshot list'],
      count: 1,
    };
    return { route, ageMs, notice, note: null };
  }
  const isNotified = noted?.notifiedAt !== undefined && now - Date.parse(noted.notifiedAt) < AGAIN_MS;
  if (isNotified) return { route, ageMs };
  const count = (noted?.notified ?? 0) + 1;
  const seen = seenWords(last, goodAt === undefined ? undefined : ageMs);
  const notice: Notice = {
    ...common,
    event: 'overdue',
    status: 'failed',
    reason: `${seen}; the maximum age is ${exactDuration(maxAgeMs)}`,
    commands: ['portolan schedule list', backupCommand(name)],
    count,
  };
  return { route, ageMs, notice, note: { since, notified: count, notifiedAt: new Date(now).toISOString() } };
}

function backupCommand(route: string): string {
  const { portal, rule } = parseRuleRoute(route) ?? {};
  return rule === undefined ? `portolan backup create ${route}` : `portolan protect run ${portal}/${rule}`;
}

function seenWords(last: KnownSnapshot | undefined, ageMs: number | undefined): string {
  if (!last) return 'it has none';
  const named = `the last one, ${last.manifest.id},`;
  return ageMs === undefined ? `${named} is dated in the future` : `${named} was good ${hours(ageMs)} ago`;
}

const hours = (milliseconds: number): string =>
  milliseconds < 3_600_000
    ? `${Math.floor(milliseconds / 60_000)}m`
    : `${Math.floor(milliseconds / 3_600_000)}h`;

/** Reading a bucket's snapshots costs a request each, and alerts are about hours. */
const RECORD_EVERY_MS = 5 * 60_000;

/**
 * Records a worker's Prometheus metrics per route, besides the SDK's, now and every few minutes: when its last good
 * snapshot was taken or found unchanged, and when one was last proven by a drill; 0 is never. All workers report the
 * same. An alert needs no more: `time() - portolan_last_good_snapshot_timestamp_seconds > 129600`.
 * @param routes have a gauge before their first backup or drill, so that an alert fires
 * @param failed called with the reason if the store cannot be read; earlier values stay
 * @returns stops it
 */
export function recordRouteMetrics(
  meter: MetricMeter,
  routes: readonly Pick<RouteConfig, 'name' | 'backup'>[],
  snapshots: Snapshots,
  failed: (why: unknown) => void,
  everyMs = RECORD_EVERY_MS,
): () => void {
  const good = routeGauge(
    meter.createGauge(
      'portolan_last_good_snapshot_timestamp_seconds',
      'int',
      's',
      'last good snapshot of a route',
    ),
    routes.filter(({ backup }) => backup.maxAgeMs !== undefined),
  );
  const proven = routeGauge(
    meter.createGauge(
      'portolan_last_proven_timestamp_seconds',
      'int',
      's',
      'last snapshot proven restorable',
    ),
    routes.filter(({ backup }) => backup.drill !== undefined),
  );
  const record = async (): Promise<void> => {
    const now = activityTime();
    const states = await readRouteStates(snapshots, await namedSnapshots(snapshots, now), new Map(), now);
    good(
      states.flatMap(({ route, lastGood }) =>
        lastGood && !lastGood.ahead ? [[route, now - lastGood.ageMs]] : [],
      ),
    );
    proven(
      states.flatMap(({ route, lastProven }) =>
        lastProven ? [[route, Date.parse(lastProven.proof.at)]] : [],
      ),
    );
  };
  const tick = (): void => void record().catch(failed);
  tick();
  const timer = setInterval(tick, everyMs).unref();
  return () => clearInterval(timer);
}

/**
 * Sets a time per route, in milliseconds since the epoch. A route that was recorded but is no longer known is 0.
 * @param expected have a time from the start
 */
function routeGauge(
  gauge: MetricGauge,
  expected: readonly { readonly name: string }[],
): (times: readonly (readonly [route: string, at: number])[]) => void {
  const routes = new Set(expected.map(({ name }) => name));
  return (times) => {
    const known = new Map(times);
    for (const route of known.keys()) routes.add(route);
    for (const route of routes) gauge.set(Math.floor((known.get(route) ?? 0) / 1000), { route });
  };
}
