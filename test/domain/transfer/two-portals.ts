import { afterEach, beforeEach } from '@jest/globals';
import type { Portal } from '../../../src/portal/client';
import { groupContentPages } from '../../../src/portal/resources/groups';
import type { Item } from '../../../src/portal/resources/items/item';
import { transportGroupId, transportTargetGroupId } from '../../../src/simulator/seed/transport';
import type { Simulator } from '../../../src/simulator/simulator';
import { Site, type User } from '../../interface/site';
import { downloaded, exported, imported, packageOf, uploaded } from '../../interface/transfers';
import { connect, start, stopAll } from '../../simulator/harness';

/** Two simulated portals with the group `Transport`, new for each test, and the means to carry items between them. */
export class TwoPortals {
  source!: Simulator;
  target!: Simulator;

  constructor(before = beforeEach, after = afterEach) {
    before(async () => {
      this.source = await start({ name: 'staging', version: '11.2', seed: 'transport' });
      this.target = await start({ name: 'production', version: '11.4', seed: 'transport-target' });
    });
    after(stopAll);
  }

  /** A client of either portal as one of its users. */
  connect = (end: 'source' | 'target', user: User) => connect(this[end], user);

  /** Exports items of the group and imports them, overwriting, as the owner of the groups. */
  async carry(itemIdList: string[]) {
    const [from, to] = [new Site(this.source), new Site(this.target)];
    const job = await exported(from, transportGroupId, { itemIdList });
    const packageId = await uploaded(to, await downloaded(from, packageOf(job)));
    await imported(to, transportTargetGroupId, packageId, { overwriteExistingItems: true });
  }
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
