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
import type { EntryReader } from './entry-reader';
import { filesOfItem } from '../copied-files';
import { snapshotKeys } from '../snapshot-keys';
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
    key: index === 0 ? keys.snapshotPackage(manifest.id) : snapshotKeys.furtherPackage(manifest.id, index),
  }));

/** Takes what a head lists into the store, which is no snapshot yet. Returns its rows, with which all has been compared. */
export async function takeFiles(
  { store }: Snapshots,
  head: SnapshotHead,
  reader: EntryReader,
): Promise<SnapshotRow[]> {
  const { id } = head.manifest;
  const packageKeys = new Map(
    packagesOf(head.manifest).map(({ key }, index) => [entryNames.package(index), key]),
  );
  const file = async (to: string, from: AsyncIterable<Uint8Array>): Promise<void> => {
    const partial = await store.openPartial(to);
    await partial.restart();
    await partial.append(from);
    await partial.commit();
  };
  let rows: SnapshotRow[] = [];
  for (const entry of head.files) {
    const [, itemId = '', part] =
      /^items\/([^/]+)\/(item\.json|data|thumbnail|files\/\d{1,5})$/.exec(entry.name) ?? [];
    const packageKey = packageKeys.get(entry.name);
    if (entry.name === entryNames.rows) rows = await reader.json(entry, z.array(snapshotRow));
    else if (packageKey !== undefined) await file(packageKey, reader.bytes(entry));
    else if (!safeItemId.test(itemId)) throw reader.unexpected(entry.name);
    else if (part === 'data') await file(snapshotKeys.copiedData(id, itemId), reader.bytes(entry));
    else if (part === 'thumbnail') await file(snapshotKeys.thumbnail(id, itemId), reader.bytes(entry));
    else if (part?.startsWith('files/'))
      await file(
        snapshotKeys.copiedFile(id, itemId, Number(part.slice('files/'.length))),
        reader.bytes(entry),
      );
    else await store.writeJson(snapshotKeys.copiedRecord(id, itemId), await reader.json(entry, z.unknown()));
  }
  requireAll(head, rows, reader);
  return rows;
}

/** Takes away what an import that came to nothing has written. */
export async function dropFiles(snapshots: Snapshots, id: string): Promise<void> {
  if (!(await snapshots.find(id).catch(() => true))) await snapshots.store.remove(keys.snapshot(id));
}

/** That the entries are what manifest and rows name: no more, no less, no others. */
function requireAll(
  { manifest, files }: SnapshotHead,
  rows: readonly SnapshotRow[],
  reader: EntryReader,
): void {
  const hashes = new Map(files.map(({ name, sha256 }) => [name, sha256]));
  const desired = new Map([
    // The rows become the manifest's own when it is written.
    [entryNames.rows, hashes.get(entryNames.rows)],
    ...packagesIn(manifest).map(({ sha256 }, index) => [entryNames.package(index), sha256] as const),
    ...rows.flatMap((row) => [
      ...(row.saved === 'copy' ? [[entryNames.record(row.itemId), row.copy?.recordSha256] as const] : []),
      ...filesOfItem(manifest.id, row).map(({ entry, sha256 }) => [entry, sha256] as const),
    ]),
  ]);
  for (const [name, sha256] of desired) {
    if (sha256 === undefined || hashes.get(name) !== sha256) throw reader.unexpected(name);
  }
  if (files.length !== desired.size) throw reader.unexpected('an entry too many');
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
  throw new PortolanError('USAGE', `another snapshot ${manifest.id} than that of ${file} is in the store`, {
    hint: `Compare them: portolan snapshot show ${manifest.id}`,
  });
}

const hashesOf = (manifest: SnapshotManifest): string[] => packagesIn(manifest).map(({ sha256 }) => sha256);
