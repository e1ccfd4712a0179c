import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import { keepNote } from '../../../src/activities/transfer/packages';
import type { Reuse, SyncInput } from '../../../src/model/run/run-input';
import type { Route, RouteOptions } from '../../../src/model/transfer/route';
import { findPackageInStore } from '../../../src/service/run/lookup/leftover-package';
import { limitedTo } from '../../../src/service/run/parent-run';
import { runIdFor } from '../../../src/service/run/start-run';
import { keys } from '../../../src/store/keys';
import { type Ended, Site, manyItems } from '../../support/site';

const HOUR_MS = 3_600_000;
const itemId = (number: number) => `c${number.toString(16).padStart(31, '0')}`;

/** Items that no other test has put on the target. */
let last = 0;
const twoItems = (): [string, string] => [itemId((last += 1)), itemId((last += 1))];

let site: Site;
beforeAll(async () => {
  site = await Site.open(manyItems(20));
});
afterAll(() => site.close());

const work = () => ({
  exports: site.asked('source', 'group.export'),
  uploads: site.asked('target', 'item.add'),
});

const routeOf = (items: readonly string[], options: Partial<RouteOptions> = {}) =>
  site.route({}, { items, ...options });

/** A run that failed because the target refused its import. */
async function failed(route: Route, input: Partial<SyncInput> = {}) {
  site.refuseImports();
  const ended = await site.sync(route, { parks: false, ...input });
  site.target.faults.clear();
  expect(ended.record).toMatchObject({ status: 'failed', target: 'untouched' });
  return ended;
}

async function reuseOf({ record }: Ended): Promise<Reuse> {
  const left = await findPackageInStore(site.store, record);
  if (!left) throw new Error('no package is left');
  return { runId: left.runId, sha256: left.sha256 };
}

const restart = (route: Route, parent: Ended, reuse: Reuse) =>
  site.sync(route, { reuse, parent: parent.runId });

async function keptHours({ runId }: Ended) {
  const note = await site.store.readJson(keys.packageNote(runId), keepNote);
  return ((note?.until ?? 0) - Date.now()) / HOUR_MS;
}

describe('package of an earlier run', () => {
  const items = twoItems();
  let parent: Ended;

  it('is imported without an export, even by the second run that reuses it', async () => {
    const [taken, left] = items;
    parent = await failed(routeOf(items));
    expect(await keptHours(parent)).toBeGreaterThan(6 * 24);
    const before = work();
    const gone = { ...(await reuseOf(parent)), targetPackage: 'f'.repeat(32) };
    const second = await failed(routeOf(items), { reuse: gone });
    expect(work()).toEqual({ exports: before.exports, uploads: before.uploads + 1 });
    const few = routeOf(items, { exclude: { items: [left] } });
    const { record, runId } = await restart(few, second, await reuseOf(second));
    expect(record).toMatchObject({
      status: 'succeeded',
      parent: second.runId,
      package: { of: parent.runId },
    });
    const { imported, skipped } = await site.ledger(runId);
    expect([imported, skipped]).toMatchObject([[{ itemId: taken }], [{ itemId: left }]]);
    expect(work()).toEqual({ exports: before.exports, uploads: before.uploads + 2 });
    const phases = record.phases.filter(({ status }) => status === 'skipped').map(({ name }) => name);
    expect(phases).toEqual(['export', 'wait-export', 'download', 'safeguard']);
    expect(record.phases[1]?.detail).toContain(`package of ${parent.runId}, sha256 `);
    // Each run that uses it keeps it for as long as that run may take.
    expect(await keptHours(parent)).toBeGreaterThan(7 * 24 + 5);
  });

  it('is refused if its bytes have changed, or after a week', async () => {
    const reuse = await reuseOf(parent);
    const file = path.join(site.store.where, keys.package(parent.runId, 0));
    const bytes = await readFile(file);
    bytes[100] = bytes[100]! ^ 1;
    await writeFile(file, bytes);
    const before = work();
    const altered = await restart(routeOf(items), parent, reuse);
    expect(altered.record).toMatchObject({
      status: 'failed',
      target: 'untouched',
      error: { code: 'HASH_MISMATCH' },
    });
    expect(work()).toEqual(before);

    await site.store.writeJson(keys.packageNote(parent.runId), { until: Date.now() - 1 });
    await site.sync(routeOf(items, { planOnly: true }));
    expect(await findPackageInStore(site.store, parent.record)).toBeUndefined();
    expect(await site.store.readJson(keys.sourceIds(parent.runId), z.unknown())).toBeUndefined();
    const { record } = await restart(routeOf(items), parent, reuse);
    expect(record).toMatchObject({ status: 'failed', error: { code: 'PACKAGE_MISSING' } });
    expect(record.error?.hint).toContain('Restart the run from the export');
  });
});

describe('run limited to more than 100 items', () => {
  it('imports just its part of the list in the store', async () => {
    const items = twoItems();
    const many = [...Array.from({ length: 100 }, (_, at) => itemId(1000 + at)), ...items];
    const runId = runIdFor('sync', 'transport', undefined);
    const { options, keep } = limitedTo(site.store, runId, site.route().options, many);
    await keep();
    expect(options).toMatchObject({
      items: undefined,
      itemList: { key: keys.itemList(runId), from: 0, count: 102 },
    });
    const itemList = { ...options.itemList!, from: 100, count: 2 };
    const ended = await site.sync(routeOf([], { items: undefined, itemList }));
    const { imported } = await site.ledger(ended.runId);
    expect(imported.map((entry) => entry.itemId).sort()).toEqual(items);
    expect(ended.record.plan).toMatchObject({ create: 2, keep: 0 });
  });
});
