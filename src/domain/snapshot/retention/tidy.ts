import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { packagesIn } from '../../../model/snapshot/snapshot';
import { keys } from '../../../store/keys';
import type { Store } from '../../../store/store';
import { forgetDamage } from '../damaged-packages';
import { listSnapshots } from '../list-snapshots';
import { whyUnreadable } from '../unreadable';
import { snapshotFolders } from '../snapshot-folders';
import { snapshotKeys, runOfSnapshot } from '../snapshot-keys';
import { isOpenRun } from './run-facts';
import type { Snapshots } from '../snapshots';
import { hashesIn, packageClaim } from '../stored-packages';

/** What has no manifest is left alone for so long: whoever writes it may be slow. @format milliseconds */
const LEFT_ALONE_MS = 86_400_000;

export interface Tidied {
  /** Packages that no snapshot names any more. */
  readonly packages: number;
  readonly freedBytes: number;
  /** Folders that an attempt left which never became a snapshot. */
  readonly leftovers: readonly string[];
  readonly notes: readonly string[];
}

/**
 * Removes what nothing names any more: the rest of snapshots that were forgotten, folders that never became one, and
 * packages. Nothing goes that an open run may be writing.
 */
export async function tidy(
  snapshots: Snapshots,
  { openRuns, now }: { readonly openRuns?: ReadonlySet<string>; readonly now: number },
): Promise<Tidied> {
  const leftovers: string[] = [];
  for (const [id, files] of await foldersWithoutManifest(snapshots)) {
    const wasForgotten = files.includes(snapshotKeys.forgotten(id));
    if (!wasForgotten && !(await isLeft(snapshots, id, { openRuns, now }))) continue;
    // What says that it was forgotten goes last.
    for (const key of files) if (key !== snapshotKeys.forgotten(id)) await snapshots.store.remove(key);
    await snapshots.store.remove(keys.snapshot(id));
    if (!wasForgotten) leftovers.push(id);
  }
  return { leftovers, ...(await removePackages(snapshots, now)) };
}

async function foldersWithoutManifest({ store }: Snapshots): Promise<Map<string, string[]>> {
  const without = (await snapshotFolders(store)).filter(({ id, holds }) => !holds(keys.snapshotManifest(id)));
  const folders = new Map<string, string[]>();
  for (const { id } of without) folders.set(id, await keysUnder(store, keys.snapshot(id)));
  return folders;
}

const sinceNote = z.object({ at: z.iso.datetime() });

/** Whether nobody will make a snapshot of a folder any more: its run is over, and it has lain so for a day. */
async function isLeft(
  { store }: Snapshots,
  id: string,
  { openRuns, now }: { readonly openRuns?: ReadonlySet<string>; readonly now: number },
): Promise<boolean> {
  if ((await isOpenRun(store, runOfSnapshot(id), openRuns)) !== false) return false;
  const since = await store.readJson(snapshotKeys.leftSince(id), sinceNote).catch(() => undefined);
  if (since) return now - Date.parse(since.at) >= LEFT_ALONE_MS;
  await store.writeJson(snapshotKeys.leftSince(id), { at: new Date(now).toISOString() });
  return false;
}

async function removePackages(
  snapshots: Snapshots,
  now: number,
): Promise<Pick<Tidied, 'packages' | 'freedBytes' | 'notes'>> {
  const { store } = snapshots;
  const nothing = { packages: 0, freedBytes: 0 };
  const stored = await keysUnder(store, keys.storedPackages);
  await removeOldMarks(snapshots, now);
  if (stored.length === 0) return { ...nothing, notes: [] };
  const before = await namedPackages(snapshots);
  const orphans = stored.filter((key) => !before.isNamed(key));
  if (orphans.length === 0) return { ...nothing, notes: [] };
  if (before.unreadable.length > 0) {
    const words = `${orphans.length} stored packages that belong to no readable snapshot were kept, because these are unreadable: ${before.unreadable.join(', ')}`;
    return { ...nothing, notes: [words] };
  }
  // Whoever commits a snapshot claims its package, and then looks for these marks.
  const marks = orphans.map(
    (key) => `${snapshotKeys.goingPackage(snapshotKeys.hashInKey(key) ?? key)}${randomUUID()}.json`,
  );
  let [packages, freedBytes] = [0, 0];
  try {
    for (const mark of marks) await store.writeJson(mark, { at: new Date(now).toISOString() });
    const after = await namedPackages(snapshots);
    for (const key of orphans) {
      if (after.unreadable.length > 0 || after.isNamed(key)) continue;
      freedBytes += (await store.openFile(key))?.size ?? 0;
      await store.remove(key);
      await forgetDamage(store, key);
      packages += 1;
    }
  } finally {
    for (const mark of marks) await store.remove(mark);
  }
  return { packages, freedBytes, notes: [] };
}

/** Which packages are named by manifests, or claimed for snapshots that are just being committed. */
async function namedPackages(
  snapshots: Snapshots,
): Promise<{ isNamed: (key: string) => boolean; unreadable: string[] }> {
  // Claims first: a snapshot that is committed in between has its manifest by then.
  const claimed = new Set<string>();
  const broken: string[] = [];
  for (const { id, holds } of await snapshotFolders(snapshots.store)) {
    const key = snapshotKeys.claim(id);
    if (!holds(key)) continue;
    const claim = await snapshots.store
      .readJson(key, packageClaim)
      .catch((thrown: unknown) => whyUnreadable(id, thrown));
    if (claim && 'why' in claim) broken.push(id);
    else if (claim) for (const sha256 of hashesIn(claim)) claimed.add(sha256);
  }
  const { readable, unreadable } = await listSnapshots(snapshots);
  const named = new Set(readable.flatMap(({ manifest }) => packagesIn(manifest).map(({ key }) => key)));
  return {
    isNamed: (key) => named.has(key) || claimed.has(snapshotKeys.hashInKey(key) ?? ''),
    unreadable: [...unreadable.map(({ id }) => id), ...broken],
  };
}

/** Marks of whoever was killed while removing packages. */
async function removeOldMarks({ store }: Snapshots, now: number): Promise<void> {
  for await (const key of store.list(snapshotKeys.going)) {
    const mark = await store.readJson(key, sinceNote).catch(() => undefined);
    if (!mark || now - Date.parse(mark.at) >= LEFT_ALONE_MS) await store.remove(key);
  }
}

async function keysUnder(store: Store, prefix: string): Promise<string[]> {
  const found: string[] = [];
  for await (const key of store.list(prefix)) found.push(key);
  return found;
}
