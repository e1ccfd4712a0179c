import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { SeedBuilder } from '../../../src/simulator/seed/build';
import { transportItems, transportTargetGroupId } from '../../../src/simulator/seed/transport';
import type { SimulatorOptions } from '../../../src/simulator/options';
import type { ItemRecord } from '../../../src/simulator/state/records';
import { Site, idsOf } from '../../support/site';

let site: Site;
beforeAll(async () => {
  site = await Site.open();
});
afterAll(() => site.close());

const set = (options: Partial<SimulatorOptions>) => void Object.assign(site.target.settings, options);
const { csv, map, boundaries, pdf } = transportItems;
let before: ItemRecord[];
beforeEach(() => {
  site.editSource();
  const { items } = site.target.world;
  before = [csv, map, boundaries].map((itemId) => items.get(itemId)!);
});
afterEach(() => {
  for (const item of before) site.target.world.items.put(item.id, item);
  set({ unreadable: 'absent', failExport: [], withoutPackage: 'none' });
});

const hidden = { groups: [], owner: 'other', access: 'private' };
const sync = (items = [csv, map, boundaries, pdf]) =>
  site.sync(site.route({ overwrite: true, data: 'replace', items }));

describe('a sync that overwrites', () => {
  it.each([
    { why: 'its export failed', portal: { failExport: [boundaries] } },
    { why: 'the job of the safeguard made no package', portal: { withoutPackage: 'all' } },
  ] as const)('does not overwrite an unsaved item: $why [P04]', async ({ portal }) => {
    set(portal);
    const { handle, record } = await sync();
    expect(record).toMatchObject({
      status: 'parked',
      target: 'untouched',
      error: { code: 'SAFEGUARD_INCOMPLETE' },
    });
    expect(site.imports()).toEqual([]);
    await site.cancel(handle);
  });

  it.each([
    {
      what: 'outside the group, of others or unreadable',
      changes: { [map]: { groups: [] }, [boundaries]: { owner: 'other' }, [csv]: hidden },
      unreadable: 'absent',
      says: [{ itemId: map, reason: 'belongs to owner, outside the target group' }],
    },
    {
      what: 'of another type or refused by code 403',
      changes: { [map]: { type: 'Map Service' }, [csv]: hidden },
      unreadable: 'denied',
      says: [],
    },
  ] as const)('blocks items $what [P03][P07]', async ({ changes, unreadable, says }) => {
    set({ unreadable });
    const { items } = site.target.world;
    const changed = Object.entries(changes).map(([itemId, change]) => items.change(itemId, change));
    const { record, runId } = await sync();
    expect(record.error).toBeUndefined();
    expect(record.status).toBe('partial');
    const { blocked, imported } = await site.ledger(runId);
    expect(idsOf(blocked)).toEqual(Object.keys(changes).sort());
    for (const each of says) expect(blocked).toContainEqual(expect.objectContaining(each));
    expect(imported).toHaveLength(4 - changed.length);
    expect(Object.keys(changes).map((itemId) => items.get(itemId))).toEqual(changed);
    expect(site.packages()).toEqual([]);
  });

  it('shares an item again with a group that only its own list of groups shows', async () => {
    const [named, unnamed] = ['d'.repeat(32), 'e'.repeat(32)];
    const groups = [transportTargetGroupId, named, unnamed].sort();
    set({ overwriting: 'replace', refuseForeign: false, unlistedGroups: [unnamed] });
    const { world } = site.target;
    for (const id of [named, unnamed]) new SeedBuilder(world).group(id, id);
    world.items.change(csv, { groups });
    const { record } = await sync([csv]);
    expect(record).toMatchObject({ status: 'succeeded', verification: { findings: [] } });
    expect(world.items.get(csv)?.groups.toSorted()).toEqual(groups);
  });
});
