import { z } from 'zod';
import { mapLimited } from '../../model/map-limited';
import type { Portal } from '../../portal/client';
import { REQUESTS_AT_A_TIME } from '../../portal/http/limiter';
import { readItem } from '../../portal/resources/items/items';
import { keys } from '../../store/keys';
import type { Store } from '../../store/store';
import { lastError, progress, stopSignal } from '../attempt/heartbeat';

const ids = z.array(z.string());

/**
 * Notes which of the items that an import is about to create the target does not have: an item that is there already
 * is never taken for the run's own. What an earlier import of the run has noted of other items stays.
 */
export async function noteAbsent(
  { store, portal, runId }: { readonly store: Store; readonly portal: Portal; readonly runId: string },
  itemIds: readonly string[],
): Promise<void> {
  let read = 0;
  const absent = await mapLimited(itemIds, REQUESTS_AT_A_TIME, async (itemId) => {
    const isAbsent = await isMissing(portal, itemId);
    progress({ read: ++read, of: itemIds.length });
    return isAbsent ? [itemId] : [];
  });
  const before = await absentBefore(store, runId);
  for (const itemId of itemIds) before.delete(itemId);
  await store.writeJson(keys.absentBefore(runId), [...before, ...absent.flat()]);
}

/** Ids of items that the target did not have right before a run's import was to create them. */
export const absentBefore = async (store: Store, runId: string): Promise<Set<string>> =>
  new Set(await store.readJson(keys.absentBefore(runId), ids));

async function isMissing(portal: Portal, itemId: string): Promise<boolean> {
  try {
    await readItem(portal, itemId, { signal: stopSignal() });
    return false;
  } catch (thrown) {
    // What cannot be read may be there: the import goes on, and the item is not known for the run's own.
    return lastError(thrown).code === 'ITEM_NOT_FOUND';
  }
}
