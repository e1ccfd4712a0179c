import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { listPortalItems } from '../../../src/domain/protect/portal-items';
import type { Portal } from '../../../src/portal/client';
import { searchPages } from '../../../src/portal/resources/listings';
import { SeedBuilder } from '../../../src/simulator/seed/build';
import type { Simulator } from '../../../src/simulator/simulator';
import { connect, start, stopAll } from '../../simulator/harness';

let simulator: Simulator;
let portal: Portal;
beforeEach(async () => {
  simulator = await start();
  portal = connect(simulator, 'admin');
});
afterEach(stopAll);

const idOf = (number: number) => number.toString(16).padStart(32, '0');

/** A portal with so many items of a type. */
function fill(from: number, count: number, fields: { owner: string; type: string }) {
  const seed = new SeedBuilder(simulator.world);
  for (let number = from; number < from + count; number += 1)
    seed.item({ id: idOf(number), title: `item ${number}`, ...fields });
}

const found = async () => {
  const { items, problems } = await listPortalItems(portal, simulator.world.portal.orgId);
  return { count: items.size, problems };
};

/** Rows that searches returned, besides the first page of those that were cut. */
const searches = () => simulator.requests().filter(({ operation }) => operation === 'search').length;

describe('the items of a portal', () => {
  it('are read by one search up to its limit', async () => {
    fill(1, 250, { owner: 'owner', type: 'PDF' });
    expect(await found()).toEqual({ count: simulator.world.items.size, problems: [] });
    expect(searches()).toBe(3);
  });

  it('are all found beyond 10,000, by owner and then by type, and read once', async () => {
    fill(1, 6_000, { owner: 'owner', type: 'PDF' });
    fill(10_001, 5_000, { owner: 'admin', type: 'Web Map' });
    fill(20_001, 7_000, { owner: 'admin', type: 'Unheard Of' });
    expect(await found()).toEqual({ count: simulator.world.items.size, problems: [] });
    // Besides 180 pages: the first of searches that were cut, and one for each type that this owner has none of.
    expect(searches()).toBeLessThan(260);
  });

  it('are incomplete if an owner has more of a type than a search shows', async () => {
    fill(1, 10_050, { owner: 'owner', type: 'PDF' });
    const { problems } = await found();
    expect(problems).toEqual([
      expect.stringMatching(/^owner has more than 10.000 items of type PDF, and a search ends there$/),
    ]);
  });

  it('are incomplete if the items of an owner cannot be listed', async () => {
    fill(1, 6_000, { owner: 'owner', type: 'PDF' });
    fill(10_001, 6_000, { owner: 'admin', type: 'PDF' });
    const q = `(owner:"owner") AND accountid:${simulator.world.portal.orgId}`;
    simulator.faults.add({ match: { operation: 'search', params: { q } }, do: { error: { code: 400 } } });
    const { problems, count } = await found();
    expect(problems).toEqual([expect.stringMatching(/^items of owner cannot be listed: /)]);
    expect(count).toBeLessThan(simulator.world.items.size);
  });

  it('are incomplete if the list of members lacks an owner', async () => {
    fill(1, 6_000, { owner: 'owner', type: 'PDF' });
    fill(10_001, 6_000, { owner: 'admin', type: 'PDF' });
    fill(20_001, 3, { owner: 'hidden', type: 'PDF' });
    expect(await found()).toEqual({
      count: simulator.world.items.size,
      problems: ['3 items of owners who are not in the list of members'],
    });
  });

  it('are searched by a query too long for an address', async () => {
    const q = Array.from({ length: 200 }, (_, number) => `NOT owner:"member${number}"`).join(' AND ');
    let total: number | undefined;
    for await (const page of searchPages(portal, q)) total = page.total;
    expect(total).toBe(simulator.world.items.size);
    const asked = simulator.requests().filter(({ operation }) => operation === 'search');
    expect(asked.map(({ method }) => method)).toEqual(['POST']);
  });
});
