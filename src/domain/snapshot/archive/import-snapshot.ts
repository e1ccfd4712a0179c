import { createHash, type Hash, type KeyObject } from 'node:crypto';
import type { FileHandle } from 'node:fs/promises';
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
import { EntryReader } from './entry-reader';
import { filesOfItem } from '../copied-files';
import { hashed } from '../hashing';
import { openRegularFile } from './regular-file';
import { snapshotKeys } from '../snapshot-keys';
import { alteredFile, entryNames, readSeal, SEAL_BYTES, type SnapshotHead } from './snapshot-file';
import type { Snapshots } from '../snapshots';

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
 * Takes a snapshot out of a signed file into the store. The file is read twice: first the whole of it is compared with
 * its signature, and nothing else done; then it goes into the store, hashed once more, and becomes a snapshot when all
 * of it is there, under the store's own key. Importing again what is there changes nothing.
 * Throws SNAPSHOT_ALTERED, SNAPSHOT_UNTRUSTED, SNAPSHOT_NEWER, USAGE.
 */
export async function importSnapshot(
  snapshots: Snapshots,
  file: string,
  trusted: readonly KeyObject[],
): Promise<ImportedSnapshot> {
  const { handle, size } = await openRegularFile(file, 'Name the exported file.');
  try {
    const bodyBytes = size - SEAL_BYTES;
    const end = bodyBytes <= 0 ? Buffer.alloc(0) : await readAt(handle, bodyBytes, SEAL_BYTES);
    const { bodySha256, keySha256 } = readSeal(file, end, trusted);
    const body = (hash: Hash): AsyncGenerator<Uint8Array> =>
      hashed(
        handle.createReadStream({
          start: 0,
          end: bodyBytes - 1,
          highWaterMark: 512 * 1024,
          autoClose: false,
        }),
        hash,
      );
    const first = createHash('sha256');
    for await (const _ of body(first));
    if (first.digest('hex') !== bodySha256) throw alteredFile(file);

    const second = createHash('sha256');
    const reader = new EntryReader(file, body(second));
    try {
      const head = await reader.head();
      const found = await snapshots.find(head.manifest.id);
      if (found) return { manifest: sameOrRefused(found, head, file), wasThere: true, keySha256 };
      const manifest = await takeIn(snapshots, head, reader, keySha256, () => {
        if (second.digest('hex') !== bodySha256) throw alteredFile(file);
      });
      return { manifest, wasThere: false, keySha256 };
    } finally {
      await reader.close();
    }
  } finally {
    await handle.close();
  }
}

async function takeIn(
  snapshots: Snapshots,
  head: SnapshotHead,
  reader: EntryReader,
  keySha256: string,
  requireRead: () => void,
): Promise<SnapshotManifest> {
  const { store } = snapshots;
  const { rows: _, createdAt: __, ...manifest } = head.manifest;
  const { id } = manifest;
  const packages = packagesIn(manifest).map((each, index) => ({
    ...each,
    key: index === 0 ? keys.snapshotPackage(id) : snapshotKeys.furtherPackage(id, index),
  }));
  const packageKeys = new Map(packages.map(({ key }, index) => [entryNames.package(index), key]));
  const file = async (to: string, from: AsyncIterable<Uint8Array>): Promise<void> => {
    const partial = await store.openPartial(to);
    await partial.restart();
    await partial.append(from);
    await partial.commit();
  };
  try {
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
      else
        await store.writeJson(snapshotKeys.copiedRecord(id, itemId), await reader.json(entry, z.unknown()));
    }
    await reader.end();
    requireRead();
    requireAll(head, rows, reader);
    const [first, ...more] = packages;
    return await snapshots.commit(
      {
        ...manifest,
        package: first,
        more,
        imported: { at: new Date().toISOString(), keySha256 },
      },
      rows,
    );
  } catch (thrown) {
    if (!(await snapshots.find(id).catch(() => true))) await store.remove(keys.snapshot(id));
    throw thrown;
  }
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

function sameOrRefused(found: SnapshotManifest, { manifest }: SnapshotHead, file: string): SnapshotManifest {
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

async function readAt(handle: FileHandle, position: number, length: number): Promise<Buffer> {
  const { buffer, bytesRead } = await handle.read(Buffer.alloc(length), 0, length, position);
  return buffer.subarray(0, bytesRead);
}
