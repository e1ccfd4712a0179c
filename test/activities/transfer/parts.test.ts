import { afterEach, describe, expect, it } from '@jest/globals';
import { MockActivityEnvironment } from '@temporalio/testing';
import { DefaultLogger } from '@temporalio/worker';
import { halvePart, type PartsOfRun, splitRequested } from '../../../src/activities/transfer/parts';
import { readPages, writeRequested } from '../../../src/activities/transfer/plan/stored-lists';
import { readOutcomes } from '../../../src/domain/transfer/outcomes';
import { mayGo, weightOf, withRemembered } from '../../../src/domain/transfer/packing';
import { PortolanError } from '../../../src/model/errors/errors';
import { type RequestedItem, requestedItem } from '../../../src/model/transfer/requested';
import { keys } from '../../../src/store/keys';
import type { Store } from '../../../src/store/store';
import { AStore, dyingAt } from '../../domain/snapshot/a-store';
import { aRequested } from '../../domain/transfer/facts';
import { json, portalsOf } from '../../portal/raw-portal';
import { depsAt } from '../deps-at';

const startPortal = portalsOf(afterEach);
const quiet = new DefaultLogger('ERROR');
const runId = 'backup-1';
const route = {
  name: 'transport',
  source: { portal: 'staging', url: 'https://staging', groupId: 'g' },
  options: { limits: { packageBytes: 10 } },
} as unknown as PartsOfRun['route'];

const file = (itemId: string, size: number) =>
  aRequested(itemId, { type: 'Image', title: `File ${itemId}`, size });
const service = (itemId: string, name: string) =>
  aRequested(itemId, {
    type: 'Feature Service',
    typeKeywords: ['Hosted Service'],
    size: -1,
    url: `https://gis/server/rest/services/Hosted/${name}/FeatureServer`,
    hosted: true,
  });
const map = aRequested('map', { size: 4 });

/** A run with these items; the portal tells what the map refers to, and nothing else. */
async function running(
  items: readonly RequestedItem[],
  named: readonly string[] = [],
  { folder, store }: AStore = new AStore(),
) {
  const portal = await startPortal({
    'content/items/map/data': json({ operationalLayers: named.map((url) => ({ url })) }),
  });
  await writeRequested(store, runId, items);
  const depsOver = (over: Store) => depsAt(portal, { store: over });
  const perform = <T>(activityId: string, activity: () => Promise<T>): Promise<T> =>
    new MockActivityEnvironment({ activityId }, { logger: quiet }).run(activity);
  return {
    store,
    folder,
    split: (over = store) => perform('split', () => splitRequested(depsOver(over), { runId, route })),
    /** @param call by which Temporal knows the call, however often it is tried */
    halve: (call: string, packageIndex: number, over = store) =>
      perform(call, () => halvePart(depsOver(over), { runId, packageIndex, route })),
    parts: async () => {
      const rows = await readPages(store, keys.requested(runId), requestedItem);
      const of: string[][] = [];
      for (const { itemId, packageIndex } of mayGo(rows)) (of[packageIndex] ??= []).push(itemId);
      return of;
    },
  };
}

describe('items too large for one package', () => {
  it('are split by their references, and by no unchanged or skipped items', async () => {
    const roads = service('roads', 'Roads');
    const run = await running(
      [
        file('a', 9),
        map,
        { ...file('b', 10), same: { runId: 'sync-0', as: 'imported' } },
        { ...file('c', 10), skip: 'a view' },
        roads,
        file('d', 5),
      ],
      [`${roads.url ?? ''}/0`],
    );
    expect(await run.split()).toEqual({ parts: 2 });
    expect(await run.parts()).toEqual([['a'], ['map', 'roads', 'd']]);
  });

  it('are refused by name when one is too large for any package', async () => {
    const { split } = await running([file('a', 1), file('b', 11)]);
    await expect(split()).rejects.toThrow('"File b" (b) alone makes a package larger than 10 bytes');
  });
});

describe('a package that is too large', () => {
  it('is split in two, and the next run of the route knows', async () => {
    const [roads, rails] = [service('roads', 'Roads'), service('rails', 'Rails')];
    const run = await running([file('a', 10), roads, rails, file('b', 8)]);
    expect(await run.split()).toEqual({ parts: 2 });
    const [, before = []] = await run.parts();
    expect(before).toEqual(['roads', 'rails', 'b']);
    expect(await run.halve('first', 1)).toEqual({ parts: 3 });
    const halved = await run.parts();
    expect(halved[0]).toEqual(['a']);
    expect(halved.slice(1).flat().sort()).toEqual([...before].sort());

    const { known } = await readOutcomes(run.store, route);
    const next = withRemembered([roads, rails, file('b', 8)], known, route.options);
    expect(next.map(weightOf)).toEqual([2, 2, 8]);
  });

  it('is named when it holds one item, and remembered as too large', async () => {
    const run = await running([service('roads', 'Roads')]);
    const refused = await run.halve('only', 0).catch((thrown: unknown) => thrown);
    expect(PortolanError.from(refused).code).toBe('PACKAGE_TOO_LARGE');
    expect((refused as Error).message).toContain(
      '"roads" (roads) alone makes a package larger than 10 bytes',
    );
    expect((await readOutcomes(run.store, route)).known['roads']?.bytes).toBe(11);
  });

  it('is split once when a worker is killed, and again by the next call', async () => {
    const many = Array.from({ length: 502 }, (_, at) => service(`s${at}`, `S${at}`));
    const whole = await running(many);
    await whole.halve('one', 0);
    const expected = await whole.parts();
    expect(expected.map((ids) => ids.length)).toEqual([251, 251]);
    // What is remembered, the cut, the first page of the list: before the second one, all of them are written.
    for (const writes of [1, 2, 3]) {
      const run = await running(many);
      await expect(run.halve('one', 0, dyingAt(run.store, writes))).rejects.toThrow('killed');
      expect(await run.halve('one', 0)).toEqual({ parts: 2 });
      expect(await run.parts()).toEqual(expected);
    }
    expect(await whole.halve('two', 0)).toEqual({ parts: 3 });
    expect((await whole.parts()).map((ids) => ids.length)).toEqual([125, 126, 251]);
  });
});
