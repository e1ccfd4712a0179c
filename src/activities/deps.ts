import type { Config } from '../config/config';
import type { Authority } from '../domain/control/authority';
import type { Control } from '../domain/control/control';
import type { StageChecks } from '../domain/release/checks/stage-checks';
import type { Policy } from '../domain/policy/policy';
import type { Portals } from '../config/portal-pool';
import type { Snapshots } from '../domain/snapshot/snapshots';
import type { WorkerView } from '../model/run/worker-view';
import type { Store } from '../store/store';

/** What activities need; one object per worker process. */
export interface ActivityDeps {
  /** Defines promotions, whatever their starter says. */
  readonly config: Config;
  readonly portals: Portals;
  readonly store: Store;
  readonly snapshots: Snapshots;
  /** Used by preflight checks. */
  readonly policy: Policy;
  /** Checked immediately before every write to a portal. */
  readonly authority: Authority;
  /** Seals job keys. */
  readonly openControl: () => Promise<Control>;
  /** What this worker's configuration allows. */
  readonly view: () => Promise<WorkerView>;
  /** Checks after a promotion. */
  readonly checks: StageChecks;
  /** Open runs that this worker has added to the store's index. */
  readonly indexed: Set<string>;
}
