import { afterEach, describe, expect, it } from '@jest/globals';
import { SeedBuilder } from '../../../src/simulator/seed/build';
import { transportItems, transportTargetGroupId } from '../../../src/simulator/seed/transport';
import { Rehearsal, type RehearsalOptions } from '../../support/rehearsal';

let rehearsal: Rehearsal;
const open = async (options?: RehearsalOptions): Promise<Rehearsal> =>
  (rehearsal = await Rehearsal.open(options));
afterEach(() => rehearsal.close());

const hidden = { groups: [], owner: 'other', access: 'private' } as const;

const { csv, map, boundaries } = transportItems;

describe('a sync whose target would overwrite what is not its business', () => {
  it.each([
    {
      what: 'lies outside of the group, belongs to somebody else, or cannot be read',
      changes: { [map]: { groups: [] }, [boundaries]: { owner: 'other' }, [csv]: hidden },
      portal: {},
      says: [{ itemId: map, reason: 'belongs to owner, outside the target group' }],
    },
    {
      what: 'has another type, or is refused by code 403',
      changes: { [map]: { type: 'Map Service' }, [csv]: hidden },
      portal: { unreadable: 'denied' },
      says: [],
    },
  ] as const)('blocks and leaves alone what $what [P03][P07]', async ({ changes, portal, says }) => {
    await open({ target: portal });
    const { items } = rehearsal.target.world;
    const before = Object.entries(changes).map(([itemId, change]) => items.change(itemId, change));
    const { record, runId } = await rehearsal.sync(rehearsal.route({ overwrite: true, data: 'replace' }));
    expect(record.error).toBeUndefined();
    expect(record.status).toBe('partial');
    const { blocked, imported } = await rehearsal.ledger(runId);
    expect(blocked.map(({ itemId }) => itemId).sort()).toEqual(Object.keys(changes).sort());
    for (const each of says) expect(blocked).toContainEqual(expect.objectContaining(each));
    expect(imported).toHaveLength(11 - before.length);
    expect(Object.keys(changes).map((itemId) => items.get(itemId))).toEqual(before);
    expect(rehearsal.packages()).toEqual([]);
  });

  it.each([
    { why: 'its export failed', portal: { failExport: [transportItems.boundaries] } },
    { why: 'the job of the safeguard made no package', portal: { withoutPackage: 'all' } },
  ] as const)('does not overwrite what the safeguard could not save: $why [P04]', async ({ portal }) => {
    await open({ target: portal });
    const { record } = await rehearsal.sync(rehearsal.route({ overwrite: true, data: 'replace' }));
    expect(record).toMatchObject({
      status: 'parked',
      target: 'untouched',
      error: { code: 'SAFEGUARD_INCOMPLETE' },
    });
    const imports = rehearsal.target
      .requests()
      .filter(({ operation, params }) => operation === 'group.import' && params['previewOnly'] !== 'true');
    expect(imports).toEqual([]);
  });

  it('shares an item again with a group that only its own listing shows, on a portal that replaces', async () => {
    const [named, unnamed] = ['d'.repeat(32), 'e'.repeat(32)];
    const groups = [transportTargetGroupId, named, unnamed].sort();
    await open({ target: { overwriting: 'replace', refuseForeign: false, unlistedGroups: [unnamed] } });
    const { world } = rehearsal.target;
    for (const id of [named, unnamed]) new SeedBuilder(world).group(id, id);
    world.items.change(csv, { groups });
    const { record } = await rehearsal.sync(rehearsal.route({ overwrite: true, data: 'replace' }));
    expect(record).toMatchObject({ status: 'succeeded', verification: { findings: [] } });
    expect(world.items.get(csv)?.groups.toSorted()).toEqual(groups);
  });
});
