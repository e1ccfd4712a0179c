import { afterEach, describe, expect, it } from '@jest/globals';
import { unsupportedGroupId } from '../../../src/simulator/seed/seeds';
import { transportItems, transportTargetGroupId } from '../../../src/simulator/seed/transport';
import type { RequestLogEntry } from '../../../src/simulator/request-log';
import { itLong } from '../../support/long';
import { Rehearsal, type RehearsalOptions } from '../../support/rehearsal';
import { until } from '../../support/until';

let rehearsal: Rehearsal;
const open = async (options?: RehearsalOptions): Promise<Rehearsal> =>
  (rehearsal = await Rehearsal.open(options));
afterEach(() => rehearsal.close());

const calls = (side: 'source' | 'target', operation: string): RequestLogEntry[] =>
  rehearsal[side].requests().filter((request) => request.operation === operation);

describe('a sync to a portal that takes the preview for an import', () => {
  it('overwrites nothing, waits until the import is over, and says that the outcome is not known', async () => {
    await open({ target: { ignorePreviewOnly: true, jobMs: 1_000 } });
    const { items } = rehearsal.target.world;
    const before = items.change(transportItems.csv, { title: 'unchanged' });
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

const unknownRoute = { error: { code: 404, message: 'Resource does not exist or is inaccessible.' } };

describe('a sync between portals that tell only what the interface documents', () => {
  it('goes on without records of the groups and lists of servers, and accounts for every item', async () => {
    await open({
      source: { strict: true },
      target: { strict: true },
      user: { username: 'admin', password: 'admin-pw' },
    });
    for (const { faults } of [rehearsal.source, rehearsal.target]) {
      faults.add(
        { match: { operation: 'group.read' }, do: unknownRoute },
        { match: { operation: 'portal.servers' }, do: { status: 404 } },
        { match: { operation: 'machines.*' }, do: { status: 503, retryAfter: 0 } },
      );
    }
    const { record, runId } = await rehearsal.sync();
    expect(record.error).toBeUndefined();
    expect(record.status).toBe('succeeded');
    const { unaccounted, skipped } = await rehearsal.ledger(runId);
    expect(unaccounted).toEqual([]);
    expect(skipped.find(({ type }) => type === 'Dashboard')?.reason).toMatch(/Dashboard/);
  });
});

describe('a sync whose export is disturbed', () => {
  itLong('can be cancelled while the portal lists no packages, and has posted no export', async () => {
    await open();
    rehearsal.source.faults.add({ match: { operation: 'user.content' }, do: { status: 503, retryAfter: 1 } });
    const handle = await rehearsal.start();
    await rehearsal.untilPhase(handle, 'export');
    await until('a look at the packages', () => calls('source', 'user.content').length > 0);
    await handle.cancel();
    // An attempt that found the portal well before it heard of that would post.
    await until(
      'the export to be given up',
      () => rehearsal.state(handle),
      ({ phases }) => phases.find(({ name }) => name === 'export')?.status === 'failed',
    );
    rehearsal.source.faults.clear();
    const { record } = await rehearsal.ended(handle);
    expect(record).toMatchObject({ status: 'cancelled', target: 'untouched' });
    expect(calls('source', 'group.export')).toEqual([]);
  });

  it("names what failed in the portal's words, be it the export or the import", async () => {
    // Of the export, only the messages of the job hold the lists.
    await open({
      source: { failExport: [transportItems.pdf] },
      target: { failImport: [transportItems.image] },
    });
    const { record, runId } = await rehearsal.sync();
    expect(record.status).toBe('partial');
    const { failed } = await rehearsal.ledger(runId);
    expect(failed.find(({ itemId }) => itemId === transportItems.pdf)?.reason).toContain(
      'The item could not be exported.',
    );
    expect(failed.map(({ itemId }) => itemId).sort()).toEqual(
      [transportItems.pdf, transportItems.image].sort(),
    );
  });

  it('has nothing to do if the job on the portal ends with lists and without a package', async () => {
    const groups = { source: unsupportedGroupId, target: transportTargetGroupId };
    await open({ source: { seed: 'unsupported-only', withoutPackage: 'nothing' }, groups });
    const { record, runId } = await rehearsal.sync();
    expect(record).toMatchObject({ status: 'nothing-to-do', target: 'untouched', leftRunning: [] });
    expect(record.error).toBeUndefined();
    expect((await rehearsal.ledger(runId)).skipped).toHaveLength(2);
  });

  it('fails with the lists of the job if that made no package of what it exported', async () => {
    await open({ source: { withoutPackage: 'all', failExport: [transportItems.pdf] } });
    const { record, runId } = await rehearsal.sync();
    expect(record).toMatchObject({ status: 'failed', target: 'untouched', leftRunning: [] });
    expect(record.error).toMatchObject({
      code: 'EXPORT_FAILED',
      message: 'staging created no package: 10 items exported, 1 failed, 2 skipped',
    });
    expect((await rehearsal.ledger(runId)).failed).toEqual([
      expect.objectContaining({ itemId: transportItems.pdf, reason: 'The item could not be exported.' }),
    ]);
  });
});
