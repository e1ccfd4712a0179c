import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { transportItems } from '../../../src/simulator/seed/transport';
import { Site } from '../../support/site';

let site: Site;
beforeAll(async () => {
  site = await Site.open();
});
afterAll(() => site.close());

async function stored(prefix: string): Promise<string[]> {
  const found = [];
  for await (const key of site.store.list(prefix)) found.push(key.replace(prefix, ''));
  return found;
}

/** Reads of folders of the accounts, by all runs so far. */
const folderReads = (): number =>
  [site.source, site.target]
    .flatMap((portal) => portal.requests())
    .filter(({ path }) => /\/content\/users\/[^/]+\/[0-9a-f]{32}$/.test(path)).length;

describe('cleanup', () => {
  it('leaves only records of the run in the store, and reads no folder of the accounts', async () => {
    const { runId, record } = await site.sync();
    expect([record.status, site.packages()]).toEqual(['succeeded', []]);
    expect(await stored('packages/')).toEqual([]);
    expect(await stored(`runs/${runId}/`)).toEqual([
      'created.json',
      'ledger.json',
      'plan-1.json',
      'plan-2.json',
      'record.json',
      'start.json',
      'verification.json',
    ]);
    expect(folderReads()).toBe(0);
  });

  it('reads folders of the accounts if a package is in none of their roots', async () => {
    site.editSource();
    site.source.settings.packageFolder = 'Exports';
    const { record } = await site.sync(site.route({ overwrite: true, items: [transportItems.csv] }));
    expect([record.status, site.packages()]).toEqual(['succeeded', []]);
    expect(folderReads()).toBeGreaterThan(0);
  });

  it('leaves packages on the portals if the route keeps them', async () => {
    const { csv } = transportItems;
    site.target.world.items.remove(csv);
    await site.sync(site.route({}, { keepPackages: true, items: [csv] }));
    expect(site.packages()).toHaveLength(2);
  });
});
