import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { transportItems } from '../../../src/simulator/seed/transport';
import { Site } from '../../support/site';

const { pdf, csv, boundaries, image, dashboard } = transportItems;
let site: Site;
beforeAll(async () => {
  site = await Site.open({ items: [pdf, csv, boundaries, image, dashboard] });
});
afterAll(() => site.close());

const elsewhere = 'https://other.example.com/portal/sharing/rest';

/** Refusals before the upload; preflight checks and exports have their own tests. */
const cases = [
  {
    code: 'CONFIG_MISMATCH',
    says: /127\.0\.0\.1.*https:\/\/other\.example\.com|https:\/\/other\.example\.com.*127\.0\.0\.1/s,
    routeOf: () => {
      const route = site.route();
      return { ...route, target: { ...route.target, url: elsewhere } };
    },
  },
  {
    code: 'ITEM_TOO_LARGE',
    says: /"Aerial, north"/,
    routeOf: () =>
      site.route({ items: [image] }, { limits: { packageBytes: 5e9, itemBytes: 1e6, freeDiskBytes: 1 } }),
  },
];

describe('refused sync', () => {
  it.each(cases)('writes nothing to the target: $code', async ({ code, says, routeOf }) => {
    const { record } = await site.sync(routeOf());
    expect(record.error).toMatchObject({ code, message: expect.stringMatching(says) });
    expect(record).toMatchObject({ status: 'failed', target: 'untouched' });
    const operations = site.target.requests().map(({ operation }) => operation);
    if (code === 'CONFIG_MISMATCH') expect(operations).toEqual([]);
    expect(operations.join()).not.toMatch(/add|commit|group\.(import|export)|delete|update/i);
    expect(site.packages()).toEqual([]);
  });
});

describe('sync with nothing to import', () => {
  it('ends nothing-to-do, but partial if the group shrank by more than half [P07]', async () => {
    const idle = { status: 'nothing-to-do', target: 'untouched' };
    const skipped = await site.sync(site.route({ items: [dashboard] }));
    expect(skipped.record).toMatchObject(idle);
    expect((await site.ledger(skipped.runId)).skipped).toHaveLength(1);

    expect((await site.sync()).record.status).toBe('succeeded');
    site.source.clearRequests();
    for (const id of [csv, boundaries, image, dashboard]) site.source.world.items.change(id, { groups: [] });
    const { record } = await site.sync();
    expect(record).toMatchObject({ status: 'partial', target: 'untouched' });
    expect(record.warnings.join()).toContain('at the last run of this route');
    const allowed = site.route({ allowShrink: true });
    expect((await site.sync(allowed)).record).toMatchObject(idle);
    expect((await site.sync()).record).toMatchObject(idle);
    expect(site.asked('source', 'group.export')).toBe(0);
    expect(site.packages()).toEqual([]);
  });
});
