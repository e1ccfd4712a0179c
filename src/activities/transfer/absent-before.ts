import { mapLimited } from '../../model/map-limited';
import type { Portal } from '../../portal/client';
import { REQUESTS_AT_A_TIME } from '../../portal/http/limiter';
import { readItem } from '../../portal/resources/items/items';
import { keys } from '../../store/keys';
import type { Store } from '../../store/store';
import { readIds } from './plan/stored-lists';
import { lastError, progress, stopSignal } from '../attempt/heartbeat';

/**
 * Records which of the items to be created do not exist on the target, so that an existing item never counts as created
 * by the run. Keeps what earlier imports of the run recorded about other items.
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

/** IDs of items that did not exist on the target immediately before a run's import created them. */
export const absentBefore = (store: Store, runId: string): Promise<Set<string>> =>
  readIds(store, keys.absentBefore(runId));

async function isMissing(portal: Portal, itemId: string): Promise<boolean> {
  try {
    await readItem(portal, itemId, { signal: stopSignal() });
    return false;
  } catch (thrown) {
    // An unreadable item may exist. It is imported, but does not count as created by the run.
    return lastError(thrown).code === 'ITEM_NOT_FOUND';
  }
}
