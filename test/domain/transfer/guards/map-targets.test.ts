import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { mappedItemsThere } from '../../../../src/domain/transfer/guards/group';
import { transportItems } from '../../../../src/simulator/seed/transport';
import { startTwoPortals, type TwoPortals } from '../two-portals';

const nowhere = 'f0000000000000000000000000000000';

let two: TwoPortals;
beforeAll(async () => {
  two = await startTwoPortals();
});
afterAll(() => two.close());

const asked = (items: Record<string, string>) =>
  mappedItemsThere(two.connect('target', 'admin'), 'production', { urls: {}, items });

describe('items to which the map of a stage leads', () => {
  it('are looked for on its portal, and nothing is said of a map of addresses alone', async () => {
    expect(await asked({ [nowhere]: transportItems.map })).toEqual([
      { name: 'map on production', verdict: 'pass', saw: '1 item to map to' },
    ]);
    expect(await asked({})).toEqual([]);
  });

  it('are named where they are not there, and keep nothing from going on: a release may bring them', async () => {
    const [result, ...more] = await asked({ [transportItems.map]: nowhere, [nowhere]: transportItems.map });
    expect(more).toEqual([]);
    expect(result).toMatchObject({
      verdict: 'unknown',
      saw: `map.items.${transportItems.map} maps to ${nowhere}, which is not on production`,
      todo: `Set map.items.${transportItems.map} of the stage to an item of production.`,
    });
  });
});
