import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { adhocBackup } from '../../../src/config/resolve-route';
import { transportItems, transportTargetGroupId } from '../../../src/simulator/seed/transport';
import type { SimulatorOptions } from '../../../src/simulator/options';
import { harms } from '../../harm/harms';
import { itLong } from '../../support/long';
import { Site, idsOf } from '../../support/site';
import { until } from '../../support/until';

let site: Site;
beforeAll(async () => {
  site = await Site.open({ wired: true, config: { limits: { packageBytes: '4MB' } } });
});
afterAll(() => site.close());

const usual: Partial<SimulatorOptions> = {
  failExport: [],
  failImport: [],
  withoutPackage: 'none',
  ignorePreviewOnly: false,
  jobMs: 0,
};
const set = (side: 'source' | 'target', options: Partial<SimulatorOptions>): void =>
  void Object.assign(site[side].settings, options);
afterEach(() => {
  for (const side of ['source', 'target'] as const) set(side, usual);
});

const { csv, pdf, image, dashboard, view } = transportItems;
const calls = (operation: string) =>
  site.target.requests().filter((request) => request.operation === operation);

describe('an export', () => {
  it('ends with nothing to do when its job has lists and no package', async () => {
    set('source', { withoutPackage: 'nothing' });
    const { record, runId } = await site.sync(site.route({ items: [dashboard, view] }));
    expect(record).toMatchObject({ status: 'nothing-to-do', target: 'untouched', leftRunning: [] });
    expect(record.error).toBeUndefined();
    expect((await site.ledger(runId)).skipped).toHaveLength(2);
  });

  it('fails with the lists of its job when that made no package of what it exported', async () => {
    set('source', { withoutPackage: 'all', failExport: [pdf] });
    const { record, runId } = await site.sync();
    expect(record).toMatchObject({ status: 'failed', target: 'untouched', leftRunning: [] });
    expect(record.error).toMatchObject({
      code: 'EXPORT_FAILED',
      message: 'staging created no package: 10 items exported, 1 failed, 2 skipped',
    });
    expect((await site.ledger(runId)).failed).toEqual([
      expect.objectContaining({ itemId: pdf, reason: 'The item could not be exported.' }),
    ]);
  });

  itLong('is never posted when its run is cancelled while the portal lists no packages', async () => {
    const { faults } = site.source;
    const asked = (operation: string) => site.asked('source', operation);
    const [listings, exports] = [asked('user.content'), asked('group.export')];
    faults.add({ match: { operation: 'user.content' }, do: { status: 503, retryAfter: 1 } });
    const handle = await site.start();
    await site.untilPhase(handle, 'export');
    await until('a look at the packages', () => asked('user.content') > listings);
    await handle.cancel();
    // An attempt that found the portal well before it heard of that would post.
    await until(
      'the export to be given up',
      () => site.state(handle),
      ({ phases }) => phases.find(({ name }) => name === 'export')?.status === 'failed',
    );
    faults.clear();
    const { record } = await site.ended(handle);
    expect(record).toMatchObject({ status: 'cancelled', target: 'untouched' });
    expect(asked('group.export')).toBe(exports);
  });
});

describe('an import', () => {
  it('waits and reports an unknown outcome when a portal imports instead of previewing', async () => {
    set('target', { ignorePreviewOnly: true, jobMs: 1_000 });
    const { items, jobs } = site.target.world;
    const before = items.change(csv, { title: 'unchanged' });
    const { record } = await site.sync(site.route({ overwrite: true, items: [csv, pdf] }));
    expect(record).toMatchObject({
      status: 'failed',
      target: 'unknown',
      error: { code: 'PREVIEW_IGNORED', origin: 'target' },
    });
    expect(items.get(csv)).toEqual(before);
    expect(calls('group.import').map(({ params }) => params)).toEqual([
      expect.objectContaining({ previewOnly: 'true', overwriteExistingItems: 'false' }),
    ]);
    const [job] = [...jobs.values()].filter(({ type }) => type === 'import');
    expect(job?.outcome).toMatchObject({ ok: true });
    for (const request of calls('item.delete'))
      expect(Date.parse(request.at)).toBeGreaterThanOrEqual(job?.modified ?? Infinity);
    expect(site.packages()).toEqual([]);
  });

  it('is partial and names what failed in portal messages, of export and import', async () => {
    set('source', { failExport: [pdf] });
    set('target', { failImport: [image] });
    site.target.world.items.remove(image);
    const { record, runId } = await site.sync(site.route({ items: [pdf, image, csv] }));
    expect(record.status).toBe('partial');
    const { failed } = await site.ledger(runId);
    expect(idsOf(failed)).toEqual([pdf, image].sort());
    expect(failed.find(({ itemId }) => itemId === pdf)?.reason).toContain('The item could not be exported.');
  });
});

describe('a portal that sends without end', () => {
  afterEach(() => {
    site.wire.replies = [];
  });

  // With what it costs memory and disk: test/harm
  it.each(
    ['a package without end', 'an answer without end'].map((name) =>
      harms.find(({ what }) => what === name)!,
    ),
  )('ends only its own run: $what [P17]', async ({ replies, code, ends }) => {
    site.wire.replies = replies;
    const route = adhocBackup(site.config, { from: 'production', group: transportTargetGroupId });
    const beside = await site.startRun('backup', { route, tags: [], force: true });
    const { record } = await site.sync();
    expect(record).toMatchObject({ status: ends, error: { code, origin: 'source' }, target: 'untouched' });
    expect((await site.ended(beside)).record.status).toBe('succeeded');
  });
});
