import { createHash, type KeyObject } from 'node:crypto';
import { z } from 'zod';
import { PortolanError } from '../../../model/errors/errors';
import {
  formatOf,
  packagesIn,
  type SnapshotManifest,
  type SnapshotRow,
} from '../../../model/snapshot/snapshot';
import { alteredAs } from '../../../store/authentic/authentic-store';
import type { Store } from '../../../store/store';
import { hashed } from '../hashing';
import { type ArchiveEntry, textEntry, writeArchive, type WrittenArchive } from './archive-file';
import { type ArchivedBytes, archivedFiles, type ArchivedRecord } from './archived-files';
import { entryNames, type SnapshotHead } from './snapshot-file';
import type { Snapshots } from '../snapshots';

export interface ExportedSnapshot extends WrittenArchive {
  readonly id: string;
}

/**
 * Writes a snapshot with all that belongs to it into one signed file. Everything is hashed on its way.
 * Throws SNAPSHOT_ALTERED, SNAPSHOT_INCOMPLETE besides what `Snapshots.read` and `writeArchive` throw.
 */
export async function exportSnapshot(
  snapshots: Snapshots,
  id: string,
  file: string,
  key: KeyObject,
): Promise<ExportedSnapshot> {
  const written = await writeArchive(file, snapshotEntries(snapshots, await snapshots.read(id)), key);
  return { id, ...written };
}

/** What a file has of a snapshot, its head first. */
export async function* snapshotEntries(
  snapshots: Snapshots,
  manifest: SnapshotManifest,
): AsyncGenerator<ArchiveEntry> {
  const entries = await entriesOf(snapshots, manifest, await snapshots.rowsOf(manifest));
  const head: SnapshotHead = {
    format: formatOf(manifest),
    manifest,
    files: entries.map(({ name, sizeBytes, sha256 }) => ({ name, sizeBytes, sha256 })),
  };
  yield textEntry(entryNames.head, JSON.stringify(head));
  yield* entries;
}

async function entriesOf(
  { store }: Snapshots,
  manifest: SnapshotManifest,
  rows: readonly SnapshotRow[],
): Promise<ArchiveEntry[]> {
  const { id } = manifest;
  const entries = [textEntry(entryNames.rows, JSON.stringify(rows))];
  for (const file of archivedFiles(id, packagesIn(manifest), rows))
    entries.push(file.kind === 'record' ? await recordEntry(store, id, file) : storedEntry(store, id, file));
  return entries;
}

async function recordEntry(
  store: Store,
  id: string,
  { name, key, sha256 }: ArchivedRecord,
): Promise<ArchiveEntry> {
  if (sha256 === undefined)
    throw new PortolanError('SNAPSHOT_INCOMPLETE', `${key} of snapshot ${id} has no hash`);
  const read = await store.readJson(key, z.unknown()).catch(alteredAs('SNAPSHOT_ALTERED'));
  const record = textEntry(name, JSON.stringify(read) ?? '');
  if (record.sha256 !== sha256) throw altered(id, key, 'was modified');
  return record;
}

function storedEntry(
  store: Store,
  id: string,
  { name, key, sizeBytes, sha256 }: ArchivedBytes,
): ArchiveEntry {
  const open = async (): Promise<AsyncIterable<Uint8Array>> => {
    const found = await store.openFile(key);
    if (found?.size !== sizeBytes)
      throw altered(id, key, found ? `has ${found.size} bytes, not ${sizeBytes}` : 'is missing');
    const bytes = found.open(0, sizeBytes) as AsyncIterable<Uint8Array>;
    return compared(bytes, sha256, () => altered(id, name, 'was modified'));
  };
  return { name, sizeBytes, sha256, open };
}

async function* compared(
  bytes: AsyncIterable<Uint8Array>,
  sha256: string,
  other: () => PortolanError,
): AsyncGenerator<Uint8Array> {
  const hash = createHash('sha256');
  yield* hashed(bytes, hash);
  if (hash.digest('hex') !== sha256) throw other();
}

const altered = (id: string, file: string, problem: string): PortolanError =>
  new PortolanError('SNAPSHOT_ALTERED', `${file} of snapshot ${id} ${problem}`, {
    hint: `Find out more: portolan snapshot verify ${id}`,
  });
