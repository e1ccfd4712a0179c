import { afterEach, describe, expect, it } from '@jest/globals';
import { transportItems } from '../../src/simulator/seed/transport';
import { Rehearsal, type RehearsalOptions } from './rehearsal';

let rehearsal: Rehearsal;
const open = async (options?: RehearsalOptions): Promise<Rehearsal> =>
  (rehearsal = await Rehearsal.open(options));
afterEach(() => rehearsal.close());

const hidden = { groups: [], owner: 'other', access: 'private' } as const;

describe('a sync whose target would overwrite what is not its business', () => {
  it.each([
    { what: 'lies outside of the group', item: { groups: [] }, portal: {} },
    { what: 'belongs to somebody else', item: { owner: 'other' }, portal: {} },
    { what: 'has another type', item: { type: 'Map Service' }, portal: {} },
    { what: 'cannot be read', item: hidden, portal: {} },
    { what: 'is refused by code 403', item: hidden, portal: { unreadable: 'denied' } },
  ] as const)('blocks and leaves alone what $what', async ({ item, portal }) => {
    await open({ target: portal });
    const { items } = rehearsal.target.world;
    const before = items.change(transportItems.csv, item);
    const { record, runId } = await rehearsal.sync(rehearsal.route({ overwrite: true, data: 'replace' }));
    expect(record.error).toBeUndefined();
    expect(record.status).toBe('partial');
    const { blocked, imported } = await rehearsal.ledger(runId);
    expect(blocked).toMatchObject([{ itemId: transportItems.csv }]);
    expect(imported).toHaveLength(10);
    expect(items.get(transportItems.csv)).toEqual(before);
    expect(rehearsal.packages()).toEqual([]);
  });

  it('does not overwrite what the safeguard could not save', async () => {
    await open({ target: { failExport: [transportItems.boundaries] } });
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

  it('names the items whose import failed, and ends partial', async () => {
    await open({ target: { failImport: [transportItems.pdf] } });
    const { record, runId } = await rehearsal.sync();
    expect(record.status).toBe('partial');
    expect((await rehearsal.ledger(runId)).failed).toMatchObject([{ itemId: transportItems.pdf }]);
  });
});
