import { z } from 'zod';
import { PortolanError } from '../../../model/errors/errors';
import type { Portal } from '../../client';
import { readStart } from './item-data';
import { type Item, item } from './item';
import { requiredId } from '../../http/ids';
import { pathOf } from '../../http/address';
import { flag, readableOf, toRecord } from '../../http/reading';
import type { CallOptions } from '../../http/request';

/** @throws PortolanError ITEM_NOT_FOUND where it does not exist or cannot be read by this user */
export const readItem = async (portal: Portal, itemId: string, options?: CallOptions): Promise<Item> =>
  portal.call(
    {
      operation: 'item.read',
      path: pathOf`content/items/${itemId}`,
      // Some portals wrap the record as they do under its owner: { item, sharing, folder }.
      schema: z.preprocess((answer) => toRecord(toRecord(answer)?.['item']) ?? answer, item),
      missing: 'ITEM_NOT_FOUND',
    },
    options,
  );

/** The item; undefined where it does not exist or cannot be read by this user. */
export async function findItem(
  portal: Portal,
  itemId: string,
  options?: CallOptions,
): Promise<Item | undefined> {
  try {
    return await readItem(portal, itemId, options);
  } catch (error) {
    if (PortolanError.is(error, 'ITEM_NOT_FOUND', 'PERMISSION_DENIED')) return undefined;
    throw error;
  }
}

const sharedGroup = z.looseObject({ id: requiredId('group') });
const itemGroups = z.looseObject({
  admin: readableOf(sharedGroup),
  member: readableOf(sharedGroup),
  other: readableOf(sharedGroup),
});
export type ItemGroups = z.infer<typeof itemGroups>;

/** The groups an item is shared with, by our part in them. docs/reference/portal-interface.md, "Items" */
export const readItemGroups = async (
  portal: Portal,
  itemId: string,
  options?: CallOptions,
): Promise<ItemGroups> =>
  portal.call(
    {
      operation: 'item.groups',
      path: pathOf`content/items/${itemId}/groups`,
      schema: itemGroups,
      missing: 'ITEM_NOT_FOUND',
    },
    options,
  );

/**
 * What `open` gives of an item's data; undefined where the portal's error says that it has none: 500 "Item does not
 * have a file.", or 400 `CONT_0001` of an item that is there all the same. One that is said to be longer than nothing,
 * and leads nowhere else, is believed to have data. docs/reference/portal-interface.md, "Download"
 *
 * @throws PortolanError what `open` throws for any other reason
 */
export async function unlessNoData<T>(
  portal: Portal,
  itemId: string,
  open: () => Promise<T>,
  options?: CallOptions,
): Promise<T | undefined> {
  try {
    return await open();
  } catch (thrown) {
    const { code, facts } = PortolanError.from(thrown);
    if (/\bdoes not have a file\b/i.test(facts.portalWords ?? '')) return undefined;
    if (code !== 'ITEM_NOT_FOUND') throw thrown;
    const item = await findItem(portal, itemId, options);
    if (item && mayHaveNoData(item)) return undefined;
    throw thrown;
  }
}

/** What is registered by its address may say a size all the same. */
const mayHaveNoData = ({ size = 0, url }: Item): boolean => size <= 0 || Boolean(url);

/**
 * An item's data as text; undefined where it has none.
 * @throws PortolanError BAD_RESPONSE where it is longer than maxBytes
 */
export const readItemText = (
  portal: Portal,
  itemId: string,
  { maxBytes }: { maxBytes: number },
  options?: CallOptions,
): Promise<string | undefined> =>
  unlessNoData(portal, itemId, () => wholeText(portal, { ...dataOf(itemId), maxBytes }, options), options);

const dataOf = (itemId: string) => ({
  operation: 'item.data',
  path: pathOf`content/items/${itemId}/data`,
});

/**
 * Opens an item's data, reads its head and drops the rest: proof that it answers.
 * `sizeSeen` is the length that the portal names, or what came where that is less than 64 KB; 0 where there is none.
 */
export async function dataAnswers(
  portal: Portal,
  itemId: string,
  options?: CallOptions,
): Promise<{ sizeSeen?: number }> {
  const start = await unlessNoData(
    portal,
    itemId,
    () => readStart(portal, { ...dataOf(itemId), maxBytes: HEAD_BYTES }, options),
    options,
  );
  if (!start) return { sizeSeen: 0 };
  const sizeSeen = start.totalBytes ?? (start.whole ? start.bytes.length : undefined);
  return sizeSeen === undefined ? {} : { sizeSeen };
}

/** So much is read of data that only has to answer. @format bytes */
const HEAD_BYTES = 64 * 1024;

/** A file of the portal as text; undefined where it is empty. @throws PortolanError BAD_RESPONSE beyond maxBytes */
export async function wholeText(
  portal: Portal,
  request: { operation: string; path: string; maxBytes: number },
  options?: CallOptions,
): Promise<string | undefined> {
  const { bytes, whole } = await readStart(portal, request, options);
  if (!whole) {
    throw new PortolanError('BAD_RESPONSE', `The text is longer than ${request.maxBytes} bytes.`, {
      portal: portal.name,
      operation: request.operation,
    });
  }
  return bytes.length === 0 ? undefined : bytes.toString('utf8').replace(/^\uFEFF/, '');
}

/** Which item is changed, and where its owner has it. */
export interface OwnedItem {
  readonly owner: string;
  readonly itemId: string;
  /** Where the portal takes item calls only there. @default the root folder */
  readonly folderId?: string;
}

/** The request that changes an item, under its owner. */
export const itemRequest = ({ owner, itemId, folderId }: OwnedItem, name: string) =>
  ({
    operation: `item.${name}`,
    method: 'POST',
    path: folderId
      ? pathOf`content/users/${owner}/${folderId}/items/${itemId}/${name}`
      : pathOf`content/users/${owner}/items/${itemId}/${name}`,
  }) as const;

/** The response to most changes. */
export const success = z.looseObject({ success: flag });

/** Which item is removed, and how. */
export interface ItemRemoval extends OwnedItem {
  /** Past the recycle bin, where there is one. */
  readonly permanent: boolean;
}

/**
 * Removes an item; `permanent` passes by the recycle bin where there is one. An item that is not there
 * any more is `absent`. docs/reference/portal-interface.md, "Delete"
 *
 * @throws PortolanError BAD_REQUEST for a protected item, PERMISSION_DENIED
 */
export async function deleteItem(
  portal: Portal,
  { permanent, ...item }: ItemRemoval,
  options?: CallOptions,
): Promise<'deleted' | 'absent'> {
  try {
    await portal.call(
      {
        ...itemRequest(item, 'delete'),
        params: { permanentDelete: permanent || undefined },
        schema: success,
        missing: 'ITEM_NOT_FOUND',
      },
      options,
    );
    return 'deleted';
  } catch (error) {
    if (PortolanError.is(error, 'ITEM_NOT_FOUND')) return 'absent';
    throw error;
  }
}
