import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { openSnapshots } from '../../../src/domain/snapshot/snapshots';
import { SeedBuilder } from '../../../src/simulator/seed/build';
import { emptyGroupId } from '../../../src/simulator/seed/seeds';
import type { Site } from '../../support/site';
import { until } from '../../support/until';
import { appItemId, appsGroupId, commandsIn, openPipeline } from '../promotion/a-pipeline';

/** A group that the last stage lacks at first. */
const lateGroupId = 'e0000000000000000000000000000078';
const roadItemId = 'c0000000000000000000000000000001';

let site: Site;
const { run, json, recordOf, comesTo, configure, expectRun } = commandsIn(() => site);

interface Release {
  readonly id: string;
  readonly sha256: string;
  readonly groups: readonly { readonly snapshotId: string }[];
}

const create = (options = '') => recordOf(`release create transport ${options}`);
const show = (id: string) => json<Release>(`release show ${id}`);
const releaseIds = async () =>
  (await json<{ releases: Release[] }>('release list')).releases.map(({ id }) => id);
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
});
afterAll(() => site.close());

describe('doctor of a pipeline', () => {
  it('runs each preflight check of each stage and names a missing group', async () => {
    const examined = await expectRun(
      'doctor transport',
      10,
      /^ok +sign-in to dev /m,
      /^ok +owners on live +other, viewer$/m,
      /^!! +apps: group on live .*\[GROUP_NOT_FOUND\]/m,
    );
    expect(examined.stdout.match(/^ok +sign-in to live /gm)).toHaveLength(1);
    new SeedBuilder(site.third.world).group(lateGroupId, 'Apps');
    await expectRun('doctor transport', 0, 'next     portolan release create transport');
  });
});

describe('a release', () => {
  let first: Release;

  it('holds a snapshot of each group, settings, categories, starter and reason', async () => {
    const record = await create('--reason "winter closures"');
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
    await expectRun('release list', 0, 'winter closures');
    await expectRun(`release show ${first.id}`, 0, first.sha256);
  });

  it('is made by a schedule, with the same hash and no export if nothing changed [P11]', async () => {
    const weekly = { kind: 'release', pipeline: 'transport', reason: 'each week', cron: '0 5 * * SUN' };
    configure({ schedules: { weekly: { ...weekly, paused: true } } });
    await expectRun('schedule apply --yes', 0, 'release transport, due 0 5 * * SUN UTC');
    site.source.clearRequests();
    const { runId } = await json<{ runId: string }>('schedule trigger weekly');
    const made = await comesTo(runId, 'its end');
    expect(made).toMatchObject({ kind: 'release', status: 'succeeded', scheduledBy: 'weekly' });
    expect(made.children?.map((child) => child.runId)).toEqual(
      ['_001', '_002'].map((end) => `${runId.replace('release', 'backup')}${end}`),
    );
    const second = await show(made.release?.id ?? '');
    expect(second).toMatchObject({ reason: 'each week', who: 'schedule weekly', sha256: first.sha256 });
    expect(second.id > first.id).toBe(true);
    expect(site.source.requests().map(({ operation }) => operation)).not.toContain('group.export');
    await expectRun(`release diff ${first.id} ${second.id}`, 0);
    const child = made.children?.[1]?.runId ?? '';
    expect(await recordOf(`run show ${child}`)).toMatchObject({ parent: runId });
    await expectRun('schedule list', 0, /^weekly +release +transport /m);
  });

  it('is cancelled with its backups and restarted with the same groups', async () => {
    const { settings, world } = site.source;
    world.items.change(roadItemId, { title: 'Counts, winter', modified: world.now() });
    settings.jobMs = 600_000;
    const { runId } = await create('--no-wait --reason spring');
    await until(
      'a running export',
      () => site.state(site.temporal.client.workflow.getHandle(runId)),
      ({ children = [] }) => children.some(({ status }) => status === 'running'),
    );
    await run(`run cancel ${runId} --now`);
    const ended = await comesTo(runId, 'cancelled');
    expect(ended.children?.map(({ status }) => status)).not.toContain('running');
    settings.jobMs = 0;
    const again = await recordOf(`run restart ${runId} --from guard --yes`);
    expect(again).toMatchObject({
      parent: runId,
      status: 'succeeded',
      children: [{ name: 'roads' }, { name: 'apps' }],
    });
    expect(again.release?.id).not.toBe(ended.release?.id);
  });

  it('is compared with a later one, by group and item', async () => {
    await expectRun(
      `release diff ${first.id} latest:transport`,
      20,
      /apps +same/,
      /roads +changed +0 +1 +0 +1/,
      'Counts, winter',
    );
  });

  it('keeps its snapshots from being forgotten, and is kept by a pin [P09]', async () => {
    // Another snapshot is the last good one of its group by now.
    const [{ snapshotId = '' } = {}] = first.groups;
    await expectRun(`snapshot forget ${snapshotId} --yes`, 1, /part of release transport-/);
    await expectRun(`release pin ${first.id} --reason "in production"`, 0);
    await expectRun(`release forget ${first.id} --yes`, 1, 'in production');
    await run(`release unpin ${first.id}`);
    for (const id of (await releaseIds()).slice(1)) await expectRun(`release forget ${id} --yes`, 0);
    await expectRun(`snapshot forget ${snapshotId} --yes`, 0);
    await expectRun(`release show ${first.id}`, 10);
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
    ['create water', 'has no pipeline "water"; defined: transport'],
    ['diff latest nothing', 'no release "nothing"'],
    ['show latest:water', 'no release of pipeline "water"'],
  ])('is not found: release %s', async (line, words) => {
    await expectRun(`release ${line}`, 10, words);
  });

  it('is listed as unreadable if somebody altered it [P11]', async () => {
    const [id = ''] = (await readdir(path.join(site.folder, 'store', 'releases'))).sort();
    const file = path.join(site.folder, 'store', 'releases', id, 'manifest.json');
    await writeFile(file, (await readFile(file, 'utf8')).replace('"dev"', '"eve"'));
    await expectRun('release list', 0, /UNREADABLE[\s\S]*RELEASE_ALTERED/);
    await expectRun(`release show ${id}`, 1);
    await expectRun(`release forget ${id} --yes`, 0);
  });
});
