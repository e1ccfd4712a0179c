import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { said } from '../../support/in-process';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { parse, stringify } from 'yaml';
import { openSnapshots } from '../../../src/domain/snapshot/snapshots';
import type { RunRecord } from '../../../src/model/run/run';
import { SeedBuilder } from '../../../src/simulator/seed/build';
import { emptyGroupId } from '../../../src/simulator/seed/seeds';
import { jsonOf } from '../../support/json';
import type { Site } from '../../support/site';
import { until } from '../../support/until';
import { appItemId, appsGroupId, type Commands, commandsIn, openPipeline } from '../promotion/a-pipeline';

/** A group that the last stage lacks at first. */
const lateGroupId = 'e0000000000000000000000000000078';
const roadItemId = 'c0000000000000000000000000000001';

let site: Site;
let { run, recordOf, comesTo }: Commands = {} as Commands;

interface Release {
  readonly id: string;
  readonly sha256: string;
  readonly groups: readonly { readonly snapshotId: string }[];
}

const create = (...args: string[]): Promise<RunRecord> => recordOf('release', 'create', 'transport', ...args);
const show = async (id: string): Promise<Release> => jsonOf(await run('release', 'show', id, '-o', 'json'));
const releaseIds = async (): Promise<string[]> => {
  const listed = await run('release', 'list', '-o', 'json');
  return jsonOf<{ releases: Release[] }>(listed).releases.map(({ id }) => id);
};
beforeAll(async () => {
  site = await openPipeline(
    {
      live: {
        groups: { roads: emptyGroupId, apps: lateGroupId },
        owners: { default: 'viewer', map: { owner: 'other' } },
      },
    },
    {},
    { settings: true, categories: true },
  );
  ({ run, recordOf, comesTo } = commandsIn(site));
});
afterAll(() => site.close());

describe('doctor of a pipeline', () => {
  it('runs each preflight check of each stage and names a missing group', async () => {
    const examined = await run('doctor', 'transport');
    expect(examined.status).toBe(10);
    expect(examined.stdout).toMatch(/^ok +sign-in to dev /m);
    expect(examined.stdout.match(/^ok +sign-in to live /gm)).toHaveLength(1);
    expect(examined.stdout).toMatch(/^ok +owners on live +other, viewer$/m);
    expect(examined.stdout).toMatch(/^!! +apps: group on live .*\[GROUP_NOT_FOUND\]/m);
    new SeedBuilder(site.third.world).group(lateGroupId, 'Apps');
    const again = await run('doctor', 'transport');
    expect(again.stdout).toContain('next     portolan release create transport');
    expect(again.status).toBe(0);
  });
});

describe('a release', () => {
  let first: Release;

  it('holds a snapshot of each group, settings, categories, starter and reason', async () => {
    const record = await create('--reason', 'winter closures');
    expect(record).toMatchObject({
      status: 'succeeded',
      release: { id: record.runId.replace('release-', '') },
      phases: [
        { name: 'portal', status: 'done' },
        { name: 'groups', status: 'done' },
        { name: 'release', status: 'done' },
      ],
      children: [
        { name: 'roads', status: 'succeeded', items: 2 },
        { name: 'apps', status: 'succeeded', items: 1 },
      ],
    });
    first = await show('latest:transport');
    expect(first).toMatchObject({
      ...record.release,
      reason: 'winter closures',
      source: { stage: 'dev', portal: 'dev' },
      items: 3,
      settings: { count: expect.any(Number) },
      categories: { count: expect.any(Number) },
    });
    // The placement of each item, so that a stage can apply it.
    const snapshots = openSnapshots(site.config);
    const [row] = await snapshots.rowsOf(await snapshots.read(first.groups[1]?.snapshotId ?? ''));
    expect(row?.placement).toMatchObject({ owner: 'owner', folder: '/', protected: false });
    expect((await run('release', 'list')).stdout).toContain('winter closures');
    expect((await run('release', 'show', first.id)).stdout).toContain(first.sha256);
  });

  it('is made by a schedule, with the same hash and no export if nothing changed [P11]', async () => {
    const file = path.join(site.folder, 'portolan.yaml');
    const config = parse(await readFile(file, 'utf8')) as object;
    const weekly = { kind: 'release', pipeline: 'transport', reason: 'each week', cron: '0 5 * * SUN' };
    await writeFile(file, stringify({ ...config, schedules: { weekly: { ...weekly, paused: true } } }));
    const applied = await run('schedule', 'apply', '--yes');
    expect(applied.stdout).toContain('release transport, due 0 5 * * SUN UTC');
    site.source.clearRequests();
    const triggered = await run('schedule', 'trigger', 'weekly', '-o', 'json');
    const { runId } = jsonOf<{ runId: string }>(triggered);
    const made = await comesTo(runId, 'its end');
    expect(made).toMatchObject({ kind: 'release', status: 'succeeded', scheduledBy: 'weekly' });
    expect(made.children?.map((child) => child.runId)).toEqual(
      ['_001', '_002'].map((end) => `${runId.replace('release', 'backup')}${end}`),
    );
    const second = await show(made.release?.id ?? '');
    expect(second).toMatchObject({ reason: 'each week', who: 'schedule weekly', sha256: first.sha256 });
    expect(second.id > first.id).toBe(true);
    expect(site.source.requests().map(({ operation }) => operation)).not.toContain('group.export');
    expect((await run('release', 'diff', first.id, second.id)).status).toBe(0);
    const child = made.children?.[1]?.runId ?? '';
    expect(await recordOf('run', 'show', child)).toMatchObject({ parent: runId });
    expect((await run('schedule', 'list')).stdout).toMatch(/^weekly +release +transport /m);
  });

  it('is cancelled with its backups and restarted with the same groups', async () => {
    const { settings, world } = site.source;
    world.items.change(roadItemId, { title: 'Counts, winter', modified: world.now() });
    settings.jobMs = 600_000;
    const { runId } = await create('--no-wait', '--reason', 'spring');
    await until(
      'a running export',
      () => site.state(site.temporal.client.workflow.getHandle(runId)),
      ({ children = [] }) => children.some(({ status }) => status === 'running'),
    );
    await run('run', 'cancel', runId, '--now');
    const ended = await comesTo(runId, 'cancelled');
    expect(ended.children?.map(({ status }) => status)).not.toContain('running');
    settings.jobMs = 0;
    const again = await recordOf('run', 'restart', runId, '--from', 'guard', '--yes');
    expect(again).toMatchObject({
      parent: runId,
      status: 'succeeded',
      children: [{ name: 'roads' }, { name: 'apps' }],
    });
    expect(again.release?.id).not.toBe(ended.release?.id);
  });

  it('is compared with a later one, by group and item', async () => {
    const { status, stdout } = await run('release', 'diff', first.id, 'latest:transport');
    expect(status).toBe(20);
    expect(stdout).toMatch(/apps +same/);
    expect(stdout).toMatch(/roads +changed +0 +1 +0 +1/);
    expect(stdout).toContain('Counts, winter');
  });

  it('keeps its snapshots from being forgotten, and is kept by a pin [P09]', async () => {
    // Another snapshot is the last good one of its group by now.
    const [{ snapshotId = '' } = {}] = first.groups;
    expect(await run('snapshot', 'forget', snapshotId, '--yes')).toMatchObject(
      said(1, /part of release transport-/),
    );
    expect((await run('release', 'pin', first.id, '--reason', 'in production')).status).toBe(0);
    expect(await run('release', 'forget', first.id, '--yes')).toMatchObject(said(1, 'in production'));
    await run('release', 'unpin', first.id);
    for (const id of (await releaseIds()).slice(1))
      expect((await run('release', 'forget', id, '--yes')).status).toBe(0);
    expect((await run('snapshot', 'forget', snapshotId, '--yes')).status).toBe(0);
    expect((await run('release', 'show', first.id)).status).toBe(10);
  });

  it('is not made if a group is empty', async () => {
    const { world } = site.source;
    const before = await releaseIds();
    world.items.change(appItemId, { groups: [] });
    const { error } = await create();
    world.items.change(appItemId, { groups: [appsGroupId] });
    expect(error).toMatchObject({
      code: 'RELEASE_INCOMPLETE',
      message: expect.stringContaining('"apps"'),
    });
    expect(await releaseIds()).toEqual(before);
  });

  it.each([
    [['create', 'water'], 'has no pipeline "water"; defined: transport'],
    [['diff', 'latest', 'nothing'], 'no release "nothing"'],
    [['show', 'latest:water'], 'no release of pipeline "water"'],
  ])('is not found: release %j', async (args, words) => {
    expect(await run('release', ...args)).toMatchObject(said(10, words));
  });

  it('is listed as unreadable if somebody altered it [P11]', async () => {
    const [id = ''] = (await readdir(path.join(site.folder, 'store', 'releases'))).sort();
    const file = path.join(site.folder, 'store', 'releases', id, 'manifest.json');
    await writeFile(file, (await readFile(file, 'utf8')).replace('"dev"', '"eve"'));
    expect((await run('release', 'list')).stdout).toMatch(/UNREADABLE[\s\S]*RELEASE_ALTERED/);
    expect(await run('release', 'show', id)).toMatchObject({ status: 1 });
    expect((await run('release', 'forget', id, '--yes')).status).toBe(0);
  });
});
