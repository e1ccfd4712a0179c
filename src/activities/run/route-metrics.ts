import type { MetricGauge, MetricMeter } from '@temporalio/common';
import { listSnapshots } from '../../domain/snapshot/list-snapshots';
import { routeStates } from '../../domain/snapshot/retention/route-state';
import type { Snapshots } from '../../domain/snapshot/snapshots';
import { serverTime } from '../attempt/clock';

/** What a route is expected to have: where it has none, its gauge says 0, so that an alarm goes off. */
export interface ExpectedOfRoute {
  readonly route: string;
  /** Its age is watched. */
  readonly good: boolean;
  /** It is drilled. */
  readonly proven: boolean;
}

/** Reading every snapshot of a bucket costs a request each; alarms are about hours. */
const RECORD_EVERY_MS = 5 * 60_000;

/**
 * What a worker shows of each route in Prometheus' form, besides what the SDK shows of itself: when its last good
 * snapshot was taken, or seen to hold still, and when one of it was last proven restorable; 0 is never. An alarm needs
 * no more: `time() - portolan_last_good_snapshot_timestamp_seconds > 129600`.
 */
export class RouteMetrics {
  private readonly good: RouteGauge;
  private readonly proven: RouteGauge;

  constructor(meter: MetricMeter, expected: readonly ExpectedOfRoute[] = []) {
    const gauge = (name: 'good' | 'proven', metric: string, what: string): RouteGauge =>
      new RouteGauge(
        meter.createGauge(metric, 'int', 's', what),
        expected.flatMap((each) => (each[name] ? each.route : [])),
      );
    this.good = gauge(
      'good',
      'portolan_last_good_snapshot_timestamp_seconds',
      'last good snapshot of a route',
    );
    this.proven = gauge(
      'proven',
      'portolan_last_proven_timestamp_seconds',
      'last snapshot proven restorable',
    );
  }

  /** Records of all routes what the store says of them now. */
  private async record(snapshots: Snapshots): Promise<void> {
    const now = serverTime();
    const { readable } = await listSnapshots(snapshots, now);
    const states = routeStates(readable, new Map(), now);
    this.good.tell(
      states.flatMap(({ route, lastGood }) =>
        lastGood && !lastGood.ahead ? [[route, now - lastGood.ageMs]] : [],
      ),
    );
    this.proven.tell(
      states.flatMap(({ route, lastProven }) =>
        lastProven ? [[route, Date.parse(lastProven.proof.at)]] : [],
      ),
    );
  }

  /**
   * Records it now and every few minutes until it is stopped: a worker that has just started says what the others say,
   * and what one of them has done is said by all. No run waits for it, since it reads every snapshot of the store.
   * @param failed is told why the store could not be read; what was recorded before stays
   * @returns what stops it
   */
  keepUp(snapshots: Snapshots, failed: (why: unknown) => void, everyMs = RECORD_EVERY_MS): () => void {
    const record = (): void => void this.record(snapshots).catch(failed);
    record();
    const timer = setInterval(record, everyMs).unref();
    return () => clearInterval(timer);
  }
}

/** A time of each route. One that was told once, and is known no more, is 0. */
class RouteGauge {
  private readonly routes: Set<string>;

  constructor(
    private readonly gauge: MetricGauge,
    expected: readonly string[],
  ) {
    this.routes = new Set(expected);
  }

  /** @param times of routes, in milliseconds since the epoch */
  tell(times: readonly (readonly [route: string, at: number])[]): void {
    const known = new Map(times);
    for (const route of known.keys()) this.routes.add(route);
    for (const route of this.routes) this.gauge.set(Math.floor((known.get(route) ?? 0) / 1000), { route });
  }
}
