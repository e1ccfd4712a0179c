import { z } from 'zod';
import { PortolanError } from '../../../model/errors/errors';
import { type RetentionPolicy, packagesIn, sharedFilesIn } from '../../../model/snapshot/snapshot';
import { countOf } from '../../../model/text/words';
import { keys, FORGOTTEN, MANIFEST, runOfSnapshot, snapshotKeys } from '../../../store/keys';
import { dropFromIndex } from '../held-index';
import { listSnapshots, type SnapshotListing, type KnownSnapshot } from '../list-snapshots';
import { type UnreadableSnapshot, whyUnreadable } from '../unreadable';
import type { Store } from '../../../store/store';
import { decide, heldReasons, type RetentionContext, type RetentionDecision } from './retention';
import { isOpenRun, runFacts } from './run-facts';
import { claimedBy, forgetDamage, sharedInFolder } from '../packages';
import type { Snapshots } from '../snapshots';

export interface RetentionRequest {
  /** Snapshots of this route only, or of all groups of this rule. */
  readonly route: string;
  /** If absent, all backups stay, and only expired safeguards go. */
  readonly policy?: RetentionPolicy;
  /** Open runs by Temporal; absent if it cannot be asked. */
  readonly openRuns?: ReadonlySet<string>;
  /** @format milliseconds since the epoch @default now */
  readonly now?: number;
}

/** Which snapshots are to be forgotten. */
export interface RetentionPlan {
  readonly decisions: readonly RetentionDecision[];
  /** Of any route, since theirs is unknown. They stay, unless they were named. */
  readonly unreadable: readonly UnreadableSnapshot[];
  /** Packages of forgotten snapshots that other snapshots need. */
  readonly needed: readonly NeededPackage[];
  /** IDs of the snapshots to forget. */
  readonly going: readonly string[];
  readonly listing: SnapshotListing;
}

export interface Forgotten {
  readonly forgotten: readonly string[];
  /** Packages that no snapshot names any more. */
  readonly packages: number;
  readonly freedBytes: number;
  /** Folders of attempts that never became a snapshot. */
  readonly leftovers: readonly string[];
  readonly notes: readonly string[];
}

/** Applies a route's policy, and tidies what an earlier one left. Throws RETENTION_EMPTY. */
export async function forgetByPolicy(
  snapshots: Snapshots,
  request: RetentionRequest,
): Promise<RetentionPlan & Forgotten> {
  const plan = await planByPolicy(snapshots, request);
  return { ...plan, ...(await forget(snapshots, plan, request)) };
}

/** What a policy would keep and forget of a route, newest first. Throws RETENTION_EMPTY. */
export async function planByPolicy(snapshots: Snapshots, request: RetentionRequest): Promise<RetentionPlan> {
  const listing = await listSnapshots(snapshots, request.now);
  const { readable, unreadable } = listing;
  const ofRoute = readable.filter(
    ({ manifest: { route } }) => route === request.route || route.startsWith(`${request.route}/`),
  );
  const context = await contextOf(snapshots, ofRoute, request);
  const decisions = decide(ofRoute, request.policy, context);
  const going = decisions.filter(({ keep }) => !keep).map(({ snapshot }) => snapshot.manifest.id);
  return { decisions, unreadable, needed: neededPackages(readable, new Set(going)), going, listing };
}

/**
 * Forgets snapshots by their IDs, also altered ones. Throws SNAPSHOT_NOT_FOUND; RELEASE_ALTERED, SNAPSHOT_PINNED and
 * SNAPSHOT_NEEDED if one of them must stay.
 */
export async function planByIds(
  snapshots: Snapshots,
  ids: readonly string[],
  request: Pick<RetentionRequest, 'openRuns' | 'now'>,
): Promise<RetentionPlan> {
  const listing = await listSnapshots(snapshots, request.now);
  const { readable, unreadable } = listing;
  const context = await contextOf(snapshots, readable, request);
  const reasonsOf = heldReasons(readable, context);
  const chosen = readable.filter(({ manifest }) => ids.includes(manifest.id));
  const altered = unreadable.filter(({ id }) => ids.includes(id));
  const known = new Set([...chosen.map(({ manifest }) => manifest.id), ...altered.map(({ id }) => id)]);
  const missing = ids.find((id) => !known.has(id));
  if (missing !== undefined) {
    const { where } = snapshots.store;
    throw new PortolanError('SNAPSHOT_NOT_FOUND', `no snapshot ${missing} in the store at ${where}`);
  }
  const why = ({ manifest: { id } }: KnownSnapshot): readonly string[] => reasonsOf.get(id) ?? [];
  const held = chosen.filter((snapshot) => why(snapshot).length > 0);
  if (held.length > 0) {
    const code = held.every(({ pin }) => pin) ? 'SNAPSHOT_PINNED' : 'SNAPSHOT_NEEDED';
    const words = held.map((snapshot) => `${snapshot.manifest.id}: ${why(snapshot).join('; ')}`);
    throw new PortolanError(code, `nothing was forgotten; ${words.join('\n')}`);
  }
  return {
    decisions: chosen.map((snapshot) => ({ snapshot, keep: false, reasons: ['named'] })),
    unreadable: altered,
    needed: neededPackages(readable, new Set(ids)),
    going: ids,
    listing,
  };
}

/**
 * Forgets snapshots, the manifest first, so that there is never half of one. Then removes everything that no manifest
 * and no claim names: packages, items' JSON, and the rest of forgotten and of unfinished snapshots, also of earlier ones.
 */
export async function forget(
  snapshots: Snapshots,
  { going, listing }: Pick<RetentionPlan, 'going' | 'listing'>,
  { openRuns, now = snapshots.now() }: Pick<RetentionRequest, 'openRuns' | 'now'>,
): Promise<Forgotten> {
  const { store } = snapshots;
  const mark = (id: string) =>
    store.writeJson(snapshotKeys.forgotten(id), { at: new Date(now).toISOString() });
  const released = await snapshots.releases.held();
  const forgotten: string[] = [];
  const notes: string[] = [];
  for (const id of going) {
    // A person may have taken their time to confirm.
    if (await snapshots.isPinned(id)) {
      notes.push(`${id} has been pinned meanwhile and is kept`);
      continue;
    }
    const release = released.get(id);
    if (release !== undefined) {
      notes.push(`${id} belongs to release ${release} and is kept`);
      continue;
    }
    await mark(id);
    await store.remove(keys.snapshotManifest(id));
    forgotten.push(id);
  }
  const gone = new Set(forgotten);
  const routes = listing.readable.flatMap(({ manifest }) => (gone.has(manifest.id) ? manifest.route : []));
  for (const route of new Set(routes)) await dropFromIndex(store, route, gone);
  const leftovers = await unfinished(snapshots, listing, { openRuns, now });
  for (const id of leftovers) await mark(id);
  const removed = await removeUnnamed(snapshots, listing, new Set([...forgotten, ...leftovers]));
  return { ...removed, leftovers, forgotten, notes: [...notes, ...removed.notes] };
}

/** How long a folder without a manifest stays after its run: an import has no run. @format milliseconds */
const UNFINISHED_STAYS_MS = 86_400_000;

const sinceNote = z.object({ at: z.iso.datetime() });

/** Folders whose runs ended a day ago without a snapshot. */
async function unfinished(
  { store }: Snapshots,
  { folders }: SnapshotListing,
  { openRuns, now }: { readonly openRuns?: ReadonlySet<string>; readonly now: number },
): Promise<string[]> {
  const found: string[] = [];
  for (const [id, names] of folders) {
    if (names.has(MANIFEST) || names.has(FORGOTTEN)) continue;
    if ((await isOpenRun(store, runOfSnapshot(id), openRuns)) !== false) continue;
    const since = await store.readJson(snapshotKeys.leftSince(id), sinceNote).catch(() => undefined);
    if (!since) await store.writeJson(snapshotKeys.leftSince(id), { at: new Date(now).toISOString() });
    else if (now - Date.parse(since.at) >= UNFINISHED_STAYS_MS) found.push(id);
  }
  return found;
}

/**
 * Removes packages that no snapshot needs, and the rest of forgotten snapshots.
 * @param justForgotten their manifests were removed after `listing` was read
 */
async function removeUnnamed(
  { store }: Snapshots,
  { readable, unreadable, folders }: SnapshotListing,
  justForgotten: ReadonlySet<string>,
): Promise<Pick<Forgotten, 'packages' | 'freedBytes' | 'notes'>> {
  const manifests = readable.map(({ manifest }) => manifest).filter(({ id }) => !justForgotten.has(id));
  const stay = new Set(manifests.map(({ id }) => id));
  const isForgotten = (names: ReadonlySet<string>): boolean => names.has(FORGOTTEN) && !names.has(MANIFEST);
  const gone = new Set(justForgotten);
  for (const [id, names] of folders)
    // It may have been imported again since the listing.
    if (isForgotten(names) && isForgotten(new Set(await store.names(keys.snapshot(id))))) gone.add(id);
  const named = new Set(manifests.flatMap((manifest) => sharedFilesIn(manifest).map(({ key }) => key)));
  const unread = unreadable.map(({ id }) => id).filter((id) => !justForgotten.has(id));
  // After the manifests were removed: whoever claims later sees that they are gone.
  for (const id of await store.names(keys.snapshots)) {
    if (stay.has(id) || gone.has(id)) continue;
    const claimed = await claimedBy(store, id).catch((thrown: unknown) => whyUnreadable(id, thrown));
    if ('why' in claimed) unread.push(id);
    else for (const key of claimed) named.add(key);
  }
  let [packages, freedBytes, kept] = [0, 0, 0];
  for (const [id, names] of folders) {
    const isGone = gone.has(id);
    // Unfinished ones may still be written.
    if (!isGone && !stay.has(id)) continue;
    const stays: string[] = [];
    for (const key of sharedInFolder(id, names)) {
      if (named.has(key)) stays.push(key);
      else if (unread.length > 0) {
        stays.push(key);
        kept += 1;
      } else {
        freedBytes += (await store.openFile(key))?.size ?? 0;
        await store.remove(key);
        await forgetDamage(store, key);
        if (key.endsWith('.epk')) packages += 1;
      }
    }
    if (isGone) await removeRest(store, id, stays);
  }
  const ids = [...new Set(unread)].join(', ');
  const notes =
    kept === 0
      ? []
      : [`kept ${countOf(kept, 'package')} of no readable snapshot, because these are unreadable: ${ids}`];
  return { packages, freedBytes, notes };
}

/** Empties the folder of a forgotten snapshot, except for packages that others need. */
async function removeRest(store: Store, id: string, stays: readonly string[]): Promise<void> {
  const mark = snapshotKeys.forgotten(id);
  await store.remove(keys.provenSnapshot(id));
  for await (const key of store.list(keys.snapshot(id)))
    if (key !== mark && !stays.some((each) => key.startsWith(each))) await store.remove(key);
  // The mark goes last, and stays with a package.
  if (stays.length === 0) await store.remove(keys.snapshot(id));
}

async function contextOf(
  snapshots: Snapshots,
  known: SnapshotListing['readable'],
  { openRuns, now = snapshots.now() }: Omit<RetentionRequest, 'route'>,
): Promise<RetentionContext> {
  const { store, releases } = snapshots;
  const [released, waysBack] = await Promise.all([releases.held(), releases.promotions.waysBack()]);
  return { now, openRuns, released, waysBack, ...(await runFacts(store, known, openRuns)) };
}

/** A package of forgotten snapshots that others need. */
interface NeededPackage {
  readonly sha256: string;
  readonly sizeBytes: number;
  /** Forgotten snapshots that name it. */
  readonly of: readonly string[];
  /** Snapshots that name it and stay. */
  readonly neededBy: readonly string[];
}

/** @param snapshots all of the store */
function neededPackages(
  snapshots: readonly Pick<KnownSnapshot, 'manifest'>[],
  going: ReadonlySet<string>,
): NeededPackage[] {
  const byKey = new Map<string, { sha256: string; sizeBytes: number; of: string[]; neededBy: string[] }>();
  for (const { manifest } of snapshots) {
    for (const { key, sha256, sizeBytes } of packagesIn(manifest)) {
      const known = byKey.get(key) ?? { sha256, sizeBytes, of: [], neededBy: [] };
      byKey.set(key, known);
      (going.has(manifest.id) ? known.of : known.neededBy).push(manifest.id);
    }
  }
  return [...byKey.values()].filter(({ of, neededBy }) => of.length > 0 && neededBy.length > 0);
}

/** Removes what was written for a snapshot that was not committed, except for packages that other snapshots need. */
export async function dropUnfinished(snapshots: Snapshots, id: string): Promise<void> {
  if (await snapshots.find(id).catch(() => true)) return;
  await snapshots.store.writeJson(snapshotKeys.forgotten(id), {
    at: new Date(snapshots.now()).toISOString(),
  });
  await forget(snapshots, { going: [], listing: await listSnapshots(snapshots) }, {});
}
