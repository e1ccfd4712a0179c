import type { Portal } from '../../../src/portal/client';
import { groupContentPages } from '../../../src/portal/resources/groups';
import type { Item } from '../../../src/portal/resources/items/item';
import { transportGroupId, transportTargetGroupId } from '../../../src/simulator/seed/transport';
import type { Simulator } from '../../../src/simulator/simulator';
import { Site, type User } from '../../interface/site';
import { downloaded, exported, imported, packageOf, uploaded } from '../../interface/transfers';
import { connect, start, stopAll } from '../../simulator/harness';

/** Two simulated portals with the group `Transport`, and the means to carry items between them. */
export interface TwoPortals {
  readonly source: Simulator;
  readonly target: Simulator;
  /** A client of either portal as one of its users. */
  connect(end: 'source' | 'target', user: User): Portal;
  /** Exports items of the group and imports them, overwriting, as the owner of the groups. */
  carry(itemIds: readonly string[]): Promise<void>;
  close(): Promise<void>;
}

/** Replaces the data of an item behind everyone's back. */
export async function setData({ world }: Simulator, itemId: string, text: string) {
  const { files, items } = world;
  items.change(itemId, { size: await files.write(files.dataPath(itemId), text) });
}

export async function itemsOf(portal: Portal, groupId: string) {
  const items: Item[] = [];
  for await (const page of groupContentPages(portal, groupId)) items.push(...page);
  return items;
}

export async function startTwoPortals(): Promise<TwoPortals> {
  const source = await start({ name: 'staging', version: '11.2', seed: 'transport' });
  const target = await start({ name: 'production', version: '11.4', seed: 'transport-target' });
  return {
    source,
    target,
    connect: (end, user) => connect(end === 'source' ? source : target, user),
    async carry(itemIdList) {
      const [from, to] = [new Site(source), new Site(target)];
      const job = await exported(from, transportGroupId, { itemIdList });
      const packageId = await uploaded(to, await downloaded(from, packageOf(job)));
      await imported(to, transportTargetGroupId, packageId, { overwriteExistingItems: true });
    },
    close: stopAll,
  };
}
