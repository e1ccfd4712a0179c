import type { MetricGauge, MetricMeter } from '@temporalio/common';
import { listSnapshots } from '../../domain/snapshot/list-snapshots';
import { routeStates } from '../../domain/snapshot/retention/route-state';
import type { Snapshots } from '../../domain/snapshot/snapshots';

/**
 * What a worker shows of each route in Prometheus' form, besides what the SDK shows of itself: when its last good
 * snapshot was taken, or seen to hold still, and when one of it was last proven restorable. An alarm needs no more:
 * `time() - portolan_last_good_snapshot_timestamp_seconds > 129600`.
 */
export class RouteMetrics {
  private readonly good: MetricGauge;
  private readonly proven: MetricGauge;

  constructor(meter: MetricMeter) {
    const gauge = (name: string, what: string): MetricGauge => meter.createGauge(name, 'int', 's', what);
    this.good = gauge('portolan_last_good_snapshot_timestamp_seconds', 'last good snapshot of a route');
    this.proven = gauge('portolan_last_proven_timestamp_seconds', 'last snapshot proven restorable');
  }

  /** Records of all routes what the store says of them now. */
  async record(snapshots: Snapshots): Promise<void> {
    const now = Date.now();
    const { readable } = await listSnapshots(snapshots, now);
    for (const { route, lastGood, lastProven } of routeStates(readable, new Map(), now)) {
      if (lastGood && !lastGood.ahead) this.good.set(seconds(now - lastGood.ageMs), { route });
      if (lastProven) this.proven.set(seconds(Date.parse(lastProven.proof.at)), { route });
    }
  }
}

const seconds = (milliseconds: number): number => Math.floor(milliseconds / 1000);
