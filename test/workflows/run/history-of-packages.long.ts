import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { SeedBuilder } from '../../../src/simulator/seed/build';
import { transportGroupId, transportItems } from '../../../src/simulator/seed/transport';
import { Site } from '../../support/site';

/** Each of the packages overwrites items that are saved first. On a busy machine a run has more workflow tasks. */
const atMost = { events: 450, bytes: 160_000 };
/** A package with one of these is uploaded in parts, one activity more. */
const heavy = 64 * 1024 ** 2;

let site: Site;
beforeAll(async () => {
  site = await Site.open();
});
afterAll(() => site.close());

describe('history of a sync in three packages', () => {
  it('stays small with a safeguard of each', async () => {
    const { source } = site;
    source.world.items.change(transportItems.image, { size: heavy });
    for (const number of [1, 2]) {
      const id = `b${String(number).repeat(31)}`;
      const name = `more-${number}.tif`;
      const fields = { id, title: `More ${number}`, type: 'Image', name, groups: [transportGroupId] };
      new SeedBuilder(source.world).generated(fields, heavy - number, number);
    }
    const all = site.route({ overwrite: true, data: 'replace', full: true });
    expect((await site.sync(all)).record.status).toBe('succeeded');
    site.editSource();
    const { record, handle } = await site.sync(site.routeInPackages(1.4 * heavy));
    expect(record.error).toBeUndefined();
    expect(record).toMatchObject({ package: { parts: 3 }, plan: { create: 0, overwrite: 13 } });
    expect(record.safeguard).toBeDefined();
    const { historyLength, historySize } = await handle.describe();
    expect(historyLength).toBeLessThan(atMost.events);
    expect(historySize).toBeLessThan(atMost.bytes);
  });
});
