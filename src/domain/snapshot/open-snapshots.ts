import type { Config } from '../../config/config';
import { openStore } from '../../store/open-store';
import type { Store } from '../../store/store';
import { Snapshots } from './snapshots';

/** The snapshots of a configuration's store. */
export const openSnapshots = (
  config: Config,
  store: Store = openStore(config),
  clock?: () => number,
): Snapshots => new Snapshots(store, clock);
