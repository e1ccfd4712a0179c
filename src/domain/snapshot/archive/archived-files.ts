import { type NamedPackage, type SnapshotRow } from '../../../model/snapshot/snapshot';
import { filesOfItem } from '../copied-files';
import { snapshotKeys } from '../snapshot-keys';
import { entryNames } from './snapshot-file';

interface Archived {
  /** Its name in the archive. */
  readonly name: string;
  /** Its key in the store. */
  readonly key: string;
}

/** The record of a copied item: JSON, which each store writes in its own way. */
export interface ArchivedRecord extends Archived {
  readonly kind: 'record';
  /** Of its JSON text; absent if the item's row does not name it. */
  readonly sha256: string | undefined;
}

/** Bytes that are the same in the archive and in every store. */
export interface ArchivedBytes extends Archived {
  readonly kind: 'bytes';
  readonly sizeBytes: number;
  readonly sha256: string;
}

/**
 * Every file that the archive of a snapshot holds after its head and rows, in order. The exporter writes this list and
 * the importer reads it, so neither can know a kind of file that the other does not.
 */
export const archivedFiles = (
  id: string,
  packages: readonly NamedPackage[],
  rows: readonly SnapshotRow[],
): (ArchivedRecord | ArchivedBytes)[] => [
  ...rows.flatMap((row) => archivedFilesOfItem(id, row)),
  ...packages.map((each, index): ArchivedBytes => ({
    kind: 'bytes',
    name: entryNames.package(index),
    ...each,
  })),
];

export const archivedFilesOfItem = (id: string, row: SnapshotRow): (ArchivedRecord | ArchivedBytes)[] => [
  ...recordOf(id, row),
  ...filesOfItem(id, row).map(({ entry, ...file }): ArchivedBytes => ({
    kind: 'bytes',
    name: entry,
    ...file,
  })),
];

function recordOf(id: string, { itemId, saved, copy }: SnapshotRow): ArchivedRecord[] {
  if (saved !== 'copy') return [];
  const key = snapshotKeys.copiedRecord(id, itemId);
  return [{ kind: 'record', name: entryNames.record(itemId), key, sha256: copy?.recordSha256 }];
}
