import type { ItemRecord } from './state/records';
import type { World } from './world';

/** Removes an item for good, with its data, resources and hosted service. */
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
