import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { parse, stringify } from 'yaml';
import { openSnapshots } from '../../../src/domain/snapshot/snapshots';
import { runRecord, type RunRecord } from '../../../src/model/run/run';
import { SeedBuilder } from '../../../src/simulator/seed/build';
import { emptyGroupId, manyGroupId } from '../../../src/simulator/seed/seeds';
import { builtInUsers } from '../../../src/simulator/seed/users';
import type { Ended } from '../../support/child';
import { inProcess } from '../../support/in-process';
import { Rehearsal } from '../../support/rehearsal';
import { until } from '../../support/until';
import { jsonOf } from '../../support/json';

const appsGroupId = 'e0000000000000000000000000000077';
const appItemId = 'e7000000000000000000000000000001';

let rehearsal: Rehearsal;
const run = (...args: string[]): Promise<Ended> => inProcess(args, { cwd: rehearsal.folder });

interface Made {
  readonly id: string;
  readonly sha256: string;
  readonly groups: readonly { readonly name: string; readonly snapshotId: string; readonly sha256: string }[];
}

async function create(...args: string[]): Promise<{ status: number | null; record: RunRecord }> {
  const ended = await run('release', 'create', 'transport', ...args, '-o', 'json');
  return { status: ended.status, record: runRecord.parse(jsonOf(ended)) };
}
const show = (text: string): Promise<Made> => run('release', 'show', text, '-o', 'json').then(jsonOf<Made>);

beforeAll(async () => {
  rehearsal = await Rehearsal.open({
    listed: true,
    user: builtInUsers.admin,
    source: { seed: 'many', seedItems: 3 },
    target: { seed: 'empty' },
    names: { source: 'dev', target: 'live' },
    config: {
      routes: {},
      pipelines: {
        transport: {
          groups: ['roads', 'apps'],
          settings: true,
          categories: true,
          stages: {
            dev: { portal: 'dev', groups: { roads: manyGroupId, apps: appsGroupId } },
            live: {
              portal: 'live',
              groups: { roads: emptyGroupId, apps: 'e0000000000000000000000000000078' },
              owners: { default: 'viewer', map: { owner: 'other' } },
            },
          },
        },
      },
    },
  });
  const seed = new SeedBuilder(rehearsal.source.world);
  seed.group(appsGroupId, 'Apps');
  const app = { id: appItemId, title: 'Closures', type: 'Web Map', groups: [appsGroupId] };
  await seed.file(app, { operationalLayers: [] });
});
afterAll(() => rehearsal.close());

describe('doctor of a pipeline', () => {
  it('asks each guard on the way into each stage, and names the group that is not there', async () => {
    const examined = await run('doctor', 'transport');
    expect(examined.status).toBe(10);
    expect(examined.stdout).toMatch(/^ok +sign-in to dev /m);
    expect(examined.stdout).toMatch(/^ok +sign-in to live /m);
    expect(examined.stdout.match(/sign-in to live/g)).toHaveLength(1);
    expect(examined.stdout).toMatch(/^ok +owners on live +other, viewer$/m);
    expect(examined.stdout).toMatch(/^!! +apps: group on live .*\[GROUP_NOT_FOUND\]/m);
    const seed = new SeedBuilder(rehearsal.target.world);
    seed.group('e0000000000000000000000000000078', 'Apps');
    const again = await run('doctor', 'transport');
    expect(again.stdout).toContain('next     portolan release create transport');
    expect(again.status).toBe(0);
  });
});

describe('a release', () => {
  let first: Made;

  it('holds a snapshot of each group, settings and categories, and says who made it and why', async () => {
    const { status, record } = await create('--reason', 'winter closures');
    expect({ status, error: record.error }).toEqual({ status: 0, error: undefined });
    expect(record.phases.map(({ name, status: of }) => `${name} ${of}`)).toEqual([
      'portal done',
      'groups done',
      'release done',
    ]);
    expect(record.release?.id).toBe(record.runId.replace('release-', ''));
    expect(record.children?.map(({ name, status: of, items }) => [name, of, items])).toEqual([
      ['roads', 'succeeded', 3],
      ['apps', 'succeeded', 1],
    ]);
    first = await show('latest:transport');
    expect(first).toMatchObject({
      id: record.release?.id,
      sha256: record.release?.sha256,
      reason: 'winter closures',
      source: { stage: 'dev', portal: 'dev' },
      items: 4,
      settings: { count: expect.any(Number) },
      categories: { count: expect.any(Number) },
    });
    // How each item stands, so that whoever creates it elsewhere can put that right.
    const snapshots = openSnapshots(rehearsal.config);
    const { snapshotId = '' } = first.groups[1] ?? {};
    const [row] = await snapshots.rowsOf(await snapshots.read(snapshotId));
    expect(row?.placement).toMatchObject({ owner: 'owner', folder: '/', protected: false });
    const listed = await run('release', 'list');
    expect(listed.stdout).toContain('winter closures');
    expect((await run('release', 'show', first.id)).stdout).toContain(first.sha256);
  });

  it('of what nobody has touched has the same bytes, and exports nothing', async () => {
    const exportsBefore = posts('group.export');
    const { record } = await create();
    expect(record.status).toBe('succeeded');
    const second = await show(record.release?.id ?? '');
    expect(second.id > first.id).toBe(true);
    expect(second.sha256).toBe(first.sha256);
    expect(posts('group.export')).toBe(exportsBefore);
    expect((await run('release', 'diff', first.id, second.id)).status).toBe(0);
  });

  it('is compared with a later one, group by group and item by item', async () => {
    const { world } = rehearsal.source;
    world.items.change(appItemId, { title: 'Closures, winter', modified: world.now() });
    await create();
    const compared = await run('release', 'diff', first.id, 'latest:transport');
    expect(compared.status).toBe(20);
    expect(compared.stdout).toMatch(/roads +same/);
    expect(compared.stdout).toMatch(/apps +changed +0 +1 +0 +0/);
    expect(compared.stdout).toContain('Closures, winter');
  });

  it('holds its snapshots: they are not forgotten as long as it is there', async () => {
    const [roads] = first.groups;
    // Another one takes its place as the last good one of its group.
    const { world } = rehearsal.source;
    for (const { id } of [...world.items.values()].filter((each) => each.id !== appItemId))
      world.items.change(id, { title: `of ${id}`, modified: world.now() });
    await create();
    const kept = await run('snapshot', 'forget', roads?.snapshotId ?? '', '--yes');
    expect(kept.status).toBe(1);
    expect(kept.stderr).toMatch(/part of release transport-/);

    expect((await run('release', 'pin', first.id, '--reason', 'in production')).status).toBe(0);
    const pinned = await run('release', 'forget', first.id, '--yes');
    expect([pinned.status, pinned.stderr.includes('in production')]).toEqual([1, true]);
    await run('release', 'unpin', first.id);
    expect((await run('release', 'forget', first.id, '--yes')).status).toBe(0);
    // Two others hold the same snapshot of that group.
    const { releases } = await run('release', 'list', '-o', 'json').then(jsonOf<{ releases: Made[] }>);
    for (const { id } of releases.slice(1)) await run('release', 'forget', id, '--yes');
    expect((await run('snapshot', 'forget', roads?.snapshotId ?? '', '--yes')).status).toBe(0);
    expect((await run('release', 'show', first.id)).status).toBe(10);
  });

  it('is not made where a group is empty: nothing of it is left', async () => {
    const { world } = rehearsal.source;
    world.items.change(appItemId, { groups: [] });
    const before = await run('release', 'list', '-o', 'json').then(jsonOf<{ releases: Made[] }>);
    const { status, record } = await create();
    expect({ status, code: record.error?.code }).toEqual({ status: 1, code: 'RELEASE_INCOMPLETE' });
    expect(record.error?.message).toContain('"apps"');
    world.items.change(appItemId, { groups: [appsGroupId] });
    const after = await run('release', 'list', '-o', 'json').then(jsonOf<{ releases: Made[] }>);
    expect(after.releases.map(({ id }) => id)).toEqual(before.releases.map(({ id }) => id));
  });

  it('ends with its backups when it is cancelled, leaves nothing, and is begun again as it was asked', async () => {
    const { settings, world } = rehearsal.source;
    world.items.change(appItemId, { title: 'Closures, spring', modified: world.now() });
    settings.jobMs = 600_000;
    const started = await run(
      'release',
      'create',
      'transport',
      '--no-wait',
      '--reason',
      'spring',
      '-o',
      'json',
    );
    const { runId } = runRecord.parse(jsonOf(started));
    await until(
      'an export of it is under way',
      () => shown(runId),
      ({ children = [] }) => children.some(({ status }) => status === 'running'),
    );
    await run('run', 'cancel', runId, '--now');
    const ended = await until(
      'it to end',
      () => shown(runId),
      ({ finishedAt }) => finishedAt !== undefined,
    );
    expect(ended.status).toBe('cancelled');
    expect(ended.children?.map(({ status }) => status)).not.toContain('running');
    settings.jobMs = 0;
    const again = await run('run', 'restart', runId, '--from', 'guard', '--yes', '-o', 'json');
    const { release, parent, status, children } = runRecord.parse(jsonOf(again));
    expect({ parent, status, groups: children?.map(({ name }) => name) }).toEqual({
      parent: runId,
      status: 'succeeded',
      groups: ['roads', 'apps'],
    });
    expect(release?.id).not.toBe(ended.release?.id);
  });

  it('is made by the clock, and its groups are backed up as parts of that run', async () => {
    const file = path.join(rehearsal.folder, 'portolan.yaml');
    const given = parse(await readFile(file, 'utf8')) as object;
    const weekly = { kind: 'release', pipeline: 'transport', reason: 'each week', cron: '0 5 * * SUN' };
    await writeFile(file, stringify({ ...given, schedules: { weekly: { ...weekly, paused: true } } }));
    const applied = await run('schedule', 'apply', '--yes');
    expect(applied.stdout).toContain('release transport, due 0 5 * * SUN UTC');
    rehearsal.source.world.items.change(appItemId, { title: 'Closures, by the clock' });
    const { runId } = await run('schedule', 'trigger', 'weekly', '-o', 'json').then(
      jsonOf<{ runId: string }>,
    );
    const made = await until(
      'it to end',
      () => shown(runId),
      ({ finishedAt }) => finishedAt !== undefined,
    );
    expect(made).toMatchObject({ kind: 'release', status: 'succeeded', scheduledBy: 'weekly' });
    expect(made.children?.map(({ runId: of }) => of)).toEqual(
      ['_001', '_002'].map((end) => `${runId.replace('release', 'backup')}${end}`),
    );
    expect(await show(made.release?.id ?? '')).toMatchObject({ reason: 'each week', who: 'schedule weekly' });
    const part = made.children?.[1]?.runId ?? '';
    expect(await shown(part.slice(part.indexOf('weekly')))).toMatchObject({ runId: part, parent: runId });
    expect((await run('schedule', 'list')).stdout).toMatch(/^weekly +release +transport /m);
    await writeFile(file, stringify(given));
    await run('schedule', 'apply', '--yes');
  });

  it('that somebody altered is shown as that, and held for none [P11]', async () => {
    const [id = ''] = (await readdir(path.join(rehearsal.folder, 'store', 'releases'))).sort();
    const file = path.join(rehearsal.folder, 'store', 'releases', id, 'manifest.json');
    const text = await readFile(file, 'utf8');
    await writeFile(file, text.replace('"dev"', '"eve"'));
    const listed = await run('release', 'list');
    expect(listed.stdout).toMatch(/UNREADABLE[\s\S]*RELEASE_ALTERED/);
    expect(await run('release', 'show', id)).toMatchObject({ status: 1 });
    expect((await run('release', 'forget', id, '--yes')).status).toBe(0);
  });

  it.each([
    [['release', 'create', 'water'], 10, 'has no pipeline "water"; defined: transport'],
    [['release', 'show', 'nothing'], 10, 'no release "nothing"'],
    [['release', 'diff', 'latest', 'nothing'], 10, 'no release "nothing"'],
    [['release', 'show', 'latest:water'], 10, 'no release of pipeline "water"'],
  ])('%j ends with %i and one clear sentence', async (args, status, words) => {
    const ended = await run(...args);
    expect(ended.status).toBe(status);
    expect(ended.stderr).toContain(words);
  });
});

const shown = (runId: string): Promise<RunRecord> =>
  run('run', 'show', runId, '-o', 'json').then((ended) => runRecord.parse(jsonOf(ended)));

const posts = (operation: string): number =>
  rehearsal.source.requests().filter((each) => each.operation === operation && each.method === 'POST').length;
