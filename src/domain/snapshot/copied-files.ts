import type { SnapshotRow } from '../../model/snapshot/snapshot';
import { snapshotKeys } from './snapshot-keys';
import { entryNames } from './archive/snapshot-file';

/** A file of a copied item: where it is, and what it is known by. */
export interface CopiedFile {
  /** Its key in the store. */
  readonly key: string;
  /** Its name in the file in which the snapshot travels. */
  readonly entry: string;
  readonly sizeBytes: number;
  readonly sha256: string;
}

/** The files of a copied item but its record: its data, then what it had beside that. */
export function copiedFiles(
  id: string,
  { itemId, copy }: Pick<SnapshotRow, 'itemId' | 'copy'>,
): CopiedFile[] {
  if (!copy) return [];
  return [
    {
      key: snapshotKeys.copiedData(id, itemId),
      entry: entryNames.data(itemId),
      sizeBytes: copy.sizeBytes,
      sha256: copy.dataSha256,
    },
    ...(copy.files ?? []).map(({ sizeBytes, sha256 }, index) => ({
      key: snapshotKeys.copiedFile(id, itemId, index),
      entry: entryNames.file(itemId, index),
      sizeBytes,
      sha256,
    })),
  ];
}
