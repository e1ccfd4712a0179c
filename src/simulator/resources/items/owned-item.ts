import { folderOf, isReadable, mayUpdateItem, maySeeItem } from '../../access';
import { denied, noItem } from '../../errors';
import { selfOrAdministrator, signedIn, writable, type Call } from '../../http/call';
import { read, write, type Route } from '../../http/router';
import type { ItemRecord, UserRecord } from '../../state/records';

const users = '/portal/sharing/rest/content/users/:username';

/** The same operation with and without the folder in the path. */
export function inFolders(operation: string, name: string, handler: Route['handler']): Route[] {
  const make = operation === 'item.canDelete' ? read : write;
  return [
    make(operation, `${users}/items/:itemId/${name}`, handler),
    make(operation, `${users}/:folderId/items/:itemId/${name}`, handler),
  ];
}

export const ownerOf = (call: Call): UserRecord => selfOrAdministrator(call, call.path['username'] ?? '');

/** An item of the user named in the path, whatever its state. @throws PortalFault */
export function ownItem(call: Call): ItemRecord {
  const owner = ownerOf(call);
  const item = call.world.items.get((call.path['itemId'] ?? '').toLowerCase());
  if (!item || item.deletedAt !== undefined) throw noItem();
  if (item.owner !== owner.username) throw denied();
  if (!isAddressed(call, item)) throw noItem();
  return item;
}

/** Whether the path names the item's folder, on portals that look. */
export function isAddressed({ world, settings, path }: Call, item: ItemRecord): boolean {
  if (!settings.itemCallsInFolder) return true;
  return (folderOf(world, item.owner, path['folderId'])?.id ?? null) === item.ownerFolder;
}

/** The item that a call changes: the owner's, an administrator's, or a Shared-updates group's. */
export function changeable(call: Call): ItemRecord {
  writable(call);
  const { world } = call;
  const user = signedIn(call);
  const item = world.items.get((call.path['itemId'] ?? '').toLowerCase());
  if (!item || !isReadable(item) || !maySeeItem(world, item, user)) throw noItem();
  if (!isAddressed(call, item)) throw noItem();
  if (!mayUpdateItem(world, item, user)) throw denied();
  return item;
}
