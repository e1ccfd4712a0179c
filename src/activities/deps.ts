import type { Config, NotifyConfig } from '../config/config';
import type { Authority } from '../domain/control/authority';
import type { Control } from '../domain/control/control';
import type { StageChecks } from '../domain/release/checks/stage-checks';
import type { Policy } from '../domain/policy/policy';
import type { Portals } from '../config/portal-pool';
import type { Snapshots } from '../domain/snapshot/snapshots';
import type { WorkerView } from '../model/run/worker-view';
import type { Store } from '../store/store';

/** What activities work with; one object per worker process. */
export interface ActivityDeps {
  /** Decides what a promotion is, whatever its starter says. */
  readonly config: Config;
  readonly portals: Portals;
  readonly store: Store;
  readonly snapshots: Snapshots;
  /** What is asked by the guards of a run. */
  readonly policy: Policy;
  /** What is asked right before anything is written into a portal. */
  readonly authority: Authority;
  /** What keys of jobs are sealed with. */
  readonly openControl: () => Promise<Control>;
  /** What this worker can do. */
  readonly view: () => Promise<WorkerView>;
  /** What has to pass where a release is promoted to. */
  readonly checks: StageChecks;
  /** Who is notified when something happens to a run. */
  readonly notify: readonly NotifyConfig[];
}
