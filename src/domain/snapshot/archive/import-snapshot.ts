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
import { writeFile } from '../../../store/store';
import type { EntryReader } from './entry-reader';
import { archivedFiles, archivedFilesOfItem } from './archived-files';
import { readSigned } from './signed-file';
import { entryNames, snapshotFiles, type SnapshotHead } from './snapshot-file';
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
      const rows = await takeFiles(snapshots, head, reader);
      await reader.end();
      requireSame();
      const manifest = await snapshots.commit(comingIn(head, keySha256), rows);
      return { manifest, wasThere: false, keySha256 };
    } catch (thrown) {
      await dropFiles(snapshots, id);
      throw thrown;
    }
  });
}

/** What becomes a snapshot here, once its files are in the store. */
export function comingIn({ manifest: given }: SnapshotHead, keySha256: string): NewSnapshot {
  const { rows: _, createdAt: __, ...manifest } = given;
  const [first, ...more] = packagesOf(manifest);
  return { ...manifest, package: first, more, imported: { at: new Date().toISOString(), keySha256 } };
}

/** Its packages, where they lie before it is committed. */
const packagesOf = (manifest: Pick<SnapshotManifest, 'id' | 'package' | 'more'>) =>
  packagesIn(manifest).map((each, index) => ({
    ...each,
    key: keys.snapshotPackage(manifest.id, index),
  }));

/**
 * Writes the files that a head lists into the store; they are no snapshot yet. Returns the rows.
 * Throws the sort's code for an altered file if the list is not exactly what manifest and rows name.
 */
export async function takeFiles(
  { store }: Snapshots,
  { manifest, files: [first, ...listed] }: SnapshotHead,
  reader: EntryReader,
): Promise<SnapshotRow[]> {
  if (first?.name !== entryNames.rows) throw reader.unexpected(first?.name ?? 'no rows');
  const rows = await reader.json(first, z.array(snapshotRow));
  const strange = rows.find(
    (row) => archivedFilesOfItem(manifest.id, row).length > 0 && !safeItemId.test(row.itemId),
  );
  if (strange) throw reader.unexpected(strange.itemId);
  const files = archivedFiles(manifest.id, packagesOf(manifest), rows);
  if (files.length !== listed.length) throw reader.unexpected('one entry too many or too few');
  for (const [index, { kind, name, key, sha256 }] of files.entries()) {
    const entry = listed[index];
    if (entry?.name !== name || entry.sha256 !== sha256) throw reader.unexpected(entry?.name ?? name);
    if (kind === 'record') await store.writeJson(key, await reader.json(entry, z.unknown()));
    else await writeFile(store, key, reader.bytes(entry));
  }
  return rows;
}

/** Takes away what an import that came to nothing has written. */
export async function dropFiles(snapshots: Snapshots, id: string): Promise<void> {
  if (!(await snapshots.find(id).catch(() => true))) await snapshots.store.remove(keys.snapshot(id));
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
