import { afterEach, describe, expect, it } from '@jest/globals';
import { GroupsOfItems } from '../../../../src/portal/resources/items/item-groups';
import { SeedBuilder } from '../../../../src/simulator/seed/build';
import { transportGroupId, transportItems } from '../../../../src/simulator/seed/transport';
import { connect, start, stopAll } from '../../../simulator/harness';

const { csv, pdf } = transportItems;
const [second, empty] = ['d'.repeat(32), 'e'.repeat(32)];

afterEach(stopAll);

async function setUp() {
  const simulator = await start({ seed: 'transport', unlistedGroups: [second] });
  for (const id of [second, empty]) new SeedBuilder(simulator.world).group(id, id);
  simulator.world.items.change(csv, { groups: [transportGroupId, second] });
  return { simulator, groups: new GroupsOfItems(connect(simulator, 'owner'), {}, () => undefined) };
}

const refused = { error: { code: 500, message: 'Unable to list the groups.' } };

describe('the groups of an item', () => {
  it("come from the item's own list and the groups' listings, each read once", async () => {
    const { simulator, groups } = await setUp();
    const asked = [transportGroupId, second, empty];
    expect((await groups.find(csv, asked)).ids).toEqual([transportGroupId, second].sort());
    expect((await groups.find(pdf, asked)).ids).toEqual([transportGroupId]);
    const read = simulator.requests().filter(({ operation }) => operation === 'group.content');
    expect(read.map(({ path }) => path.split('/').at(-1))).toEqual([second, empty]);
  });

  it('come from the listings alone if the portal refuses the own list', async () => {
    const { simulator, groups } = await setUp();
    simulator.faults.add({ match: { operation: 'item.groups' }, do: refused });
    const found = await groups.find(csv, [transportGroupId, second, empty]);
    expect(found).toEqual({ ids: [transportGroupId, second].sort(), unknown: [] });
  });

  it('are unknown if the portal refuses both', async () => {
    const { simulator, groups } = await setUp();
    simulator.faults.add(
      { match: { operation: 'item.groups' }, do: refused },
      { match: { operation: 'group.content' }, do: refused },
    );
    expect(await groups.find(csv, [second])).toEqual({ ids: [], unknown: [second] });
  });
});
