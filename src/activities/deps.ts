import type { Portal } from '../portal/client';
import type { Store } from '../store/store';

/** The portals that this worker's configuration names. */
export interface Portals {
  /** Throws PORTAL_NOT_FOUND where the configuration has no portal of that name. */
  open(name: string): Portal;
  /** `{base_url}` in this worker's configuration, or undefined. */
  urlOf(name: string): string | undefined;
}

/** What activities work with; one object per worker process. */
export interface ActivityDeps {
  readonly portals: Portals;
  readonly store: Store;
}
