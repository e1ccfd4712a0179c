import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { z } from 'zod';
import { keepNote } from '../../../src/activities/transfer/packages';
import {
  findPackageInStore,
  findPackageOnTarget,
  isInPackage,
} from '../../../src/service/run/lookup/leftover-package';
import type { Route, RouteOptions } from '../../../src/model/transfer/route';
import type { Reuse, SyncInput } from '../../../src/model/run/run-input';
import { emptyGroupId, manyGroupId } from '../../../src/simulator/seed/seeds';
import { keys } from '../../../src/store/keys';
import { type Ended, Rehearsal } from '../../support/rehearsal';
import { itLong } from '../../support/long';
import { limitedTo } from '../../../src/service/run/parent-run';
import { runIdFor } from '../../../src/service/run/start-run';

const itemId = (number: number): string => `c${number.toString(16).padStart(31, '0')}`;

/** Every test has items of its own, so that none finds those of another on the target. */
let last = 0;
const twoItems = (): string[] => [itemId((last += 1)), itemId((last += 1))];

let rehearsal: Rehearsal;
beforeAll(async () => {
  rehearsal = await Rehearsal.open({
    source: { seed: 'many', seedItems: 20 },
    target: { seed: 'empty' },
    groups: { source: manyGroupId, target: emptyGroupId },
  });
});
afterEach(() => {
  rehearsal.target.faults.clear();
  rehearsal.target.settings.failImport = [];
});
afterAll(() => rehearsal.close());

const requestsOf = (portal: 'source' | 'target', operation: string): number =>
  rehearsal[portal].requests().filter((each) => each.operation === operation).length;

/** What a restart must not do again, counted in the logs of both portals. */
const work = () => ({
  exports: requestsOf('source', 'group.export'),
  uploads: requestsOf('target', 'item.add'),
});

const routeOf = (items: readonly string[], options: Partial<RouteOptions> = {}): Route =>
  rehearsal.route({}, { items, ...options });

/** A run that ended before its import, since the target refused that. */
async function failed(route: Route, input: Partial<SyncInput> = {}): Promise<Ended> {
  rehearsal.target.faults.add({
    match: { operation: 'group.import', params: { previewOnly: 'false' } },
    do: { error: { code: 403, message: 'Not now.' } },
  });
  const ended = await rehearsal.sync(route, { parks: false, ...input });
  rehearsal.target.faults.clear();
  expect(ended.record).toMatchObject({ status: 'failed', target: 'untouched' });
  return ended;
}

async function reuseOf({ record }: Ended): Promise<Reuse> {
  const left = await findPackageInStore(rehearsal.store, record);
  if (!left) throw new Error('no package is left');
  return { runId: left.runId, sha256: left.sha256 };
}

const again = (route: Route, parent: Ended, reuse: Reuse): Promise<Ended> =>
  rehearsal.sync(route, { reuse, parent: parent.runId });

describe('a run that takes over the package of an earlier one', () => {
  it('exports nothing after a failed run, nor after another that failed with that package, gone from the target', async () => {
    const items = twoItems();
    const parent = await failed(routeOf(items));
    const before = work();
    const gone = { ...(await reuseOf(parent)), targetPackage: 'f'.repeat(32) };
    const second = await failed(routeOf(items), { reuse: gone });
    expect(work()).toEqual({ exports: before.exports, uploads: before.uploads + 1 });
    const { record, runId } = await again(routeOf(items), second, await reuseOf(second));
    expect(record).toMatchObject({
      status: 'succeeded',
      parent: second.runId,
      package: { of: parent.runId },
    });
    expect((await rehearsal.ledger(runId)).imported.map((entry) => entry.itemId).sort()).toEqual(items);
    expect(work()).toEqual({ exports: before.exports, uploads: before.uploads + 2 });
    const skipped = record.phases.filter(({ status }) => status === 'skipped').map(({ name }) => name);
    expect(skipped).toEqual(['export', 'wait-export', 'download', 'safeguard']);
    expect(record.phases[1]?.detail).toContain(`package of ${parent.runId}, sha256 `);
  });

  itLong(
    'exports nothing after a cancelled run, whose package then stays as long as this one may need it; of that it takes what its route does not leave out',
    async () => {
      const items = twoItems();
      const handle = await rehearsal.start(routeOf(items, { approval: 'ask' }));
      await rehearsal.waiting(handle);
      await rehearsal.askToEnd(handle, { who: 'a@b' });
      const parent = await rehearsal.ended(handle);
      expect(parent.record.status).toBe('cancelled');
      const { exports } = work();
      const [taken, left] = items as [string, string];
      const few = routeOf(items, { exclude: { items: [left] } });
      const { record, runId } = await again(few, parent, await reuseOf(parent));
      expect(record.status).toBe('succeeded');
      expect(work().exports).toBe(exports);
      const { imported, skipped } = await rehearsal.ledger(runId);
      expect([imported, skipped]).toMatchObject([[{ itemId: taken }], [{ itemId: left }]]);
      const note = await rehearsal.store.readJson(keys.packageNote(parent.runId), keepNote);
      expect(note?.until).toBeGreaterThan(Date.now() + (7 * 24 + 5) * 3_600_000);
    },
  );

  itLong('imports just the items of a partial run that failed', async () => {
    const [good, bad] = twoItems() as [string, string];
    rehearsal.target.settings.failImport = [bad];
    const parent = await rehearsal.sync(routeOf([good, bad]));
    expect(parent.record.status).toBe('partial');
    rehearsal.target.settings.failImport = [];
    const left = await findPackageInStore(rehearsal.store, parent.record);
    expect(await isInPackage(rehearsal.store, parent.record, left!, [bad])).toBe(true);
    expect(await isInPackage(rehearsal.store, parent.record, left!, [itemId(16)])).toBe(false);
    const { exports } = work();
    const { runId, record } = await again(routeOf([bad]), parent, await reuseOf(parent));
    expect(record.status).toBe('succeeded');
    const ledger = await rehearsal.ledger(runId);
    expect(Object.values(ledger).flat()).toEqual(ledger.imported);
    expect(ledger.imported.map((entry) => entry.itemId)).toEqual([bad]);
    expect(work().exports).toBe(exports);
  });

  itLong('uploads nothing where the target still has the item, and removes that at its end', async () => {
    const items = twoItems();
    const parent = await failed(routeOf(items, { keepPackages: true }));
    const left = await findPackageInStore(rehearsal.store, parent.record);
    const targetPackage = await findPackageOnTarget(rehearsal, parent.record, left!);
    expect(targetPackage).toBeDefined();
    const before = work();
    const { record } = await again(routeOf(items), parent, { ...(await reuseOf(parent)), targetPackage });
    expect(record.status).toBe('succeeded');
    expect(record.phases.find(({ name }) => name === 'upload')).toMatchObject({
      status: 'skipped',
      detail: expect.stringMatching(/^reused: package /),
    });
    expect(work()).toEqual(before);
    expect(rehearsal.target.world.items.get(targetPackage!)).toBeUndefined();
  });

  it('is refused one whose bytes have changed, and told that it is gone once its time is over', async () => {
    const items = twoItems();
    const parent = await failed(routeOf(items));
    const reuse = await reuseOf(parent);
    const file = path.join(rehearsal.store.where, keys.package(parent.runId, 0));
    const bytes = await readFile(file);
    bytes[100] = bytes[100]! ^ 1;
    await writeFile(file, bytes);
    const before = work();
    const altered = await again(routeOf(items), parent, reuse);
    expect(altered.record).toMatchObject({
      status: 'failed',
      target: 'untouched',
      error: { code: 'HASH_MISMATCH' },
    });
    expect(work()).toEqual(before);

    await rehearsal.store.writeJson(keys.packageNote(parent.runId), { until: Date.now() - 1 });
    await failed(routeOf(items));
    expect(await findPackageInStore(rehearsal.store, parent.record)).toBeUndefined();
    expect(await rehearsal.store.readJson(keys.sourceIds(parent.runId), z.unknown())).toBeUndefined();
    const { record } = await again(routeOf(items), parent, reuse);
    expect(record).toMatchObject({ status: 'failed', error: { code: 'PACKAGE_MISSING' } });
    expect(record.error?.hint).toContain('Restart the run from the export');
  });
});

describe('a run that is limited to many items', () => {
  it('has them in the store, and imports just its part of that list', async () => {
    const items = twoItems();
    const many = [...Array.from({ length: 100 }, (_, at) => itemId(1000 + at)), ...items];
    const { options: all } = rehearsal.route();
    const runId = runIdFor('sync', 'transport', undefined);
    const { options, keep } = limitedTo(rehearsal.store, runId, all, many);
    await keep();
    expect(options).toMatchObject({ items: undefined, itemList: { from: 0, count: 102 } });
    const itemList = { ...options.itemList!, from: 100, count: 2 };
    const ended = await rehearsal.sync(routeOf([], { items: undefined, itemList }));
    const { imported } = await rehearsal.ledger(ended.runId);
    expect(imported.map((entry) => entry.itemId).sort()).toEqual(items);
    expect(ended.record.plan).toMatchObject({ create: 2, keep: 0 });
    expect(itemList.key).toBe(keys.itemList(runId));

    const few = limitedTo(rehearsal.store, runId, all, items);
    expect(few).toMatchObject({ options: { items, itemList: undefined } });
  });
});
