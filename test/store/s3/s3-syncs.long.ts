import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import bytes from 'bytes';
import { forgetPeak, peakBytes, residentBytes } from '../../../bench/process-memory';
import type { RunState } from '../../../src/model/run/run-state';
import { bigGroupId, bigItemId, emptyGroupId } from '../../../src/simulator/seed/seeds';
import { openStore } from '../../../src/store/open-store';
import { keys } from '../../../src/store/keys';
import type { Store } from '../../../src/store/store';
import { cutDownloads } from '../../transfers/cut-connection';
import { WorkerProcess } from '../../transfers/worker-process';
import { Rehearsal, type RehearsalOptions } from '../../support/rehearsal';
import { S3Server } from './s3-server';
import { type S3Site, s3Site, type S3SiteOptions } from './s3-site';

/** Size of the one item in the large package: `npm run test:s3` sets 3 GB. */
const size = bytes.parse(process.env['PORTOLAN_TEST_PACKAGE'] ?? '200MB') ?? 0;
/** Growth of the worker over its idle, whatever the size: into a bucket, and out of it. @format bytes */
const most = { into: 100 * 1024 ** 2, out: 150 * 1024 ** 2 };

jest.setTimeout(240_000 + size / 5_000);

let server: S3Server;
const open: { rehearsal?: Rehearsal; worker?: WorkerProcess; site?: S3Site } = {};

beforeAll(async () => {
  server = await S3Server.start();
});
afterEach(async () => {
  await open.worker?.stop();
  await open.rehearsal?.close();
  await open.site?.close();
  for (const key of Object.keys(open)) delete open[key as keyof typeof open];
});
afterAll(() => server?.stop());

async function rehearse(options: RehearsalOptions = {}, at: S3SiteOptions = {}): Promise<Rehearsal> {
  const site = await s3Site(server, at);
  open.site = site;
  open.rehearsal = await Rehearsal.open({ ...options, config: { ...options.config, store: site.store } });
  return open.rehearsal;
}

async function listed(store: Store, prefix: string): Promise<string[]> {
  const found: string[] = [];
  for await (const key of store.list(prefix)) found.push(key);
  return found;
}

describe.each([
  ['a bucket', false],
  ['an encrypted bucket', true],
])('a sync with %s for its store', (_what, encrypted) => {
  it('goes through all phases, and leaves its records there and nothing else', async () => {
    const rehearsal = await rehearse({}, { encrypted });
    const { record, runId } = await rehearsal.sync();
    expect(record.error).toBeUndefined();
    expect(record.status).toBe('succeeded');
    expect(record.warnings?.filter((warning) => warning.includes('store'))).toEqual([]);
    expect(await listed(rehearsal.store, keys.packages)).toEqual([]);
    expect(await listed(rehearsal.store, 'check/')).toEqual([]);
    expect(await listed(rehearsal.store, keys.runs)).toContain(keys.record(runId));
    expect(await open.site?.begun?.()).toEqual([]);
  });

  it('keeps there what it overwrites', async () => {
    const rehearsal = await rehearse({}, { encrypted });
    await rehearsal.sync();
    const { record } = await rehearsal.sync(rehearsal.route({ overwrite: true }));
    expect(record.error).toBeUndefined();
    expect(record.status).toBe('succeeded');
    expect(record.plan?.overwrite).toBeGreaterThan(0);
    const snapshots = await listed(rehearsal.store, keys.snapshots);
    expect(snapshots.filter((key) => key.endsWith('/manifest.json'))).toHaveLength(1);
    expect(snapshots.filter((key) => key.endsWith('.epk'))).toHaveLength(1);
  });
});

describe('a store that cannot be used', () => {
  /** What the run said at its end; its record cannot be written. */
  const endOf = async (rehearsal: Rehearsal): Promise<RunState> => {
    const handle = await rehearsal.start();
    await handle.result().catch(() => undefined);
    return await rehearsal.state(handle);
  };
  const written = ({ source, target }: Rehearsal): string[] =>
    [source, target].flatMap((portal) =>
      portal
        .requests()
        .map(({ operation }) => operation)
        .filter((operation) => /\.(add|export|import|update|delete|share)/i.test(operation)),
    );

  it.each([
    ['denied', 'STORE_DENIED', async (bucket: string) => ({ account: await server.makeAccount(bucket) })],
    [
      'read-only',
      'STORE_DENIED',
      async (bucket: string) => ({
        account: await server.makeAccount(bucket, 's3:GetObject', 's3:ListBucket'),
      }),
    ],
    ['gone', 'STORE_MISSING', () => Promise.resolve({ bucket: 'nobody-made-this' })],
  ])('because it is %s ends the run before anything is written on a portal', async (_why, code, make) => {
    const bucket = await server.makeBucket();
    const rehearsal = await rehearse({}, { bucket, ...(await make(bucket)) });
    const state = await endOf(rehearsal);
    expect(state.status).toBe('failed');
    expect(state.error?.code).toBe(code);
    expect(state.target).toBe('untouched');
    expect(written(rehearsal)).toEqual([]);
  });
});

describe(`a package of ${bytes.format(size)} through a bucket`, () => {
  const big = (): Promise<Rehearsal> =>
    rehearse({
      worker: false,
      source: {
        seed: 'big',
        seedBytes: size,
        maxItemBytes: 2 * size,
        faults: { rules: cutDownloads([size / 2]) },
      },
      target: { seed: 'empty', maxItemBytes: 2 * size },
      groups: { source: bigGroupId, target: emptyGroupId },
      config: { limits: { itemBytes: 2 * size } },
    });

  it('goes on where the portal cut it, costs little memory, and arrives as it was', async () => {
    const rehearsal = await big();
    const worker = await WorkerProcess.start(path.join(rehearsal.folder, 'portolan.yaml'));
    open.worker = worker;
    // The library of S3 is loaded with the first use of the store; a small sync would need other portals.
    await sleep(1_000);
    const idle = (await residentBytes(worker.pid)) ?? 0;
    const growth = async (): Promise<number> => {
      const peak = ((await peakBytes(worker.pid)) ?? 0) - idle;
      await forgetPeak(worker.pid);
      return peak;
    };
    const began = Date.now();
    const handle = await rehearsal.start();
    const ending = rehearsal.ended(handle);
    let over = false;
    void ending.finally(() => (over = true));
    while (!over && !rehearsal.target.requests().some(({ operation }) => operation === 'item.add'))
      await sleep(50);
    const down = await growth();
    const { record } = await ending;
    const up = await growth();
    const seconds = ((Date.now() - began) / 1000).toFixed(0);
    process.stderr.write(
      `${bytes.format(size)} through a bucket in ${seconds} s: memory over idle ${bytes.format(down)} down, ${bytes.format(up)} up\n`,
    );
    expect(record.error).toBeUndefined();
    expect(record.status).toBe('succeeded');
    expect(record.package?.sizeBytes).toBeGreaterThan(size);
    expect(rehearsal.source.traffic().sent).toBeLessThan(1.2 * size);
    expect(rehearsal.target.world.items.get(bigItemId)?.size).toBe(
      rehearsal.source.world.items.get(bigItemId)?.size,
    );
    expect(down).toBeLessThan(most.into);
    expect(up).toBeLessThan(most.out);
  });

  it('is shown by nobody while a worker writes it, and is written by the next when that one is killed', async () => {
    const rehearsal = await big();
    const config = path.join(rehearsal.folder, 'portolan.yaml');
    const first = await WorkerProcess.start(config);
    const handle = await rehearsal.start();
    const key = keys.package(handle.workflowId, 0);
    while ((await open.site?.begun?.())?.length === 0) await sleep(20);
    await first.kill();
    expect(await openStore(rehearsal.config).openFile(key)).toBeUndefined();
    expect(await listed(rehearsal.store, keys.packages)).toEqual([]);
    open.worker = await WorkerProcess.start(config);
    const { record } = await rehearsal.ended(handle);
    expect(record.error).toBeUndefined();
    expect(record.status).toBe('succeeded');
    expect(await listed(rehearsal.store, keys.packages)).toEqual([]);
    expect(await open.site?.begun?.()).toEqual([]);
  });
});
