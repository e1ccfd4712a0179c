import { createHash, type KeyObject } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { open, rename, rm, stat } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import { z } from 'zod';
import { PortolanError } from '../../../model/errors/errors';
import {
  formatOf,
  packagesIn,
  type SnapshotManifest,
  type SnapshotRow,
} from '../../../model/snapshot/snapshot';
import { filesOfItem } from '../copied-files';
import { hashed, hashOfText } from '../hashing';
import { snapshotKeys } from '../snapshot-keys';
import { fingerprintOf } from './signing-keys';
import { entryNames, sealOf, type SnapshotHead } from './snapshot-file';
import type { Snapshots } from '../snapshots';
import { tarHeader, tarPadding } from './tar';

export interface ExportedSnapshot {
  readonly id: string;
  readonly file: string;
  readonly sizeBytes: number;
  readonly keySha256: string;
}

/** An entry of the file: what it has to be, and where it comes from. */
type Entry = SnapshotHead['files'][number] & { readonly open: () => Promise<AsyncIterable<Uint8Array>> };

/**
 * Writes a snapshot with all that belongs to it into one signed file, a tar archive; a file that is there is not
 * written over. Everything is hashed on its way, and the file is there only when all of it was right.
 * Throws SNAPSHOT_ALTERED, SNAPSHOT_INCOMPLETE, USAGE, NO_SPACE besides what `Snapshots.read` throws.
 */
export async function exportSnapshot(
  snapshots: Snapshots,
  id: string,
  file: string,
  key: KeyObject,
): Promise<ExportedSnapshot> {
  const manifest = await snapshots.read(id);
  const entries = await entriesOf(snapshots, manifest, await snapshots.rowsOf(manifest));
  const head: SnapshotHead = {
    format: formatOf(manifest),
    manifest,
    files: entries.map(({ name, sizeBytes, sha256 }) => ({ name, sizeBytes, sha256 })),
  };
  if (await stat(file).catch(() => undefined))
    throw new PortolanError('USAGE', `${file} is there already`, { hint: 'Name another file.' });
  const draft = `${file}.part`;
  try {
    await pipeline(archive(head, entries, key), createWriteStream(draft, { mode: 0o600 }));
    await flush(draft);
    await rename(draft, file);
  } catch (thrown) {
    await rm(draft, { force: true });
    throw writeFailure(file, thrown);
  }
  return { id, file, sizeBytes: (await stat(file)).size, keySha256: fingerprintOf(key) };
}

async function entriesOf(
  { store }: Snapshots,
  manifest: SnapshotManifest,
  rows: readonly SnapshotRow[],
): Promise<Entry[]> {
  const { id } = manifest;
  const stored = (name: string, key: string, sizeBytes: number, sha256: string): Entry => ({
    name,
    sizeBytes,
    sha256,
    open: async () => {
      const found = await store.openFile(key);
      if (found?.size === sizeBytes) return found.open(0, sizeBytes) as AsyncIterable<Uint8Array>;
      throw altered(id, key, found ? `has ${found.size} bytes, not ${sizeBytes}` : 'is gone');
    },
  });
  const entries = [textEntry(entryNames.rows, JSON.stringify(rows))];
  for (const row of rows) {
    const { itemId, title, saved, copy } = row;
    if (saved === 'copy') {
      if (!copy)
        throw new PortolanError('SNAPSHOT_INCOMPLETE', `the copy of "${title}" is covered by no hash`);
      const key = snapshotKeys.copiedRecord(id, itemId);
      const record = textEntry(
        entryNames.record(itemId),
        JSON.stringify(await store.readJson(key, z.unknown())) ?? '',
      );
      if (record.sha256 !== copy.recordSha256) throw altered(id, key, 'is not what was saved');
      entries.push(record);
    }
    for (const file of filesOfItem(id, row))
      entries.push(stored(file.entry, file.key, file.sizeBytes, file.sha256));
  }
  const packages = packagesIn(manifest).map(({ key, sizeBytes, sha256 }, index) =>
    stored(entryNames.package(index), key, sizeBytes, sha256),
  );
  return [...entries, ...packages];
}

function textEntry(name: string, text: string): Entry {
  const bytes = Buffer.from(text);
  return { name, sizeBytes: bytes.length, sha256: hashOfText(text), open: async () => only(bytes) };
}

async function* archive(
  head: SnapshotHead,
  entries: readonly Entry[],
  key: KeyObject,
): AsyncGenerator<Uint8Array> {
  const hash = createHash('sha256');
  yield* hashed(body(head, entries), hash);
  yield sealOf(hash.digest('hex'), key);
}

async function* body(head: SnapshotHead, entries: readonly Entry[]): AsyncGenerator<Uint8Array> {
  for (const entry of [textEntry(entryNames.head, JSON.stringify(head)), ...entries]) {
    const hash = createHash('sha256');
    yield tarHeader({ name: entry.name, size: entry.sizeBytes });
    yield* hashed(await entry.open(), hash);
    if (hash.digest('hex') !== entry.sha256)
      throw altered(head.manifest.id, entry.name, 'is not what was saved');
    yield tarPadding(entry.sizeBytes);
  }
}

async function* only(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}

async function flush(file: string): Promise<void> {
  const handle = await open(file, 'r+');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

const altered = (id: string, file: string, problem: string): PortolanError =>
  new PortolanError('SNAPSHOT_ALTERED', `${file} of snapshot ${id} ${problem}`, {
    hint: `See what is wrong with: portolan snapshot verify ${id}`,
  });

function writeFailure(file: string, thrown: unknown): unknown {
  if (thrown instanceof PortolanError) return thrown;
  const { code } = thrown as NodeJS.ErrnoException;
  if (code === 'ENOSPC' || code === 'EDQUOT')
    return new PortolanError('NO_SPACE', `no room left for ${file}`, { hint: 'Make room there.' });
  if (code === undefined) return thrown;
  return new PortolanError('USAGE', `${file} cannot be written (${code})`, { hint: 'Name another file.' });
}
