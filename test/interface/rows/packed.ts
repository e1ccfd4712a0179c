import type { Site } from '../site';
import { brought } from '../transfers';
import type { World } from '../world';

export const csv = { type: 'CSV' };

/** A package of some items, on a portal that holds none of them, and an empty group there. */
export async function packed(
  world: World,
  items = [csv, csv],
  version?: string,
): Promise<{
  from: Site;
  to: Site;
  ids: readonly string[];
  packageId: string;
  groupId: string;
  title: string;
}> {
  const [from, to] = [await world.at(version), await world.receiving(version)];
  const holding = await from.plant(items);
  const packageId = await brought(from, to, holding);
  const { groupId, title } = await to.plant();
  return { from, to, ids: holding.ids, packageId, groupId, title };
}
