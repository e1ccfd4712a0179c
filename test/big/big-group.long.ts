import { createHash } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import bytes from 'bytes';
import { deleteItemNow } from '../../src/simulator/item-records';
import { SeedBuilder } from '../../src/simulator/seed/build';
import { emptyGroupId } from '../../src/simulator/seed/seeds';
import type { Simulator } from '../../src/simulator/simulator';
import { keys } from '../../src/store/keys';
import { Site } from '../support/site';
import { until } from '../support/until';
import { WorkerProcess } from '../transfers/worker-process';
import { Growth } from './growth';

const MB = 1024 ** 2;
const itemIds = Array.from({ length: 13 }, (_, number) => `b${number.toString(16).padStart(31, '0')}`);
/** No two weigh the same; five of them fill a package under the default limit of 5 GB, and each is under that of an item. */
const bytesOf = (number: number): number => 960 * MB - number * 1_234_567;
const size = itemIds.reduce((sum, _, number) => sum + bytesOf(number), 0);
const restoredGroupId = 'e0000000000000000000000000000005';
/** Growth of the worker over its idle. @format bytes */
const most = 100 * MB;

jest.setTimeout(2 * 60 * 60_000);

describe(`a group of ${bytes.format(size)}, under the default limits`, () => {
  let at: Site;
  let worker: WorkerProcess;
  let growth: Growth;
  let planted: Record<string, string>;
  let snapshotId: string;
  /** Stays where the system does not tell. */
  let grownMost = 0;

  beforeAll(async () => {
    at = await Site.open({
      worker: false,
      source: { seed: 'empty' },
      target: { seed: 'empty' },
      config: {
        routes: {
          transport: {
            source: { portal: 'staging', group: emptyGroupId },
            target: { portal: 'production', group: emptyGroupId },
            approval: 'none',
          },
        },
      },
    });
    const { folder, source, target } = at;
    const seed = new SeedBuilder(source.world);
    for (const [number, id] of itemIds.entries()) {
      const name = `mosaic-${number}.tif`;
      // They cost no disk on the source until they are exported.
      seed.generated(
        { id, title: `Mosaic ${number}`, type: 'Image', name, groups: [emptyGroupId] },
        bytesOf(number),
        number + 1,
      );
    }
    new SeedBuilder(target.world).group(restoredGroupId, 'Restored');
    planted = await itemsOf(source, emptyGroupId);
    worker = await WorkerProcess.start(path.join(folder, 'portolan.yaml'));
  });
  afterAll(async () => {
    await worker?.stop();
    await at?.close();
  });

  const imports = (): string[] =>
    at.target
      .requests()
      .filter(({ operation, params }) => operation === 'group.import' && params['previewOnly'] !== 'true')
      .map(({ params }) => params['itemIdList'] ?? '');

  /** What there is of the runs on either portal, and of their packages in the store. */
  const left = async (): Promise<string[]> => {
    const { source, target, store } = at;
    const incoming = await Promise.all([source, target].map(({ world }) => readdir(world.files.incoming)));
    const stored: string[] = [];
    for await (const key of store.list(keys.packages)) {
      if (key.endsWith('.epk')) stored.push(key);
    }
    return [...at.packages(), ...incoming.flat(), ...stored];
  };

  const saysGrowth = async (what: string): Promise<void> => {
    const grown = await growth.most();
    grownMost = Math.max(grownMost, grown ?? 0);
    process.stderr.write(`memory over idle, ${what}: ${bytes.format(grown ?? 0)}\n`);
  };

  it('is synced in three packages, with an import each', async () => {
    const handle = await at.start(at.route());
    const end = at.ended(handle);
    // Once it has asked for the export all is loaded, and no byte of a package is there yet.
    await until('an export', () =>
      at.source.requests().some(({ operation }) => operation === 'group.export'),
    );
    growth = await Growth.of(worker.pid);
    const ended = await end;
    await saysGrowth('sync');
    expect(ended.record.error).toBeUndefined();
    expect(ended.record).toMatchObject({
      status: 'succeeded',
      package: { parts: 3 },
      plan: { create: 13 },
      verification: { findings: [] },
    });
    const lists = imports();
    expect(lists).toHaveLength(3);
    expect(lists.flatMap((list) => list.split(',')).sort()).toEqual(itemIds);
    expect(await left()).toEqual([]);
  });

  it('arrives as it was', async () => {
    expect(await itemsOf(at.target, emptyGroupId)).toEqual(planted);
  });

  it('is backed up as one snapshot of three packages', async () => {
    // What is restored is to come from the snapshot, and the disk has to hold both.
    const { world } = at.target;
    for (const id of itemIds) await deleteItemNow(world, world.items.get(id)!);
    const ended = await at.backup();
    await saysGrowth('backup');
    expect(ended.record.error).toBeUndefined();
    snapshotId = ended.record.snapshot?.id ?? '';
    const manifest = await at.snapshots.read(snapshotId);
    expect(manifest).toMatchObject({ complete: true, more: [expect.anything(), expect.anything()] });
    expect(await left()).toEqual([]);
  });

  it('is restored into another group, as it was', async () => {
    const before = imports().length;
    const ended = await at.restore(snapshotId, { into: restoredGroupId });
    await saysGrowth('restore');
    expect(ended.record.error).toBeUndefined();
    expect(ended.record).toMatchObject({
      status: 'succeeded',
      plan: { create: 13 },
      verification: { findings: [] },
    });
    expect(imports().slice(before)).toHaveLength(3);
    expect(await left()).toEqual([]);
    expect(await itemsOf(at.target, restoredGroupId)).toEqual(planted);
  });

  it(`costs the worker less than ${bytes.format(most)} of memory over idle`, () => {
    expect(grownMost).toBeLessThan(most);
  });
});

/** Size and sha256 of each item of a group, by ids. */
async function itemsOf({ world }: Simulator, groupId: string): Promise<Record<string, string>> {
  const found: Record<string, string> = {};
  for (const item of world.items.values()) {
    if (!item.groups.includes(groupId)) continue;
    const hash = createHash('sha256');
    for await (const chunk of world.files.readData(item)) hash.update(chunk as Buffer);
    found[item.id] = `${item.size} ${hash.digest('hex')}`;
  }
  return found;
}
