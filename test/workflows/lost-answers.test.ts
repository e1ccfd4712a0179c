import { afterEach, describe, expect, it } from '@jest/globals';
import { transportItems } from '../../src/simulator/seed/transport';
import { Rehearsal, type RehearsalOptions } from './rehearsal';

let rehearsal: Rehearsal;
const open = async (options?: RehearsalOptions): Promise<Rehearsal> =>
  (rehearsal = await Rehearsal.open(options));
afterEach(() => rehearsal.close());

const posts = (side: 'source' | 'target', operation: string): number =>
  rehearsal[side]
    .requests()
    .filter((request) => request.operation === operation && request.params['previewOnly'] !== 'true').length;

describe('a sync whose portal does the work, but whose answer is lost', () => {
  it('adopts the package of the export that it began, and begins no second one', async () => {
    await open({
      source: {
        version: '11.3',
        faults: { rules: [{ match: { operation: 'group.export' }, nth: 1, when: 'after', do: 'reset' }] },
      },
    });
    const { record } = await rehearsal.sync();
    expect(record).toMatchObject({ status: 'succeeded' });
    expect(posts('source', 'group.export')).toBe(1);
    expect(rehearsal.packages()).toEqual([]);
  });

  it('never posts a second import, and rebuilds the ledger from what the target holds', async () => {
    await open({
      target: {
        faults: {
          rules: [
            {
              match: { operation: 'group.import', params: { previewOnly: 'false' } },
              nth: 1,
              when: 'after',
              do: 'reset',
            },
          ],
        },
      },
    });
    const { record, runId } = await rehearsal.sync();
    expect(record).toMatchObject({ status: 'succeeded', target: 'changed' });
    expect(posts('target', 'group.import')).toBe(1);
    const ledger = await rehearsal.ledger(runId);
    expect(ledger.imported).toHaveLength(8);
    expect(ledger.unaccounted).toEqual([]);
    expect(rehearsal.packages()).toEqual([]);
  });

  it.each([
    { operation: 'item.add', fullSize: false },
    { operation: 'item.add', fullSize: true },
    { operation: 'item.addPart', fullSize: true },
    { operation: 'item.commit', fullSize: true },
    { operation: 'item.delete', fullSize: false },
  ])(
    'looks first when the answer of $operation is lost (in parts: $fullSize)',
    async ({ operation, fullSize }) => {
      await open({
        fullSize,
        target: { faults: { rules: [{ match: { operation }, nth: 1, when: 'after', do: 'reset' }] } },
      });
      const { record } = await rehearsal.sync();
      expect(record).toMatchObject({ status: 'succeeded' });
      expect(rehearsal.packages()).toEqual([]);
    },
  );
});

describe('a sync through a bad line', () => {
  it.each([
    'reset',
    'html',
    { status: 503, retryAfter: 1 },
    { status: 429, retryAfter: 1 },
    'expireToken',
  ] as const)('goes on after %j on the first of every kind of read', async (fault) => {
    const reads = [
      'portal.self',
      'group.content',
      'job',
      'item',
      'item.data',
      'group.importPreview',
      'item.status',
    ];
    const rules = reads.map((operation) => ({ match: { operation }, nth: 1, do: fault }));
    await open({ source: { faults: { rules } }, target: { faults: { rules } } });
    expect((await rehearsal.sync()).record).toMatchObject({ status: 'succeeded' });
  });
});

const askedForPreview = { operation: 'group.import', params: { previewOnly: 'true' } };
const played = expect.objectContaining({ fault: expect.any(String) });
const lostAddItem = { match: { operation: 'item.add' }, nth: 1, when: 'after', do: 'reset' } as const;

describe('a sync between portals that speak the interface in other ways', () => {
  const cases: readonly { how: string; options: RehearsalOptions }[] = [
    {
      how: 'answer no field beyond the interface',
      options: { source: { strict: true }, target: { strict: true } },
    },
    {
      how: 'redirect item data to another server',
      options: { source: { redirect: true }, target: { redirect: true } },
    },
    {
      how: 'know no Range and tell no length',
      options: { source: { noRange: true, noLength: true }, target: { noRange: true, noLength: true } },
    },
    {
      how: 'list skipped and failed items as plain strings',
      options: { source: { entryShape: 'string' }, target: { entryShape: 'string' } },
    },
    { how: 'page the preview by its own id', options: { target: { previewId: 'summary' } } },
    {
      how: 'are administered by whoever signs in',
      options: { user: { username: 'admin', password: 'admin-pw' } },
    },
    {
      how: 'are the first version that has group export',
      options: { source: { version: '10.8.1' }, target: { version: '10.8.1' } },
    },
    {
      how: 'tell their version in one scheme only',
      options: { source: { noEnterpriseVersion: true }, target: { noEnterpriseVersion: true } },
    },
    { how: 'put the lists into the result of the export too', options: { source: { exportLists: true } } },
    { how: 'prepare the preview for a while', options: { target: { previewLagMs: 3000 } } },
    {
      how: 'answer a page to the request for a preview',
      options: { target: { faults: { rules: [{ match: askedForPreview, when: 'after', do: 'html' }] } } },
    },
    {
      how: 'list no upload before its commit, and lose the answer that begins it',
      options: { fullSize: true, target: { hidePartial: true, faults: { rules: [lostAddItem] } } },
    },
    {
      how: 'put imported items into a folder of their own choice',
      options: { target: { importFolder: 'Exports' } },
    },
  ];
  it.each(cases)('succeeds where they $how', async ({ options }) => {
    await open(options);
    const { record } = await rehearsal.sync();
    expect(record.error).toBeUndefined();
    expect(['succeeded', 'partial']).toContain(record.status);
    expect(record.verification?.findings).toEqual([]);
    expect(rehearsal.packages()).toEqual([]);
    if (options.target?.faults) expect(rehearsal.target.requests()).toContainEqual(played);
  });

  it.each([
    { what: 'lies outside of the group', item: { groups: [] }, portal: {} },
    { what: 'belongs to somebody else', item: { owner: 'other' }, portal: {} },
    { what: 'has another type', item: { type: 'Map Service' }, portal: {} },
    { what: 'cannot be read', item: { groups: [], owner: 'other', access: 'private' }, portal: {} },
    {
      what: 'is refused by code 403',
      item: { groups: [], owner: 'other', access: 'private' },
      portal: { unreadable: 'denied' },
    },
  ] as const)(
    'blocks and leaves alone what $what, though the portal would overwrite it',
    async ({ item, portal }) => {
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
    },
  );

  it('names the items whose import failed, and ends partial', async () => {
    await open({ target: { failImport: [transportItems.pdf] } });
    const { record, runId } = await rehearsal.sync();
    expect(record.status).toBe('partial');
    expect((await rehearsal.ledger(runId)).failed).toMatchObject([{ itemId: transportItems.pdf }]);
  });

  it('does not overwrite what the safeguard could not save', async () => {
    await open({ target: { failExport: [transportItems.boundaries] } });
    const { record } = await rehearsal.sync(rehearsal.route({ overwrite: true, data: 'replace' }));
    expect(record).toMatchObject({
      status: 'failed',
      target: 'untouched',
      error: { code: 'SAFEGUARD_INCOMPLETE' },
    });
    expect(posts('target', 'group.import')).toBe(0);
  });
});
