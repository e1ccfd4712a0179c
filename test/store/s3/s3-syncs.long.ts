import path from 'node:path';
import { afterEach, describe, expect, it, jest } from '@jest/globals';
import bytes from 'bytes';
import { bigGroupId, emptyGroupId } from '../../../src/simulator/seed/seeds';
import { openStore } from '../../../src/store/open-store';
import { keys } from '../../../src/store/keys';
import { keysUnder } from '../../../src/store/store';
import { WorkerProcess } from '../../transfers/worker-process';
import { Site, type SiteOptions } from '../../support/site';
import { until } from '../../support/until';
import { serverOfSuite } from './s3-server';
import { type S3Site, s3Site, type S3SiteOptions } from './s3-site';

/** Size of the one item in the large package: `npm run test:s3` sets 3 GB. */
const size = bytes.parse(process.env['PORTOLAN_TEST_PACKAGE'] ?? '200MB') ?? 0;
jest.setTimeout(240_000 + size / 5_000);

const server = serverOfSuite();
const open: { site?: Site; worker?: WorkerProcess; held?: S3Site } = {};

afterEach(async () => {
  await open.worker?.stop();
  await open.site?.close();
  for (const key of Object.keys(open)) delete open[key as keyof typeof open];
});

async function openSite(options: SiteOptions = {}, at: S3SiteOptions = {}) {
  const held = await s3Site(server(), at);
  open.held = held;
  open.site = await Site.open({ ...options, config: { ...options.config, store: held.store } });
  return open.site;
}

describe.each([
  ['a bucket', false],
  ['an encrypted bucket', true],
])('a sync with %s for its store', (_what, encrypted) => {
  it('keeps there its records and what it overwrites, and nothing else', async () => {
    const site = await openSite({}, { encrypted });
    const first = await site.sync();
    const { record } = await site.sync(site.route({ overwrite: true }));
    for (const each of [first.record, record]) {
      expect(each.error).toBeUndefined();
      expect(each.status).toBe('succeeded');
      expect(each.warnings?.filter((warning) => warning.includes('store'))).toEqual([]);
    }
    expect(record.plan?.overwrite).toBeGreaterThan(0);
    expect(await keysUnder(site.store, keys.packages)).toEqual([]);
    expect(await keysUnder(site.store, 'check/')).toEqual([]);
    expect(await keysUnder(site.store, keys.runs)).toContain(keys.record(first.runId));
    const snapshots = await keysUnder(site.store, keys.snapshots);
    for (const end of ['/manifest.json', '.epk'])
      expect(snapshots.filter((key) => key.endsWith(end))).toHaveLength(1);
    expect(await open.held?.begun()).toEqual([]);
  });
});

describe(`a package of ${bytes.format(size)} in a bucket`, () => {
  it('is hidden until it is complete, and written by the next worker after a kill', async () => {
    const site = await openSite({
      worker: false,
      source: { seed: 'big', seedBytes: size, maxItemBytes: 2 * size },
      target: { seed: 'empty', maxItemBytes: 2 * size },
      groups: { source: bigGroupId, target: emptyGroupId },
      config: { limits: { itemBytes: 2 * size } },
    });
    const config = path.join(site.folder, 'portolan.yaml');
    const first = await WorkerProcess.start(config);
    const handle = await site.start();
    const key = keys.package(handle.workflowId, 0);
    await until('its upload', async () => (await open.held?.begun())?.length !== 0);
    await first.kill();
    expect(await openStore(site.config).openFile(key)).toBeUndefined();
    expect(await keysUnder(site.store, keys.packages)).toEqual([]);
    open.worker = await WorkerProcess.start(config);
    const { record } = await site.ended(handle);
    expect(record.error).toBeUndefined();
    expect(record.status).toBe('succeeded');
    expect(await keysUnder(site.store, keys.packages)).toEqual([]);
    expect(await open.held?.begun()).toEqual([]);
  });
});
