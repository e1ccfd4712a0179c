import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { readOutcomes } from '../../../src/domain/transfer/outcomes';
import { resolveDrill } from '../../../src/config/resolve-route';
import { emptyGroupId } from '../../../src/simulator/seed/seeds';
import {
  transportGroupId,
  transportItems,
  transportTargetGroupId,
} from '../../../src/simulator/seed/transport';
import { packagesIn } from '../../../src/model/snapshot/snapshot';
import { holdingsOfPackage } from '../../backup/holdings';
import { signIn } from '../../simulator/harness';
import { Site, type SiteOptions } from '../../support/site';
import { itLong } from '../../support/long';
import { portrait } from './portrait';

const { csv, pdf } = transportItems;
let at: Site;
const open = async (options: SiteOptions = {}) =>
  (at = await Site.open({ drillGroup: transportTargetGroupId, ...options }));

describe('a backup', () => {
  let last: string;
  beforeAll(() => open());
  afterAll(() => at.close());

  it('is a snapshot in the store, and none is added while nothing changes', async () => {
    const { record } = await at.backup({ tags: ['weekly'] });
    expect(record).toMatchObject({ status: 'succeeded', target: 'untouched', snapshot: { items: 11 } });
    const manifest = await at.snapshots.read(record.snapshot?.id ?? '');
    expect(manifest).toMatchObject({
      kind: 'backup',
      complete: true,
      tags: ['weekly'],
      package: record.package && { sha256: record.package.sha256 },
    });
    const rows = await at.snapshots.rowsOf(manifest);
    expect(
      rows
        .filter(({ saved }) => saved === 'no')
        .map(({ type }) => type)
        .sort(),
    ).toEqual(['Dashboard', 'Feature Service']);
    expect(at.packages()).toEqual([]);
    // Only the package tells the size of services.
    const route = { name: manifest.route, source: manifest.source };
    const { known } = await readOutcomes(at.store, route);
    expect(known[transportItems.roads]?.bytes).toBeGreaterThan(0);
    expect(known[csv]?.bytes).toBeUndefined();

    const same = await at.backup();
    expect(same.record).toMatchObject({
      status: 'nothing-to-do',
      snapshot: { id: manifest.id, unchanged: true },
    });
    expect(at.asked('source', 'group.export')).toBe(1);
  });

  it('with a parent snapshot exports only changed items, and nothing for removed ones', async () => {
    const weekly = { fullEveryMs: 7 * 86_400_000 };
    const { items } = at.source.world;
    // The account of the earlier snapshots is not known.
    items.change(csv, { modified: Date.now() });
    const full = (await at.backup(weekly)).record;
    items.change(csv, { title: 'Edited', modified: Date.now() });
    const exports = at.asked('source', 'group.export');
    const next = (await at.backup(weekly)).record;
    expect(next).toMatchObject({
      status: 'succeeded',
      snapshot: { items: 11, since: full.snapshot?.id, addedBytes: next.package?.sizeBytes },
    });
    const manifest = await at.snapshots.read(next.snapshot?.id ?? '');
    expect(manifest).toMatchObject({ complete: true, since: { changed: 1, removed: [] } });
    const [added, before] = packagesIn(manifest);
    expect(before?.sha256).toBe(full.snapshot?.sha256);
    const packed = await holdingsOfPackage(path.join(at.folder, 'store', added?.key ?? ''));
    expect([...packed.keys()]).toEqual([csv]);
    expect((await at.backup(weekly)).record).toMatchObject({
      status: 'nothing-to-do',
      snapshot: { id: manifest.id, unchanged: true, since: full.snapshot?.id },
    });

    const { groups = [] } = items.get(csv) ?? {};
    items.change(csv, { groups: [] });
    const without = (await at.backup(weekly)).record;
    expect(without).toMatchObject({
      status: 'succeeded',
      snapshot: { items: 10, since: manifest.id, addedBytes: 0, sizeBytes: before?.sizeBytes },
    });
    expect(at.asked('source', 'group.export')).toBe(exports + 1);
    const { since, id } = await at.snapshots.read(without.snapshot?.id ?? '');
    expect(since?.removed).toMatchObject([{ itemId: csv, title: 'Edited' }]);
    // The removed item is still in a package, but is not restored.
    items.change(csv, { groups, title: 'In the way' });
    const { plan } = (await at.restore(id, { planOnly: true })).record;
    expect(plan).toMatchObject({ create: 8, keep: 2 });
    // Nothing has changed since, but it is told to.
    items.change(csv, { groups: [], title: 'Edited' });
    const forced = (await at.backup({ ...weekly, force: true })).record;
    expect(forced.status).toBe('succeeded');
    last = forced.snapshot?.id ?? '';
    expect(packagesIn(await at.snapshots.read(last))).toHaveLength(1);
  });

  it('is previewed whole by a drill, which leaves nothing and is recorded [P10]', async () => {
    const before = await portrait(at.target);
    const imports = at.asked('target', 'group.import');
    const { record } = await at.drill();
    expect(record).toMatchObject({ status: 'succeeded', target: 'untouched', proof: 'previewed' });
    expect(await portrait(at.target)).toEqual(before);
    expect(at.asked('target', 'group.import') - imports).toBeLessThanOrEqual(1);
    expect(await at.snapshots.proofsOf(last)).toMatchObject([
      { level: 'previewed', portal: 'production', items: 10 },
    ]);

    const uploads = at.asked('target', 'item.add');
    expect((await at.drill({ import: true })).record).toMatchObject({
      status: 'failed',
      error: { code: 'NOT_SCRATCH' },
    });
    expect(at.asked('target', 'item.add')).toBe(uploads);
  });

  it('is partial if the group shrank by half, so a drill takes the one before', async () => {
    const { items } = at.source.world;
    const gone = at.source.world.itemsIn(transportGroupId).slice(0, 8);
    for (const { id } of gone) items.change(id, { groups: [] });
    const { record } = await at.backup();
    expect(record.status).toBe('partial');
    expect(await at.snapshots.read(record.snapshot?.id ?? '')).toMatchObject({ complete: false });

    // One blocked item is no proof of the snapshot.
    at.target.world.items.change(transportItems.map, { groups: [] });
    const drill = await at.drill();
    expect(drill.record).toMatchObject({
      status: 'failed',
      target: 'untouched',
      snapshot: { id: last },
      error: {
        code: 'DRILL_BLOCKED',
        message: expect.stringMatching(/^production would block 1 of 10 items/),
        hint: expect.stringMatching(/^See why: portolan run show \w+ --plan/),
      },
    });
    expect(await at.snapshots.proofsOf(last)).toHaveLength(1);
  });
});

describe('a drill', () => {
  afterEach(() => at.close());

  it('imports only into an empty scratch portal, and removes only its own items [P06]', async () => {
    await open({ portals: { role: 'scratch' }, target: { importedCreated: 'source' } });
    const { source, target } = at;
    for (const { id } of source.world.itemsIn(transportGroupId))
      if (id !== csv && id !== pdf) source.world.items.change(id, { groups: [] });
    await at.backup();
    const full = await portrait(target);
    expect((await at.drill({ import: true })).record).toMatchObject({
      status: 'failed',
      error: { code: 'DRILL_NOT_EMPTY' },
    });
    expect(await portrait(at.target)).toEqual(full);
    const { items } = target.world;
    for (const { id } of target.world.itemsIn(transportTargetGroupId)) items.remove(id);
    const before = await portrait(at.target);
    const { record } = await at.drill({ import: true });
    expect(record).toMatchObject({ status: 'succeeded', proof: 'imported', target: 'untouched' });
    expect(await portrait(at.target)).toEqual(before);
  });

  itLong('removes the folder of its import, unless that existed or holds something', async () => {
    await open({
      drillGroup: emptyGroupId,
      portals: { role: 'scratch' },
      target: { seed: 'empty', importFolder: 'Exports', jobMs: 600 },
    });
    await at.backup();
    const { world, faults } = at.target;
    const drill = async () => {
      const { record } = await at.drill({ import: true });
      expect(record).toMatchObject({ status: 'succeeded', proof: 'imported', target: 'untouched' });
      return [...world.folders.values()].map(({ title }) => title);
    };
    // The portal cannot remove the folder at first, and the items are gone when it is asked again.
    faults.add({ match: { operation: 'folder.delete' }, nth: 1, do: { status: 503 } });
    expect(await drill()).toEqual([]);

    const owner = await signIn(at.target, 'owner');
    await owner.call('/content/users/owner/createFolder', { title: 'Exports' });
    expect(await drill()).toEqual(['Exports']);

    // Somebody puts a file of their own beside the imported items.
    for (const { id } of [...world.folders.values()]) world.folders.remove(id);
    const handle = await at.startRun('drill', {
      route: resolveDrill(at.config, 'transport'),
      import: true,
    });
    while (world.folders.size === 0) await sleep(20);
    const folderId = [...world.folders.values()][0]?.id;
    const params = { type: 'PDF', title: 'My own', text: 'mine' };
    await owner.call(`/content/users/owner/${folderId}/addItem`, params);
    const { record } = await at.ended(handle);
    expect(record).toMatchObject({ status: 'partial', proof: 'imported' });
    expect(record.warnings).toContain(
      'still on production after the drill: the folder "Exports": it contains something else',
    );
    expect([...world.items.values()]).toMatchObject([{ title: 'My own', ownerFolder: folderId }]);
  });
});
