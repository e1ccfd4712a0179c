import {
  type NamedPackage,
  packagesIn,
  type SnapshotManifest,
  type SnapshotRow,
} from '../../model/snapshot/snapshot';
import { hashOfFile } from '../snapshot/hashing';
import { listSnapshots } from '../snapshot/list-snapshots';
import { claimPackages, type FoundPackage } from '../snapshot/packages';
import type { NewSnapshot, Snapshots } from '../snapshot/snapshots';
import { whyUnreadable } from '../snapshot/unreadable';

/** Commits a snapshot from another store. If the same package is in this store already, it names that one. */
export async function commitImported(
  snapshots: Snapshots,
  coming: NewSnapshot,
  rows: readonly SnapshotRow[],
): Promise<SnapshotManifest> {
  const own = packagesIn(coming);
  const [first, ...more] = await sharedPackages(snapshots, coming.id, own);
  const manifest = await snapshots.commit({ ...coming, package: first, more }, rows);
  const named = new Set(packagesIn(manifest).map(({ key }) => key));
  for (const { key } of own) if (!named.has(key)) await snapshots.store.remove(key);
  return manifest;
}

async function sharedPackages(
  snapshots: Snapshots,
  id: string,
  given: readonly NamedPackage[],
): Promise<NamedPackage[]> {
  const { readable } = await listSnapshots(snapshots);
  const all = readable.flatMap(({ manifest }): FoundPackage[] =>
    packagesIn(manifest).map((each) => ({ of: manifest.id, package: each })),
  );
  const found: FoundPackage[] = [];
  for (const { sha256, sizeBytes } of given) {
    const equal = all.find((each) => each.package.sha256 === sha256 && each.package.sizeBytes === sizeBytes);
    if (equal && (await isWhole(snapshots, equal.package))) found.push(equal);
  }
  const shared = found.length > 0 ? await claimPackages(snapshots, id, found) : [];
  return given.map((each) => shared.find(({ sha256 }) => sha256 === each.sha256) ?? each);
}

async function isWhole({ store }: Snapshots, { key, sizeBytes, sha256 }: NamedPackage): Promise<boolean> {
  const file = await store.openFile(key);
  if (file?.size !== sizeBytes) return false;
  const found = await hashOfFile(file).catch((thrown: unknown) => whyUnreadable(key, thrown));
  return found === sha256;
}
