import { PortalFault } from './errors';
import type { ItemRecord } from './state/records';
import type { World } from './world';

/** A new item record with these fields and a portal's defaults; not yet in the world. */
export function newItem(
  world: World,
  given: Partial<ItemRecord> & Pick<ItemRecord, 'owner' | 'title' | 'type'>,
): ItemRecord {
  const made = world.now();
  const now = Date.now();
  return {
    id: world.newId(),
    created: made,
    modified: made,
    name: null,
    typeKeywords: [],
    description: null,
    tags: [],
    snippet: null,
    extent: [],
    categories: [],
    spatialReference: null,
    accessInformation: null,
    licenseInfo: null,
    culture: 'en-us',
    properties: null,
    url: null,
    access: 'private',
    size: 0,
    protected: false,
    ownerFolder: null,
    groups: [],
    data: null,
    status: 'completed',
    readableAt: now,
    indexedAt: now + world.settings.searchLagMs,
    relations: [],
    ...given,
  };
}

/**
 * On portals that allow a file name once per owner and folder. Seen on portals: Esri/arcgis-rest-js issue 735,
 * Esri/arcgis-python-api issues 1114 and 1691.
 *
 * @param place of item `id`, which may already be there
 * @throws PortalFault 409
 */
export function requireFreeName(
  world: World,
  { id, owner, ownerFolder, name }: Pick<ItemRecord, 'owner' | 'ownerFolder' | 'name'> & { id?: string },
): void {
  if (!world.settings.uniqueFileNames || name === null) return;
  const taken = world.items.find(
    (item) =>
      item.id !== id && item.owner === owner && item.ownerFolder === ownerFolder && item.name === name,
  );
  if (taken) throw new PortalFault(409, `Item with file '${name}' already exists.`);
}

/** Deletes an item permanently, with its data, resources and hosted service. */
export async function deleteItemNow(world: World, item: ItemRecord): Promise<void> {
  for (const service of world.services.filter(({ itemId }) => itemId === item.id)) {
    world.services.remove(service.path);
  }
  for (const { resource } of world.resources.filter(({ itemId }) => itemId === item.id)) {
    world.resources.remove(`${item.id}/${resource}`);
  }
  world.items.remove(item.id);
  await world.files.dropItem(item.id);
}
