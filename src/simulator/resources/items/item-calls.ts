import { folderOf, isReadable, maySeeItem, mayUpdateItem } from '../../access';
import { denied, noItem } from '../../errors';
import { type Call, selfOrAdministrator, signedIn, writable } from '../../http/call';
import { read, type Route, write } from '../../http/router';
import type { ItemRecord, UserRecord } from '../../state/records';

const users = '/portal/sharing/rest/content/users/:username';

/** An operation with and without the folder in the path. */
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

/** Whether the path names the item's folder, on portals that check. */
function isAddressed({ world, settings, path }: Call, item: ItemRecord): boolean {
  if (!settings.itemCallsInFolder) return true;
  return (folderOf(world, item.owner, path['folderId'])?.id ?? null) === item.ownerFolder;
}

/** The item a request changes: the owner's, an administrator's, or a Shared-updates group's. */
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

type Writable<T> = { -readonly [K in keyof T]?: T[K] };

/** Item fields sent with addItem, update and commit; only those present. */
export function itemFields({ params }: Call): Partial<ItemRecord> {
  const fields: Writable<ItemRecord> = {};
  for (const name of ['title', 'type', 'culture'] as const) {
    const value = params.text(name);
    if (value !== undefined) fields[name] = value;
  }
  for (const name of ['description', 'snippet', 'url', 'accessInformation', 'spatialReference'] as const) {
    if (params.has(name)) fields[name] = params.text(name) ?? null;
  }
  const license = params.text('licenseinfo') ?? params.text('licenseInfo');
  if (license !== undefined || params.has('licenseinfo') || params.has('licenseInfo'))
    fields.licenseInfo = license ?? null;
  for (const name of ['tags', 'typeKeywords', 'categories'] as const) {
    if (params.has(name)) fields[name] = params.list(name) ?? [];
  }
  const properties = params.json('properties');
  if (typeof properties === 'object' && properties !== null)
    fields.properties = properties as Record<string, unknown>;
  else if (params.has('properties')) fields.properties = null;
  const extent = params.text('extent')?.split(',').map(Number);
  if (extent?.length === 4 && extent.every((number) => !Number.isNaN(number))) {
    fields.extent = [extent.slice(0, 2), extent.slice(2)];
  } else if (params.has('extent')) fields.extent = [];
  return fields;
}
