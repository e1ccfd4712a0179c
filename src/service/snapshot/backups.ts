import type { Config } from '../../config/config';
import { listSnapshots } from '../../domain/snapshot/list-snapshots';
import { openSnapshots } from '../../domain/snapshot/snapshots';
import { maxAgesOf, type RouteState, routeStates } from '../../domain/snapshot/retention/route-state';
import type { Store } from '../../store/store';
import { snapshotView, unreadableViews } from './snapshot-line';
import type { SnapshotView, UnreadableView } from './snapshot-view';

/** How well routes are backed up, and their snapshots, the newest first. */
export interface BackupsView {
  readonly routes: readonly RouteState[];
  readonly snapshots: readonly SnapshotView[];
  readonly unreadable: readonly UnreadableView[];
}

/** @param now our own clock @format milliseconds since the epoch */
export async function readBackups(config: Config, store: Store, now = Date.now()): Promise<BackupsView> {
  const listing = await listSnapshots(openSnapshots(config, store), now);
  return {
    routes: routeStates(listing.readable, maxAgesOf(config), now),
    snapshots: listing.readable.map((known) => snapshotView(known, now)),
    unreadable: unreadableViews(listing),
  };
}
