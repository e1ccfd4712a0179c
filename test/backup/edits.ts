import { transportGroupId, transportItems } from '../../src/simulator/seed/transport';
import type { ItemRecord } from '../../src/simulator/state/records';
import type { World } from '../../src/simulator/world';
import type { Client } from '../simulator/harness';

/** What somebody does on the portal in a night: to an item, or to the features of a layer and not to its item. */
export type Edit = 'item' | 'features';

const { csv, roads, projects } = transportItems;
/** Layers and tables whose features are edited, in turns. */
const edited = [
  { service: 'StateRoutes', itemId: roads, layerId: 0 },
  { service: 'PlannedProjects', itemId: projects, layerId: 1 },
  { service: 'StateRoutes', itemId: roads, layerId: 2 },
] as const;

export const isOfGroup = ({ groups, deletedAt }: ItemRecord): boolean =>
  groups.includes(transportGroupId) && deletedAt === undefined;

/** Makes another version of the group. */
export async function makeEdit(
  edit: Edit,
  version: number,
  client: Client,
  { hostingServerUrl }: World,
): Promise<void> {
  if (edit === 'item') {
    const path = `/content/users/owner/items/${csv}/update`;
    const { success } = await client.call<{ success?: boolean }>(path, { text: `edit\n${version}\n` });
    if (success !== true) throw new Error('the item was not edited');
    return;
  }
  const { service, layerId } = edited[version % edited.length]!;
  const { updateResults } = await client.call<{ updateResults?: { success: boolean }[] }>(
    `${hostingServerUrl}/rest/services/Hosted/${service}/FeatureServer/${layerId}/applyEdits`,
    { updates: JSON.stringify([{ attributes: { OBJECTID: 7, STATUS: `version ${version}` } }]) },
  );
  if (updateResults?.[0]?.success !== true) throw new Error('the features were not edited');
}
