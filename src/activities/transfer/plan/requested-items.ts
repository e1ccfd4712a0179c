import { z } from 'zod';
import { PortolanError } from '../../../model/errors/errors';
import type { Requested, RequestedItem } from '../../../model/transfer/requested';
import type { RouteOptions } from '../../../model/transfer/route';
import { keys } from '../../../store/keys';
import type { Store } from '../../../store/store';
import { writePage } from './pages';

/** Rows of the requested listing that are kept as one object. */
const ROWS_AN_OBJECT = 500;

/** The items that a run is limited to, wherever they stand. Throws STORE_BROKEN where the list is not in the store. */
export async function chosenItems(
  store: Store,
  { items, itemList }: Pick<RouteOptions, 'items' | 'itemList'>,
): Promise<readonly string[] | undefined> {
  if (!itemList) return items;
  const { key, from, count } = itemList;
  const list = await store.readJson(key, z.array(z.string()));
  if (list && list.length >= from + count) return list.slice(from, from + count);
  throw new PortolanError('STORE_BROKEN', `the list of items ${key} is not in the store at ${store.where}`);
}

/** Keeps the requested items of a run; a repeat overwrites. */
export async function writeRequested(
  store: Store,
  runId: string,
  requested: readonly RequestedItem[],
): Promise<void> {
  const folder = keys.requested(runId);
  await store.remove(folder);
  for (let start = 0; start < requested.length; start += ROWS_AN_OBJECT) {
    await writePage(store, folder, start + 1, requested.slice(start, start + ROWS_AN_OBJECT));
  }
}

export const figuresOf = (
  requested: readonly RequestedItem[],
  inGroup: number,
): Omit<Requested, 'knownBytes'> => ({
  count: requested.length,
  skipped: requested.filter((item) => item.skip !== undefined).length,
  hosted: requested.filter((item) => item.hosted).length,
  inGroup,
});
