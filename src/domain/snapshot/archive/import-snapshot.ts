import type { KeyObject } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import { PortolanError } from '../../../model/errors/errors';
import {
  packagesIn,
  type SnapshotManifest,
  type SnapshotRow,
  snapshotRow,
} from '../../../model/snapshot/snapshot';
import { keys } from '../../../store/keys';
import type { Store } from '../../../store/store';
import { commitImported } from './commit-imported';
import type { EntryReader } from './entry-reader';
import { archivedFiles, archivedFilesOfItem } from './archived-files';
import { readSigned } from './signed-file';
import { entryNames, snapshotFiles, type SnapshotHead } from './snapshot-file';
import { packagesInFolder } from '../packages';
import { dropUnfinished } from '../retention/forget';
import { snapshotKeys } from '../snapshot-keys';
import type { NewSnapshot, Snapshots } from '../snapshots';

export interface ImportedSnapshot {
  readonly manifest: SnapshotManifest;
  /** It was in the store before, with the same content. */
  readonly wasThere: boolean;
  /** Of the public key with which its signature was checked. */
  readonly keySha256: string;
}

/** Ids that become keys of the store. */
const safeItemId = /^[A-Za-z0-9_-]{1,64}$/;

/**
 * Takes a snapshot out of a signed file into the store. It goes there hashed once more, and becomes a snapshot when all
 * of it is there, under the store's own key. Importing again what is there changes nothing.
 * Throws SNAPSHOT_ALTERED, SNAPSHOT_UNTRUSTED, SNAPSHOT_NEWER, USAGE.
 */
export async function importSnapshot(
  snapshots: Snapshots,
  file: string,
  trusted: readonly KeyObject[],
): Promise<ImportedSnapshot> {
  return await readSigned(file, trusted, snapshotFiles, async ({ reader, keySha256, requireSame }) => {
    const head = await reader.snapshotHead(snapshotFiles.newest);
    const { id } = head.manifest;
    const found = await snapshots.find(id);
    if (found) return { manifest: sameOrRefused(found, head, file), wasThere: true, keySha256 };
    try {
      const coming = await comingIn(snapshots, head, keySha256);
      const rows = await takeFiles(snapshots, head, coming, reader);
      await reader.end();
      requireSame();
      return { manifest: await commitImported(snapshots, coming, rows), wasThere: false, keySha256 };
    } catch (thrown) {
      await dropUnfinished(snapshots, id);
      throw thrown;
    }
  });
}

/**
 * What becomes a snapshot here, once its files are in the store. If it was forgotten here, packages of it may still be
 * needed by others: those are not replaced.
 */
export async function comingIn(
  { store }: Snapshots,
  { manifest: given }: SnapshotHead,
  keySha256: string,
): Promise<NewSnapshot> {
  const { rows: _, createdAt: __, ...manifest } = given;
  const { id } = manifest;
  const names = new Set(await store.names(keys.snapshot(id)));
  await store.remove(snapshotKeys.forgotten(id));
  const first = packagesInFolder(id, names).length > 0 ? Date.now() : 0;
  const [one, ...more] = packagesIn(manifest).map((each, index) => ({
    ...each,
    key: keys.snapshotPackage(id, first + index),
  }));
  return { ...manifest, package: one, more, imported: { at: new Date().toISOString(), keySha256 } };
}

/**
 * Writes the files that a head lists into the store; they are no snapshot yet. Returns the rows.
 * Throws the sort's code for an altered file if the list is not exactly what manifest and rows name.
 */
export async function takeFiles(
  { store }: Snapshots,
  { manifest, files: [first, ...listed] }: SnapshotHead,
  coming: NewSnapshot,
  reader: EntryReader,
): Promise<SnapshotRow[]> {
  if (first?.name !== entryNames.rows) throw reader.unexpected(first?.name ?? 'no rows');
  const rows = await reader.json(first, z.array(snapshotRow));
  const strange = rows.find(
    (row) => archivedFilesOfItem(manifest.id, row).length > 0 && !safeItemId.test(row.itemId),
  );
  if (strange) throw reader.unexpected(strange.itemId);
  const files = archivedFiles(manifest.id, packagesIn(coming), rows);
  if (files.length !== listed.length) throw reader.unexpected('one entry too many or too few');
  for (const [index, { kind, name, key, sha256 }] of files.entries()) {
    const entry = listed[index];
    if (entry?.name !== name || entry.sha256 !== sha256) throw reader.unexpected(entry?.name ?? name);
    if (kind === 'record') await store.writeJson(key, await reader.json(entry, z.unknown()));
    else await writeFile(store, key, reader.bytes(entry));
  }
  return rows;
}

async function writeFile(store: Store, key: string, bytes: AsyncIterable<Uint8Array>): Promise<void> {
  const partial = await store.openPartial(key);
  await partial.restart();
  await partial.append(bytes);
  await partial.commit();
}

/** The one that is there, where it is that of the file. Throws USAGE. */
export function sameOrRefused(
  found: SnapshotManifest,
  { manifest }: Pick<SnapshotHead, 'manifest'>,
  file: string,
): SnapshotManifest {
  const isSame =
    isDeepStrictEqual(hashesOf(found), hashesOf(manifest)) &&
    found.rows.sha256 === manifest.rows.sha256 &&
    found.takenAt === manifest.takenAt;
  if (isSame) return found;
  throw new PortolanError('USAGE', `the store already has a different snapshot ${manifest.id} than ${file}`, {
    hint: `Compare them: portolan snapshot show ${manifest.id}`,
  });
}

const hashesOf = (manifest: SnapshotManifest): string[] => packagesIn(manifest).map(({ sha256 }) => sha256);
