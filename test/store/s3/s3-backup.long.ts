import { createHash } from 'node:crypto';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it, jest } from '@jest/globals';
import bytes from 'bytes';
import { forgetPeak, peakBytes, residentBytes } from '../../../bench/process-memory';
import { bigGroupId, bigItemId, emptyGroupId } from '../../../src/simulator/seed/seeds';
import type { Simulator } from '../../../src/simulator/simulator';
import { verifySnapshot } from '../../../src/domain/snapshot/verify-snapshot';
import { WorkerProcess } from '../../transfers/worker-process';
import { Site } from '../../support/site';
import { serverOfSuite } from './s3-server';
import { type S3Site, s3Site } from './s3-site';

/** Size of the one item in the group: `npm run test:s3` sets 3 GB. */
const size = bytes.parse(process.env['PORTOLAN_TEST_PACKAGE'] ?? '200MB') ?? 0;
/** Growth of the worker over its idle, whatever the size: into a bucket, and out of it. @format bytes */
const most = { into: 100 * 1024 ** 2, out: 150 * 1024 ** 2 };

jest.setTimeout(480_000 + size / 2_500);

const server = serverOfSuite();
let held: S3Site;
let at: Site;
let worker: WorkerProcess;

beforeAll(async () => {
  held = await s3Site(server());
  at = await Site.open({
    worker: false,
    source: { seed: 'big', seedBytes: size, maxItemBytes: 2 * size },
    target: { seed: 'empty', maxItemBytes: 2 * size },
    config: {
      store: held.store,
      limits: { itemBytes: 2 * size },
      routes: {
        transport: {
          source: { portal: 'staging', group: bigGroupId },
          target: { portal: 'production', group: emptyGroupId },
          approval: 'none',
        },
      },
    },
  });
  worker = await WorkerProcess.start(path.join(at.folder, 'portolan.yaml'));
});
afterAll(async () => {
  await worker?.stop();
  await at?.close();
});

const dataOf = async ({ world }: Simulator) => {
  const item = world.items.get(bigItemId);
  const hash = createHash('sha256');
  if (item) for await (const chunk of world.files.readData(item)) hash.update(chunk as Buffer);
  return hash.digest('hex');
};

it(`a group of ${bytes.format(size)} is backed up into a bucket and restored, in little memory`, async () => {
  // Once all is loaded, what is left is idle.
  await sleep(1_000);
  const idle = (await residentBytes(worker.pid)) ?? 0;
  const told: string[] = [];
  const growth: number[] = [];
  const measured = async <T>(what: string, work: () => Promise<T>) => {
    await forgetPeak(worker.pid);
    const began = Date.now();
    const result = await work();
    const grown = ((await peakBytes(worker.pid)) ?? 0) - idle;
    growth.push(grown);
    told.push(`${what} ${((Date.now() - began) / 1000).toFixed(0)} s, ${bytes.format(grown)} over idle`);
    return result;
  };

  const { record: kept } = await measured('backup', () => at.backup());
  expect(kept.error).toBeUndefined();
  expect(kept).toMatchObject({ status: 'succeeded', snapshot: { items: 1 } });
  expect(kept.snapshot?.sizeBytes).toBeGreaterThan(size);
  const id = kept.snapshot?.id ?? '';

  const { record } = await measured('restore', () => at.restore(id, { into: emptyGroupId }));
  process.stderr.write(`${bytes.format(size)} into a bucket and back: ${told.join('; ')}\n`);
  expect(record.error).toBeUndefined();
  expect(record).toMatchObject({
    status: 'succeeded',
    plan: { create: 1 },
    package: { sha256: kept.package?.sha256 },
  });
  expect(await dataOf(at.target)).toBe(await dataOf(at.source));
  expect(at.packages()).toEqual([]);
  expect((await verifySnapshot(at.snapshots, id)).problems).toEqual([]);
  expect(await held.begun()).toEqual([]);
  expect(growth[0]).toBeLessThan(most.into);
  expect(growth[1]).toBeLessThan(most.out);
});
