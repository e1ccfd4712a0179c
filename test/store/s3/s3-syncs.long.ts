import path from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import bytes from 'bytes';
import type { RunState } from '../../../src/model/run/run-state';
import { bigGroupId, emptyGroupId } from '../../../src/simulator/seed/seeds';
import { openStore } from '../../../src/store/open-store';
import { keys } from '../../../src/store/keys';
import type { Store } from '../../../src/store/store';
import { WorkerProcess } from '../../transfers/worker-process';
import { Rehearsal, type RehearsalOptions } from '../../support/rehearsal';
import { until } from '../../support/until';
import { S3Server } from './s3-server';
import { type S3Site, s3Site, type S3SiteOptions } from './s3-site';

/** Size of the one item in the large package: `npm run test:s3` sets 3 GB. */
const size = bytes.parse(process.env['PORTOLAN_TEST_PACKAGE'] ?? '200MB') ?? 0;
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
  it('keeps there its records and what it overwrites, and nothing else', async () => {
    const rehearsal = await rehearse({}, { encrypted });
    const first = await rehearsal.sync();
    const { record } = await rehearsal.sync(rehearsal.route({ overwrite: true }));
    for (const each of [first.record, record]) {
      expect(each.error).toBeUndefined();
      expect(each.status).toBe('succeeded');
      expect(each.warnings?.filter((warning) => warning.includes('store'))).toEqual([]);
    }
    expect(record.plan?.overwrite).toBeGreaterThan(0);
    expect(await listed(rehearsal.store, keys.packages)).toEqual([]);
    expect(await listed(rehearsal.store, 'check/')).toEqual([]);
    expect(await listed(rehearsal.store, keys.runs)).toContain(keys.record(first.runId));
    const snapshots = await listed(rehearsal.store, keys.snapshots);
    for (const end of ['/manifest.json', '.epk'])
      expect(snapshots.filter((key) => key.endsWith(end))).toHaveLength(1);
    expect(await open.site?.begun?.()).toEqual([]);
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
  ])('ends the run before it writes to a portal: %s', async (_why, code, make) => {
    const bucket = await server.makeBucket();
    const rehearsal = await rehearse({}, { bucket, ...(await make(bucket)) });
    const state = await endOf(rehearsal);
    expect(state.status).toBe('failed');
    expect(state.error?.code).toBe(code);
    expect(state.target).toBe('untouched');
    expect(written(rehearsal)).toEqual([]);
  });
});

describe(`a package of ${bytes.format(size)} in a bucket`, () => {
  it('is hidden until it is complete, and written by the next worker after a kill', async () => {
    const rehearsal = await rehearse({
      worker: false,
      source: { seed: 'big', seedBytes: size, maxItemBytes: 2 * size },
      target: { seed: 'empty', maxItemBytes: 2 * size },
      groups: { source: bigGroupId, target: emptyGroupId },
      config: { limits: { itemBytes: 2 * size } },
    });
    const config = path.join(rehearsal.folder, 'portolan.yaml');
    const first = await WorkerProcess.start(config);
    const handle = await rehearsal.start();
    const key = keys.package(handle.workflowId, 0);
    await until('its upload', async () => (await open.site?.begun?.())?.length !== 0);
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
