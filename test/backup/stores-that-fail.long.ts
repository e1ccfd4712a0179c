import { until } from '../support/until';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, afterEach, describe, expect, it, jest } from '@jest/globals';
import { resolveBackup, resolveRestore } from '../../src/config/resolve-route';
import type { RunState } from '../../src/model/run/run-state';
import { transportItems, transportTargetGroupId } from '../../src/simulator/seed/transport';
import { openSnapshots } from '../../src/domain/snapshot/snapshots';
import { verifySnapshot } from '../../src/domain/snapshot/verify-snapshot';
import { serverOfSuite } from '../store/s3/s3-server';
import { s3Site, type S3SiteOptions } from '../store/s3/s3-site';
import { Site, type SiteOptions } from '../support/site';

jest.setTimeout(240_000);

let site: Site | undefined;
afterEach(async () => {
  await site?.close();
  site = undefined;
});

const openSite = async (store: object, options: SiteOptions = {}) =>
  (site = await Site.open({ ...options, config: { store } }));

/** Runs one to its end, and returns its state as Temporal has it: its record may have no place. */
async function stateOf(
  on: Site,
  kind: string,
  input: object,
  meanwhile?: () => Promise<void>,
): Promise<RunState> {
  const handle = await on.startRun(kind, { tags: [], ...input });
  await meanwhile?.();
  await handle.result().catch(() => undefined);
  return await on.state(handle);
}

const backup = (on: Site, meanwhile?: () => Promise<void>): Promise<RunState> =>
  stateOf(on, 'backup', { route: resolveBackup(on.config, 'transport') }, meanwhile);

const sync = (on: Site): Promise<RunState> => stateOf(on, 'sync', { route: on.route() });

function restore(on: Site, snapshotId: string): Promise<RunState> {
  const { portal, url, groupId } = resolveBackup(on.config, 'transport').source;
  const from = { name: 'transport', source: { portal, url, groupId } };
  const route = resolveRestore(on.config, from, { to: 'production', into: transportTargetGroupId });
  return stateOf(on, 'restore', { route, snapshotId });
}

describe('a bucket', () => {
  const server = serverOfSuite();

  const spoilt: [string, string, (bucket: string) => Promise<S3SiteOptions>][] = [
    ['denied', 'STORE_DENIED', async (bucket) => ({ bucket, account: await server().makeAccount(bucket) })],
    [
      'read-only',
      'STORE_DENIED',
      async (bucket) => ({
        bucket,
        account: await server().makeAccount(bucket, 's3:GetObject', 's3:ListBucket'),
      }),
    ],
    ['gone', 'STORE_MISSING', () => Promise.resolve({ bucket: 'nobody-made-this' })],
  ];

  it.each(spoilt)(
    'that is %s ends syncs, backups and restores before a portal is written',
    async (_, code, spoil) => {
      const good = await s3Site(server());
      const first = await openSite(good.store);
      const { snapshot } = await backup(first);
      const snapshotId = snapshot?.id ?? '';
      await first.close();

      const on = await openSite((await s3Site(server(), await spoil(good.bucket))).store);
      for (const state of [await sync(on), await backup(on), await restore(on, snapshotId)]) {
        expect(state).toMatchObject({ status: 'failed', target: 'untouched', error: { code } });
        expect(state.error?.message).toMatch(/bucket|s3:/);
      }
      expect(on.writes()).toEqual([]);
      await on.close();

      const again = await openSite({ ...good.store });
      const snapshots = openSnapshots(again.config);
      expect(await snapshots.ids()).toEqual([snapshotId]);
      expect((await verifySnapshot(snapshots, snapshotId)).problems).toEqual([]);
    },
  );
});

const MB = 1024 ** 2;
const disk = mkdtempSync(path.join(os.tmpdir(), 'portolan-small-disk-'));
/** Undefined where a disk of 16 MB could be had. */
const refused = ((): string | undefined => {
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=16m', 'tmpfs', disk], { stdio: 'pipe' });
    return undefined;
  } catch {
    return 'this account may not mount a small disk';
  }
})();
afterAll(() => {
  if (refused === undefined) execFileSync('umount', [disk]);
  rmSync(disk, { recursive: true, force: true });
});

(refused === undefined ? describe : describe.skip)(`a disk${refused ? `: ${refused}` : ''}`, () => {
  const ballast = path.join(disk, 'ballast');
  const folder = path.join(disk, 'store');
  const key = `${disk}.key`;
  /** Leaves so much room. */
  const fill = (bytes: number) => {
    const { bavail, bsize } = statfsSync(disk);
    writeFileSync(ballast, Buffer.alloc(bavail * bsize - bytes));
  };
  const atDisk = async (options: SiteOptions = {}) => {
    writeFileSync(key, 'fedcba9876543210fedcba9876543210');
    return await openSite({ type: 'local', path: folder, key: { file: key } }, options);
  };
  afterEach(() => {
    rmSync(ballast, { force: true });
    rmSync(folder, { recursive: true, force: true });
    rmSync(key, { force: true });
  });

  it('that is full ends a backup before a portal is written, and costs no snapshot', async () => {
    const on = await atDisk();
    const first = await backup(on);
    const writes = on.writes();
    fill(256 * 1024);
    on.source.world.items.change(transportItems.image, { modified: Date.now() });
    const state = await backup(on);
    expect(state).toMatchObject({ status: 'failed', error: { code: 'STORE_FULL' } });
    expect(on.writes()).toEqual(writes);
    const snapshots = openSnapshots(on.config);
    expect(await snapshots.ids()).toEqual([first.snapshot?.id]);
    expect((await verifySnapshot(snapshots, first.snapshot?.id ?? '')).problems).toEqual([]);
  });

  it('that fills up fails the backup, keeps nothing of it, and takes the next one', async () => {
    const on = await atDisk({ source: { jobPolls: 2 } });
    const snapshots = openSnapshots(on.config);
    const state = await backup(on, async () => {
      await until('the export', () => on.asked('source', 'group.export') > 0);
      fill(MB / 2);
    });
    expect(state).toMatchObject({ status: 'failed', error: { code: 'NO_SPACE' } });
    expect(state.error?.message).toMatch(/no space left in the store at/);
    expect(await snapshots.ids()).toEqual([]);
    expect(on.packages()).toEqual([]);
    rmSync(ballast);
    const next = await backup(on);
    expect(next).toMatchObject({ status: 'succeeded' });
    expect(await snapshots.ids()).toEqual([next.snapshot?.id]);
    expect((await verifySnapshot(snapshots, next.snapshot?.id ?? '')).problems).toEqual([]);
  });
});
