import { ROOT_FOLDER } from '../../../model/transfer/placement';
import { isSameUser } from '../../../model/text/same-user';
import type { Portal } from '../../../portal/client';
import type { CallOptions } from '../../../portal/http/request';
import type { Folder, Item } from '../../../portal/resources/items/item';
import { userContentPages } from '../../../portal/resources/listings';
import { optional } from '../retry';
import type { PortalFacts } from '../portal-facts';

/** A folder by its id, and its title where it has one: the root has none. */
export interface ItemFolder {
  readonly folder: string;
  readonly folderTitle?: string;
}

/**
 * In which folders of their owners items lie. An item's record says it to its owner alone, and administrators see it in
 * what users have: that is read folder by folder, until all are found. What this account may not look into is left out.
 * docs/reference/portal-interface.md, "Placement"
 */
export async function foldersOfItems(
  portal: Portal,
  items: readonly Item[],
  { username, fullAdmin }: Pick<PortalFacts, 'username' | 'fullAdmin'>,
  options?: CallOptions,
): Promise<ReadonlyMap<string, ItemFolder>> {
  const found = new Map<string, ItemFolder>();
  for (const owner of new Set(items.flatMap((item) => item.owner ?? []))) {
    if (!fullAdmin && !isSameUser(owner, username)) continue;
    const own = items.filter((item) => isSameUser(item.owner, owner));
    const read = await optional((each) => ownedFolders(portal, owner, own, each), options);
    for (const [itemId, folder] of read ?? []) found.set(itemId, folder);
  }
  return found;
}

async function ownedFolders(
  portal: Portal,
  owner: string,
  items: readonly Item[],
  options: CallOptions,
): Promise<Map<string, ItemFolder>> {
  const found = new Map<string, ItemFolder>();
  const left = new Set(items.map(({ id }) => id));
  const folders = new Map<string, Folder>();
  const lie = (itemId: string, folder: ItemFolder): void => {
    if (left.delete(itemId)) found.set(itemId, folder);
  };
  for await (const page of userContentPages(portal, owner, {}, options)) {
    for (const each of page.folders) folders.set(each.id, each);
    for (const { id } of page.items) lie(id, { folder: ROOT_FOLDER });
  }
  for (const { id, ownerFolder } of items) {
    const told = folders.get(ownerFolder ?? '');
    if (told) lie(id, { folder: told.id, folderTitle: told.title });
  }
  for (const { id: folderId, title } of folders.values()) {
    if (left.size === 0) break;
    for await (const page of userContentPages(portal, owner, { folderId }, options))
      for (const { id } of page.items) lie(id, { folder: folderId, folderTitle: title });
  }
  return found;
}
