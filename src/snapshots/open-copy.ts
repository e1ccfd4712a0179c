import { z, type ZodType } from 'zod';
import { PortolanError } from '../model/errors';
import type { SnapshotRow } from '../model/snapshot';
import type { Store, StoredFile } from '../store/store';
import { hashOfFile, hashOfJson } from './hashing';
import { places } from './places';

/**
 * The record and the data of an item that was saved as a copy, once both are seen to be what its row says.
 * Throws SNAPSHOT_ALTERED, which names the file.
 */
export async function openCopy<T>(
  { store }: { readonly store: Store },
  id: string,
  { itemId, copy }: Pick<SnapshotRow, 'itemId' | 'copy'>,
  schema: ZodType<T>,
): Promise<{ readonly record: T; readonly data: StoredFile }> {
  const altered = (file: string, problem: string): PortolanError =>
    new PortolanError('SNAPSHOT_ALTERED', `${file} in ${store.where} ${problem}`);
  const recordKey = places.copiedRecord(id, itemId);
  const dataKey = places.copiedData(id, itemId);
  const written = await store.readJson(recordKey, z.unknown());
  if (written === undefined) throw altered(recordKey, 'is gone');
  if (hashOfJson(written) !== copy?.recordSha256) throw altered(recordKey, 'is not what was saved');
  const data = await store.openFile(dataKey);
  if (!data) throw altered(dataKey, 'is gone');
  if (data.size !== copy.sizeBytes || (await hashOfFile(data)) !== copy.dataSha256)
    throw altered(dataKey, 'is not what was saved');
  return { record: schema.parse(written), data };
}
