import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, it } from '@jest/globals';
import { transportItems } from '../../../src/simulator/seed/transport';
import type { RequestLogEntry } from '../../../src/simulator/request-log';
import { Rehearsal, type RehearsalOptions } from '../../support/rehearsal';

let rehearsal: Rehearsal;
const open = async (options?: RehearsalOptions): Promise<Rehearsal> =>
  (rehearsal = await Rehearsal.open(options));
afterEach(() => rehearsal.close());

const calls = (side: 'source' | 'target', operation: string): RequestLogEntry[] =>
  rehearsal[side].requests().filter((request) => request.operation === operation);

describe('a sync to a portal that takes the preview for an import', () => {
  it('overwrites nothing, waits until the import is over, and says that the outcome is not known', async () => {
    await open({ target: { ignorePreviewOnly: true, jobMs: 3000 } });
    const { items } = rehearsal.target.world;
    const before = items.change(transportItems.csv, { title: 'as it was' });
    const { record } = await rehearsal.sync(rehearsal.route({ overwrite: true, data: 'replace' }));
    expect(record).toMatchObject({
      status: 'failed',
      target: 'unknown',
      error: { code: 'PREVIEW_IGNORED', origin: 'target' },
    });
    expect(items.get(transportItems.csv)).toEqual(before);
    expect(calls('target', 'group.import').map(({ params }) => params)).toEqual([
      expect.objectContaining({ previewOnly: 'true', overwriteExistingItems: 'false' }),
    ]);
    const [job] = [...rehearsal.target.world.jobs.values()].filter(({ type }) => type === 'import');
    expect(job?.outcome).toMatchObject({ ok: true });
    for (const { at } of calls('target', 'item.delete'))
      expect(Date.parse(at)).toBeGreaterThanOrEqual(job?.modified ?? Infinity);
    expect(rehearsal.packages()).toEqual([]);
  });

  it('looks before it asks again where the answer was lost, and begins no second import', async () => {
    const match = { operation: 'group.import' };
    const rules = [{ match, nth: 1, when: 'after', do: 'reset' } as const];
    await open({ target: { ignorePreviewOnly: true, faults: { rules } } });
    const { record } = await rehearsal.sync();
    expect(record).toMatchObject({ status: 'failed', error: { code: 'PREVIEW_IGNORED' } });
    expect(calls('target', 'group.import')).toHaveLength(1);
    expect(rehearsal.packages()).toEqual([]);
  });
});

describe('a sync between portals that place and address items in other ways', () => {
  it.each(['11.2', '11.3'])(
    'removes the packages that a portal of release %s put into a folder of its own',
    async (version) => {
      const placing = { packageFolder: 'Exports', itemCallsInFolder: true };
      await open({ source: { version, ...placing }, target: placing });
      const { record } = await rehearsal.sync();
      expect(record).toMatchObject({ status: 'succeeded' });
      expect(record.warnings.join()).not.toContain('tagged');
      expect(rehearsal.packages()).toEqual([]);
    },
  );

  it('needs no status of uploads, and takes a page for an answer that there is none', async () => {
    const lacking = { noItemStatus: true, notFoundPages: true };
    await open({ source: lacking, target: lacking, fullSize: true });
    const { record } = await rehearsal.sync();
    expect(record).toMatchObject({ status: 'succeeded' });
    expect(rehearsal.packages()).toEqual([]);
  });
});

describe('a sync from a portal that exports in other ways', () => {
  it('can be cancelled while the portal lists no packages, and has posted no export', async () => {
    await open();
    rehearsal.source.faults.add({ match: { operation: 'user.content' }, do: { status: 503, retryAfter: 1 } });
    const handle = await rehearsal.start();
    await rehearsal.untilPhase(handle, 'export');
    while (calls('source', 'user.content').length === 0) await sleep(50);
    await handle.cancel();
    rehearsal.source.faults.clear();
    const { record } = await rehearsal.ended(handle);
    expect(record).toMatchObject({ status: 'cancelled', target: 'untouched' });
    expect(calls('source', 'group.export')).toEqual([]);
  });

  it("names what failed in the portal's words, where only the job's messages hold the lists", async () => {
    await open({ source: { failExport: [transportItems.pdf] } });
    const { record, runId } = await rehearsal.sync();
    expect(record.status).toBe('partial');
    expect((await rehearsal.ledger(runId)).failed).toMatchObject([
      { itemId: transportItems.pdf, reason: expect.stringContaining('The item could not be exported.') },
    ]);
  });

  it('adopts the package of an export that was answered by HTTP 400', async () => {
    await open({ source: { exportAtOnce: true } });
    const { record } = await rehearsal.sync();
    expect(record).toMatchObject({ status: 'succeeded' });
    expect(calls('source', 'group.export')).toHaveLength(1);
    expect(rehearsal.packages()).toEqual([]);
  });
});

describe('a sync to a portal that needs to be asked again', () => {
  it('asks for the preview until the package is ready for it', async () => {
    await open();
    rehearsal.target.faults.add({
      match: { operation: 'group.import', params: { previewOnly: 'true' } },
      times: 2,
      do: { error: { code: 400, message: 'The package is not ready.' } },
    });
    const { record } = await rehearsal.sync();
    expect(record).toMatchObject({ status: 'succeeded' });
    expect(calls('target', 'group.import').filter(({ fault }) => fault)).toHaveLength(2);
  });

  it('removes a package whose removal failed at first', async () => {
    await open();
    for (const { faults } of [rehearsal.source, rehearsal.target])
      faults.add({
        match: { operation: 'item.delete' },
        times: 2,
        do: { error: { code: 500, message: 'Unable to delete item.' } },
      });
    const { record } = await rehearsal.sync();
    expect(record).toMatchObject({ status: 'succeeded' });
    expect(record.warnings.join()).not.toContain('still on');
    expect(rehearsal.packages()).toEqual([]);
  });
});
