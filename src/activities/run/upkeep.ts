import type { MetricMeter, MetricGauge } from '@temporalio/common';
import type { RouteConfig } from '../../config/config';
import { listSnapshots } from '../../domain/snapshot/list-snapshots';
import { routeStates } from '../../domain/snapshot/retention/route-state';
import type { Snapshots } from '../../domain/snapshot/snapshots';
import { activityTime } from '../attempt/clock';

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
    const { readable } = await listSnapshots(snapshots, now);
    const states = routeStates(readable, new Map(), now);
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
