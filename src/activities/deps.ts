import type { Portals } from '../config/portal-pool';
import type { Store } from '../store/store';

/** What activities work with; one object per worker process. */
export interface ActivityDeps {
  readonly portals: Portals;
  readonly store: Store;
}
