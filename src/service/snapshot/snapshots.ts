import { compareSnapshots } from '../../domain/snapshot/compare-snapshots';
import { findSnapshot } from '../../domain/resolve-id';
import { listSnapshots, readKnown, newestFirst } from '../../domain/snapshot/list-snapshots';
import { openSnapshots, type Snapshots } from '../../domain/snapshot/snapshots';
import { maxAgesOf, routeStates } from '../../domain/snapshot/retention/route-state';
import type { SnapshotManifest, SnapshotPin } from '../../model/snapshot/snapshot';
import type { StoredSources } from '../run/run-sources';
import type { SnapshotComparisonView } from './snapshot-diff-view';
import { snapshotView, unreadableViews } from './snapshot-line';
import type { SnapshotDetail, SnapshotsPage } from './snapshot-view';

/** Throws if the caller may not change it. @param manifest undefined where it cannot be read */
export type MayChangeSnapshot = (manifest: SnapshotManifest | undefined) => void;

/** Filter for snapshots. */
export interface SnapshotsAsked {
  readonly route?: string;
  readonly tag?: string;
  /** Include safeguards. @default false */
  readonly safeguards?: boolean;
  /** @default all of them */
  readonly limit?: number;
  /** Only those that come after it. */
  readonly after?: SnapshotPlace;
}

/** Position of a snapshot in the order, also after it is forgotten. */
export interface SnapshotPlace {
  readonly id: string;
  /** ISO 8601, in UTC. */
  readonly takenAt: string;
}

/** A page of snapshots, the newest first, and how well routes are backed up; those that cannot be read on the last page. */
export async function readSnapshots(
  { config, store }: StoredSources,
  { route, tag, safeguards = false, limit = Infinity, after }: SnapshotsAsked,
): Promise<Omit<SnapshotsPage, 'next'> & { readonly next?: SnapshotPlace }> {
  const now = Date.now();
  const listing = await listSnapshots(openSnapshots(config, store), now);
  const ofRoute = listing.readable.filter(({ manifest }) => route === undefined || manifest.route === route);
  const tagged = ofRoute.filter(({ manifest }) => tag === undefined || manifest.tags.includes(tag));
  const shown = tagged.filter(({ manifest }) => safeguards || manifest.kind === 'backup');
  const inOrder = newestFirst(now);
  const rest = after
    ? shown.filter(({ manifest }) => manifest.id !== after.id && inOrder(after, manifest) < 0)
    : shown;
  const page = rest.slice(0, limit);
  const last = rest.length > page.length ? page.at(-1)?.manifest : undefined;
  const hidden = tagged.length - shown.length;
  return {
    snapshots: [
      ...page.map((snapshot) => snapshotView(snapshot, now)),
      ...(last ? [] : unreadableViews(listing)),
    ],
    routes: routeStates(ofRoute, maxAgesOf(config), now).filter(
      (each) => route === undefined || each.route === route,
    ),
    ...(hidden > 0 && { hidden }),
    ...(last && { next: { id: last.id, takenAt: last.takenAt } }),
  };
}

/**
 * Throws `SNAPSHOT_NOT_FOUND`, and `USAGE` if several match.
 * @param text id, an end of it, `latest`, or `latest:ROUTE`
 */
export async function readSnapshot({ config, store }: StoredSources, text: string): Promise<SnapshotDetail> {
  const snapshots = openSnapshots(config, store);
  const known = await readKnown(snapshots, await findSnapshot(snapshots, text));
  const { manifest, pin, proofs, confirmed, problems } = known;
  return { ...manifest, pin, proofs, confirmed, problems, items: await snapshots.rowsOf(manifest) };
}

/** Compares two snapshots. @param after a snapshot, or `live` for the group as it is now */
export const diffSnapshots = async (
  { config, store, signal }: StoredSources,
  before: string,
  after: string,
): Promise<SnapshotComparisonView> =>
  await compareSnapshots(config, openSnapshots(config, store), before, after, signal);

/** Keeps a snapshot whatever the policy says. */
export async function pinSnapshot(
  { config, store }: StoredSources,
  text: string,
  { who, reason }: Pick<SnapshotPin, 'who' | 'reason'>,
  require?: MayChangeSnapshot,
): Promise<{ readonly id: string; readonly pin: SnapshotPin }> {
  const snapshots = openSnapshots(config, store);
  const id = await changeable(snapshots, text, require);
  const pin = { at: new Date().toISOString(), who, reason };
  await snapshots.pin(id, pin);
  return { id, pin };
}

/** Applies the policy to a snapshot again. */
export async function unpinSnapshot(
  { config, store }: StoredSources,
  text: string,
  require?: MayChangeSnapshot,
): Promise<{ readonly id: string; readonly wasPinned: boolean }> {
  const snapshots = openSnapshots(config, store);
  const id = await changeable(snapshots, text, require);
  return { id, wasPinned: await snapshots.unpin(id) };
}

/** The ID of a snapshot the caller may change; it may be unreadable. */
async function changeable(snapshots: Snapshots, text: string, require?: MayChangeSnapshot): Promise<string> {
  const id = await findSnapshot(snapshots, text);
  if (require) require(await snapshots.find(id).catch(() => undefined));
  return id;
}
