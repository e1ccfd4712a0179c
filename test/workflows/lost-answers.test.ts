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
  ];
  it.each(cases)('succeeds where they $how', async ({ options }) => {
    await open(options);
    const { record } = await rehearsal.sync();
    expect(record.error).toBeUndefined();
    expect(['succeeded', 'partial']).toContain(record.status);
    expect(record.verification?.findings).toEqual([]);
    expect(rehearsal.packages()).toEqual([]);
  });

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
