import { proxyActivities, proxyLocalActivities } from '@temporalio/workflow';
import type { BareActivities } from './bare-worker';

const { nothing } = proxyActivities<BareActivities>({ startToCloseTimeout: '20 minutes' });
const local = proxyLocalActivities<BareActivities>({ startToCloseTimeout: '20 seconds' });

/** So many activities that do nothing, one after the other, with as many local ones as are given spread among them. */
export async function bare(activities: number, locals: number): Promise<void> {
  for (let at = 0; at < Math.max(activities, locals); at += 1) {
    if (at < activities) await nothing();
    if (at < locals) await local.nothing();
  }
}
