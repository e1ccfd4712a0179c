import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { transportItems } from '../../../src/simulator/seed/transport';
import type { Simulator } from '../../../src/simulator/simulator';
import type { SnapshotRow } from '../../../src/model/snapshot/snapshot';
import { messageNames } from '../../../src/model/run/run-input';
import { claimPackages, type FoundPackage } from '../../../src/domain/snapshot/packages';
import { keys } from '../../../src/store/keys';
import { writeFile } from '../../../src/store/store';
import { Site } from '../../support/site';
import { itLong } from '../../support/long';
import { until } from '../../support/until';
import { portrait } from './portrait';

let at: Site;
const { projects, boundaries, csv, pdf } = transportItems;
const services = [projects, boundaries];
const others = [csv, pdf];
const open = async (items?: string[]) => (at = await Site.open({ items }));

/** A snapshot whose services lie in one package and whose other items lie in another. */
async function inTwoPackages() {
  const found: FoundPackage[] = [];
  const rows: SnapshotRow[] = [];
  let id = '';
  for (const [index, items] of [services, others].entries()) {
    const { record } = await at.backup({ route: { ...at.route({ items }), target: undefined } });
    expect(record.error).toBeUndefined();
    const manifest = await at.snapshots.read(record.snapshot?.id ?? '');
    const saved = (await at.snapshots.rowsOf(manifest)).filter(({ saved: how }) => how !== 'no');
    rows.push(...saved.map((row) => ({ ...row, package: index || undefined, content: undefined })));
    if (manifest.package) found.push({ of: manifest.id, package: manifest.package });
    id = manifest.id;
  }
  const { rows: _rows, createdAt: _at, contents: _contents, ...like } = await at.snapshots.read(id);
  const [first, ...more] = await claimPackages(at.snapshots, `${id}-both`, found);
  const named = { ...like, id: `${id}-both`, chosen: undefined, package: first, more };
  return (await at.snapshots.commit(named, rows)).id;
}

/** Edits whatever is in a group: what is the same on both sides is left alone. */
function edit({ world }: Simulator, title: string) {
  for (const { id } of world.items.filter(({ groups }) => groups.length > 0))
    world.items.change(id, { title, modified: world.now() });
}

describe('a snapshot of several packages', () => {
  let id: string;
  beforeAll(async () => {
    await open([...services, ...others]);
    id = await inTwoPackages();
  });
  afterAll(() => at.close());

  it('is restored by one plan, imports no package twice, and is rolled back', async () => {
    const { target, store } = at;
    const { items } = target.world;
    items.change(boundaries, { title: 'before the restore', modified: 2 });
    at.refuseImports({ nth: 2 });
    const parked = await at.restore(id, { overwrite: true, data: 'replace' });
    expect(parked.record).toMatchObject({
      status: 'parked',
      target: 'changed',
      package: { parts: 2 },
      plan: { create: 2, overwrite: 2 },
    });
    expect(items.get(boundaries)?.title).not.toBe('before the restore');

    // The second package is lost on the portal and in the store.
    const [left = ''] = at.packages();
    items.remove(left);
    const { key = '' } = (await at.snapshots.read(id)).more?.[0] ?? {};
    const file = (await store.openFile(key))!;
    const bytes = await buffer(file.open(0, file.size));
    await store.remove(key);
    const lost = await at.resume(parked.handle);
    expect(lost.record).toMatchObject({ status: 'parked', error: { code: 'PACKAGE_MISSING' } });

    await writeFile(store, key, Readable.from([bytes]));
    items.change(csv, { title: 'edited meanwhile', modified: 3 });
    await at.answer(parked.handle, messageNames.resume, { who: 'a@b' });
    await at.waiting(parked.handle, parked.record.plan?.hash);
    await at.approve(parked.handle);
    const { record, runId } = await at.over(parked.handle);
    expect(record).toMatchObject({ status: 'succeeded' });
    expect((await at.ledger(runId)).imported).toHaveLength(4);
    const lists = at.imports().map(({ itemIdList }) => itemIdList?.split(',').sort());
    expect(lists).toEqual([services, others, others].map((list) => [...list].sort()));
    expect(at.packages()).toEqual([]);

    const undone = await at.rollback(record);
    expect(undone.record.error).toBeUndefined();
    expect(items.get(boundaries)?.title).toBe('before the restore');
    expect(items.get(csv)?.title).toBe('edited meanwhile');
  });

  itLong('is overwritten and rolled back with a safeguard of several packages', async () => {
    edit(at.target, 'here before');
    const before = await portrait(at.target);
    const restored = await at.restore(id, { overwrite: true, data: 'replace' });
    expect(restored.record).toMatchObject({ status: 'succeeded', plan: { overwrite: 4 } });
    const safeguard = await at.snapshots.read(restored.record.safeguard?.id ?? '');
    expect(safeguard.more).toHaveLength(1);
    const { record } = await at.rollback({ ...restored.record, snapshot: restored.record.safeguard });
    expect(record).toMatchObject({ status: 'succeeded', plan: { overwrite: 4 } });
    expect(await portrait(at.target)).toEqual(before);
    expect(at.packages()).toEqual([]);
  });
});

describe('a group over the limit of a package', () => {
  beforeAll(() => open());
  afterAll(() => at.close());

  it('is synced by one plan, and a lost package needs no second export [P01]', async () => {
    const { target, store } = at;
    target.faults.add({ match: { operation: 'item.add' }, nth: 1, do: 'hold' });
    const handle = await at.start(at.routeInPackages(1_100_000));
    await until('the first package is uploaded', () => target.faults.holding === 1);
    await store.remove(keys.package(handle.workflowId, 1));
    target.faults.clear();
    const parked = await at.ended(handle);
    expect(parked.record).toMatchObject({ status: 'parked', error: { code: 'PACKAGE_MISSING' } });
    const exported = at.asked('source', 'group.export');
    const { record, runId } = await at.resume(handle);
    expect(record).toMatchObject({
      status: 'succeeded',
      package: { parts: 2 },
      plan: { create: 8, overwrite: 3 },
    });
    expect((await at.ledger(runId)).imported).toHaveLength(11);
    expect([at.asked('source', 'group.export'), at.imports().length]).toEqual([exported, 2]);
    expect(at.packages()).toEqual([]);
    expect(await store.names(keys.packages)).toEqual([]);
  });

  itLong('is split when its export is too large', async () => {
    at.source.settings.maxPackageBytes = 1_100_000;
    edit(at.source, 'later');
    const { record, runId } = await at.sync(at.routeInPackages(5 * 1024 ** 3));
    expect(record.error).toBeUndefined();
    expect(record.package?.parts).toBeGreaterThan(1);
    expect((await at.ledger(runId)).imported).toHaveLength(11);
    expect(at.packages()).toEqual([]);
  });

  itLong('is backed up and restored', async () => {
    at.source.settings.maxPackageBytes = 1_100_000;
    const { record } = await at.backup({ force: true });
    expect(record.error).toBeUndefined();
    const manifest = await at.snapshots.read(record.snapshot?.id ?? '');
    expect(manifest).toMatchObject({ complete: true, more: [expect.anything()] });
    edit(at.target, 'edited since');
    const restored = await at.restore(manifest.id, { overwrite: true, data: 'replace' });
    expect(restored.record).toMatchObject({ status: 'succeeded', plan: { overwrite: 11 } });
  });
});
