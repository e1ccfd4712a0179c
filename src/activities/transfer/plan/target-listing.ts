import type { Portal } from '../../../portal/client';
import { groupContentPages } from '../../../portal/resources/groups';
import type { Item } from '../../../portal/resources/items/item';

/** Everything that a group holds, by item id. */
export async function listGroup(
  portal: Portal,
  groupId: string,
  signal: AbortSignal,
): Promise<Map<string, Item>> {
  const found = new Map<string, Item>();
  for await (const page of groupContentPages(portal, groupId, { signal })) {
    for (const item of page) found.set(item.id, item);
  }
  return found;
}
