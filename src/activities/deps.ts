import type { NotifyConfig } from '../config/config';
import type { Policy } from '../domain/policy/policy';
import type { Portals } from '../config/portal-pool';
import type { Snapshots } from '../domain/snapshot/snapshots';
import type { RouteMetrics } from './run/route-metrics';
import type { Store } from '../store/store';

/** What activities work with; one object per worker process. */
export interface ActivityDeps {
  readonly portals: Portals;
  readonly store: Store;
  readonly snapshots: Snapshots;
  readonly metrics: RouteMetrics;
  /** What is asked before anything is written into a portal. */
  readonly policy: Policy;
  /** Who is notified when something happens to a run. */
  readonly notify: readonly NotifyConfig[];
}
