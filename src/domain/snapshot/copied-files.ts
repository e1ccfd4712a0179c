import { z, type ZodType } from 'zod';
import type { SnapshotRow } from '../../model/snapshot/snapshot';
import { snapshotKeys } from '../../store/keys';
import { PortolanError } from '../../model/errors/errors';
import { alteredAs } from '../../store/authentic/authentic-store';
import type { Store, StoredFile } from '../../store/store';
import { hashOfFile, hashOfJson } from './hashing';

/** A file of an item: where it is, and what it is known by. */
interface CopiedFile {
  /** Its key in the store. */
  readonly key: string;
  readonly sizeBytes: number;
  readonly sha256: string;
}

type SavedRow = Pick<SnapshotRow, 'itemId' | 'copy' | 'placement'>;

/**
 * The files that a snapshot has of an item, but a copied one's record: its data, what it had beside that, its picture.
 */
export function filesOfItem(id: string, row: SavedRow): CopiedFile[] {
  const { itemId, placement } = row;
  return [
    ...copiedFiles(id, row),
    ...(placement?.thumbnail
      ? [{ key: snapshotKeys.thumbnail(id, itemId), ...fileOf(placement.thumbnail) }]
      : []),
  ];
}

const fileOf = ({ sizeBytes, sha256 }: Pick<CopiedFile, 'sizeBytes' | 'sha256'>) => ({ sizeBytes, sha256 });

/** The files of a copied item but its record: its data, then what it had beside that. */
function copiedFiles(id: string, { itemId, copy }: SavedRow): CopiedFile[] {
  if (!copy) return [];
  return [
    {
      key: snapshotKeys.copiedData(id, itemId),
      sizeBytes: copy.sizeBytes,
      sha256: copy.dataSha256,
    },
    ...copy.files.map(({ sizeBytes, sha256 }, index) => ({
      key: snapshotKeys.copiedFile(id, itemId, index),
      sizeBytes,
      sha256,
    })),
  ];
}

/** A copied item, as it was. */
interface OpenedCopy<T> {
  readonly record: T;
  readonly data?: StoredFile;
  /** What it had beside its data. */
  readonly files: readonly {
    readonly kind: 'resource' | 'thumbnail';
    readonly path: string;
    readonly source: StoredFile;
  }[];
}

/**
 * The record and the files of an item that was saved as a copy, once all are seen to be what its row says.
 * Throws SNAPSHOT_ALTERED, which names the file.
 */
export async function openCopy<T>(
  { store }: { readonly store: Store },
  id: string,
  row: Pick<SnapshotRow, 'itemId' | 'copy'>,
  schema: ZodType<T>,
): Promise<OpenedCopy<T>> {
  const { itemId, copy } = row;
  const altered = (file: string, problem: string): PortolanError =>
    new PortolanError('SNAPSHOT_ALTERED', `${file} in ${store.where} ${problem}`);
  const recordKey = snapshotKeys.copiedRecord(id, itemId);
  const written = await store.readJson(recordKey, z.unknown()).catch(alteredAs('SNAPSHOT_ALTERED'));
  if (written === undefined) throw altered(recordKey, 'is missing');
  if (hashOfJson(written) !== copy?.recordSha256) throw altered(recordKey, 'was modified');
  const opened: StoredFile[] = [];
  for (const { key, sizeBytes, sha256 } of copiedFiles(id, row)) {
    const file = await store.openFile(key);
    if (!file) throw altered(key, 'is missing');
    if (file.size !== sizeBytes || (await hashOfFile(file)) !== sha256) throw altered(key, 'was modified');
    opened.push(file);
  }
  const [data, ...beside] = opened;
  const files = copy.files.flatMap(({ kind, path }, index) => {
    const source = beside[index];
    return source ? { kind, path, source } : [];
  });
  return { record: schema.parse(written), data, files };
}
