import {
  type NamedPackage,
  packagesIn,
  type SnapshotManifest,
  type SnapshotRow,
  snapshotRow,
} from '../../model/snapshot/snapshot';
import { hashOfFile } from '../snapshot/hashing';
import { listSnapshots } from '../snapshot/list-snapshots';
import { claimPackages, type FoundPackage, sharedInFolder } from '../snapshot/packages';
import type { NewSnapshot, Snapshots } from '../snapshot/snapshots';
import { whyUnreadable } from '../snapshot/unreadable';
import type { KeyObject } from 'node:crypto';
import { z } from 'zod';
import { PortolanError } from '../../model/errors/errors';
import type { ReleaseManifest } from '../../model/release/release';
import { keys, snapshotKeys } from '../../store/keys';
import { type Store, writeFile } from '../../store/store';
import { contentOfRelease, contentOfSnapshot } from '../release/releases';
import { dropUnfinished } from '../snapshot/retention/forget';
import { archivedRows, type ArchiveHead, filesOf, folderOf, HEAD_NAME, ROWS_NAME } from './archive-format';
import { type Archive, readArchive } from './read-archive';

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

interface Imported<T> {
  readonly manifest: T;
  /** It was in the store before, with the same content. */
  readonly wasThere: boolean;
  /** Of the public key that the signature was verified with. */
  readonly keySha256: string;
}

/** Imports a snapshot from a signed file. Throws FILE_ALTERED, FILE_UNTRUSTED, USAGE. */
export async function importSnapshot(
  snapshots: Snapshots,
  file: string,
  trusted: readonly KeyObject[],
): Promise<Imported<SnapshotManifest>> {
  return await readArchive(file, trusted, async (archive, head) => {
    if (head.release) throw otherContent(file, 'release', 'snapshot');
    const [given, ...more] = head.snapshots;
    if (!given || more.length > 0) throw archive.malformed(HEAD_NAME);
    const wasThere = (await takeSnapshots(snapshots, archive, head)) === 0;
    return { manifest: await snapshots.read(given.id), wasThere, keySha256: archive.keySha256 };
  });
}

/**
 * Imports a release from a signed file: its snapshots first. What is there already stays.
 * Throws FILE_ALTERED, FILE_UNTRUSTED, USAGE.
 * @param options.history also import the history of stages it reached at the other site, except of stages known here
 */
export async function importRelease(
  snapshots: Snapshots,
  file: string,
  trusted: readonly KeyObject[],
  { history = false }: { readonly history?: boolean } = {},
): Promise<Imported<ReleaseManifest> & { readonly stages: readonly string[] }> {
  const { releases } = snapshots;
  return await readArchive(file, trusted, async (archive, head) => {
    const { release } = head;
    if (!release) throw otherContent(file, 'snapshot', 'release');
    requireConsistent(archive, release, head);
    const { keySha256 } = archive;
    const imported = { at: new Date().toISOString(), keySha256 };
    const found = await releases.find(release.id);
    if (found && !(found.sha256 === release.sha256 && found.runId === release.runId))
      throw different(file, 'release', release.id);
    if (!found) await takeSnapshots(snapshots, archive, head);
    const manifest = found ?? (await releases.write({ ...release, imported }));
    const stages = history
      ? await releases.promotions.takeIn(release.pipeline, head.history ?? [], imported)
      : [];
    return { manifest, wasThere: found !== undefined, keySha256, stages };
  });
}

function requireConsistent(
  archive: Archive,
  release: ReleaseManifest,
  { snapshots, history = [] }: ArchiveHead,
): void {
  const { pipeline, groups, sha256 } = release;
  const isConsistent =
    contentOfRelease(release) === sha256 &&
    groups.length === snapshots.length &&
    groups.every((group, index) => {
      const snapshot = snapshots[index];
      return snapshot?.id === group.snapshotId && contentOfSnapshot(snapshot) === group.sha256;
    }) &&
    history.every((entry) => entry.pipeline === pipeline);
  if (!isConsistent) throw archive.malformed(HEAD_NAME);
}

/** Imports the snapshots that are not in the store yet, once all their files are there. @returns how many */
async function takeSnapshots(snapshots: Snapshots, archive: Archive, head: ArchiveHead): Promise<number> {
  const { file, keySha256 } = archive;
  const coming: NewSnapshot[] = [];
  try {
    for (const [index, manifest] of head.snapshots.entries()) {
      const found = await snapshots.find(manifest.id);
      if (found && !isSame(found, manifest)) throw different(file, 'snapshot', manifest.id);
      if (found) await archive.skip(folderOf(index));
      else {
        const snapshot = await newSnapshot(snapshots.store, manifest, keySha256);
        coming.push(snapshot);
        await takeFiles(snapshots.store, archive, folderOf(index), { snapshot, rows: manifest.rows });
      }
    }
    for (const snapshot of coming) {
      const rows = await snapshots.store.readJson(keys.snapshotRows(snapshot.id), z.array(snapshotRow));
      await commitImported(snapshots, snapshot, rows ?? []);
    }
  } catch (thrown) {
    // What cannot be removed now goes like what a killed import leaves. The import's own error matters more.
    for (const { id } of coming) await dropUnfinished(snapshots, id).catch(() => undefined);
    throw thrown;
  }
  return coming.length;
}

/**
 * What becomes a snapshot here, with the places of its packages. If it was forgotten here, other snapshots may still need
 * packages in its folder: those are not replaced.
 */
async function newSnapshot(
  store: Store,
  { rows: _, createdAt: __, ...manifest }: SnapshotManifest,
  keySha256: string,
): Promise<NewSnapshot> {
  const { id } = manifest;
  const names = new Set(await store.names(keys.snapshot(id)));
  for (const mark of [snapshotKeys.forgotten(id), snapshotKeys.leftSince(id)]) await store.remove(mark);
  const start = sharedInFolder(id, names).length > 0 ? Date.now() : 0;
  const [first, ...more] = packagesIn(manifest).map((each, index) => ({
    ...each,
    key: keys.snapshotPackage(id, start + index),
  }));
  const contents = manifest.contents?.map((each) => ({
    ...each,
    key: keys.snapshotContents(id, each.sha256),
  }));
  return {
    ...manifest,
    package: first,
    more,
    contents,
    imported: { at: new Date().toISOString(), keySha256 },
  };
}

/** Writes the files of a snapshot into the store. */
async function takeFiles(
  store: Store,
  archive: Archive,
  folder: string,
  { snapshot, rows: named }: { readonly snapshot: NewSnapshot; readonly rows: SnapshotManifest['rows'] },
): Promise<void> {
  const rows = await archive.json(folder + ROWS_NAME, named.sha256, archivedRows);
  await store.writeJson(keys.snapshotRows(snapshot.id), rows);
  for (const { name, key, sizeBytes, sha256 } of filesOf(snapshot, rows))
    if (sizeBytes === undefined)
      await store.writeJson(key, await archive.json(folder + name, sha256, z.unknown()));
    else await writeFile(store, key, archive.bytes(folder + name, sha256));
}

const isSame = (one: SnapshotManifest, other: SnapshotManifest): boolean =>
  contentOfSnapshot(one) === contentOfSnapshot(other) && one.takenAt === other.takenAt;

type Kind = 'snapshot' | 'release';

const otherContent = (file: string, holds: Kind, wanted: Kind): PortolanError =>
  new PortolanError('USAGE', `${file} contains a ${holds}, not a ${wanted}`, {
    hint: `Import it with: portolan ${holds} import FILE --trust PUBLIC_KEY`,
  });

const different = (file: string, kind: Kind, id: string): PortolanError =>
  new PortolanError('USAGE', `the store already has a different ${kind} ${id} than ${file}`, {
    hint: `Compare them: portolan ${kind} show ${id}`,
  });
