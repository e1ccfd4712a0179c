import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { runTitle } from '../../../src/service/run/run-words';
import { SeedBuilder } from '../../../src/simulator/seed/build';
import { emptyGroupId } from '../../../src/simulator/seed/seeds';
import type { Simulator } from '../../../src/simulator/simulator';
import type { ItemRecord } from '../../../src/simulator/state/records';
import type { Site } from '../../support/site';
import { appItemId, commandsIn, importsOn, itemsOn, openPipeline } from './a-pipeline';

const asideGroupId = 'e0000000000000000000000000000099';
const roadItemId = 'c0000000000000000000000000000001';

let site: Site;
const { run, json, recordOf, entriesOf, expectRun } = commandsIn(() => site);
/** The map on live before the later release. */
let before: string;

const signs = (host: string) => `https://${host}.example.com/server/rest/services/Signs/MapServer`;
const promote = (options: string) => recordOf(`promote transport ${options}`);
const latest = '--release latest:transport';

const mapOn = ({ world }: Simulator) => text(world.files.readData(world.items.get(appItemId) as ItemRecord));
async function editMap(...layers: object[]) {
  const { world } = site.source;
  const bytes = Buffer.from(JSON.stringify({ operationalLayers: [{ url: signs('dev-gis') }, ...layers] }));
  const { data, size } = await world.files.keepData(appItemId, bytes, bytes.length);
  world.items.change(appItemId, { data, size, modified: world.now() });
}

beforeAll(async () => {
  site = await openPipeline(
    {
      live: {
        after: 'staging',
        settings: true,
        categories: true,
        soak: '3s',
        owners: { default: 'viewer' },
        map: { urls: { 'https://dev-gis.example.com': 'https://gis.example.com' } },
      },
    },
    { third: { name: 'live', seed: 'empty', importedCreated: 'source' } },
    { settings: true, categories: true },
  );
  await editMap();
  site.source.world.changePortal({
    settings: {
      anonymousAccessNotice: { title: 'Open data', text: 'Terms', buttons: 'okOnly', enabled: true },
    },
    categorySchema: [{ title: 'Themes', categories: [{ title: 'Roads' }] }],
  });
  await recordOf('release create transport --reason spring');
});
afterAll(() => site.close());

describe('a promotion', () => {
  it('is refused before the previous stage has verified the release [P11]', async () => {
    await expectRun(
      `promote transport --to live ${latest} --yes`,
      1,
      /was never promoted to staging, which comes before live/,
      'portolan promote transport --to live --hotfix --reason "..."',
    );
    await expectRun('promote transport --to live --yes', 1, /staging, the stage before live, has no release/);
    await expectRun('promote transport --to nowhere', 2);
    await expectRun('promote transport --to dev', 1);
    expect(itemsOn(site.third)).toEqual([]);
  });

  it('is refused for a blocked release, also as a hotfix', async () => {
    const { stdout } = await run('release block latest:transport --reason "wrong sums"');
    const [id = ''] = /^\S+/.exec(stdout) ?? [];
    await expectRun(
      'promote transport --to staging --yes --hotfix --reason now',
      1,
      /error RELEASE_BLOCKED [^]*wrong sums[^]*portolan release unblock/,
    );
    await expectRun('release list', 0, / by \S+: wrong sums /);
    await expectRun('promote diff transport staging', 20, /^transport-\S+ is blocked by .*: wrong sums$/m);
    expect(itemsOn(site.target)).toEqual([]);
    await run(`release unblock ${id}`);
  });

  it('imports all groups by one approved plan', async () => {
    const first = await promote('--to staging --yes');
    expect(first).toMatchObject({ status: 'succeeded', plan: { create: 3, overwrite: 0 } });
    expect(first.children?.map(({ name, does, status }) => [name, does, status])).toEqual([
      ['roads', 'import', 'succeeded'],
      ['apps', 'import', 'succeeded'],
    ]);
    await expectRun(
      'promote status transport',
      0,
      /verified +ok +ok +-/,
      /next +- +- +transport-\d{8}T\d{6}Z-\w{4}/,
      /drift +- +none +-/,
    );
  });

  it('shows what was edited on the stage since', async () => {
    const { world } = site.target;
    world.items.change(appItemId, { title: 'Closed roads', modified: world.now() });
    await expectRun('promote status transport', 0, /drift +- +1 item edited +/);
    await expectRun('promote diff transport staging', 20, /same, drifted +apps +Closures/);
  });

  it('waits for soak and approval, then applies map, owners, settings and categories', async () => {
    const { status, runId, plan, changes, phases } = await promote('--to live --at-soak');
    expect(status).toBe('waiting');
    const [staged] = await entriesOf('staging');
    const plannedAt = phases.find(({ name }) => name === 'plan')?.startedAt ?? '';
    expect(Date.parse(plannedAt)).toBeGreaterThanOrEqual(Date.parse(staged?.at ?? '') + 3_000);
    expect(changes?.length).toBeGreaterThan(0);
    expect(plan?.mapped?.examples).toEqual([
      expect.objectContaining({ itemId: appItemId, before: signs('dev-gis'), after: signs('gis') }),
    ]);
    await expectRun(`run show ${runId} --plan`, 0, /Closures .*owner: viewer$/m);
    const diff = 'promote diff transport live';
    expect(await json(diff)).toMatchObject({
      rows: Array<object>(3).fill({ difference: 'new' }),
      mapped: { items: 1, examples: [{ before: signs('dev-gis'), after: signs('gis') }] },
    });
    expect(itemsOn(site.third)).toEqual([]);
    await run(`run approve ${runId} --plan ${plan?.hash ?? ''}`);
    expect(await recordOf(`run watch ${runId}`)).toMatchObject({ status: 'succeeded' });
    expect(itemsOn(site.third)).toEqual(itemsOn(site.target));
    expect(site.third.world.items.get(appItemId)?.owner).toBe('viewer');
    expect(await mapOn(site.third)).toContain(signs('gis'));
    const [entry] = await entriesOf('live');
    expect(entry).toMatchObject({ kind: 'promoted', status: 'verified', runId, settings: expect.anything() });
    expect(await json(diff)).toMatchObject({
      rows: Array<object>(3).fill({ difference: 'same' }),
      mapped: { items: 0, unknown: 0, examples: [] },
    });
  });

  it('imports only changed items of a later release as a hotfix, and shows them', async () => {
    await editMap({ id: 'roads', title: 'Closed roads' });
    await recordOf('release create transport');
    const { world } = site.third;
    world.items.change(roadItemId, { title: 'By hand', modified: world.now() });
    const file = path.join(site.folder, 'changes.html');
    await expectRun(
      `promote diff transport live ${latest} --changes --html ${file}`,
      20,
      /^1 item unchanged\n\n"Count 1" CSV\n.*\n\n"Closures" .*Web Map\nlayer "Closed roads" added/m,
    );
    expect(await readFile(file, 'utf8')).toContain('Closed roads');
    site.third.clearRequests();
    before = await mapOn(site.third);
    const asked = `--to live ${latest} --hotfix --reason closed --yes --request-id build-1`;
    const { runId, ...record } = await promote(asked);
    expect(record).toMatchObject({
      status: 'succeeded',
      plan: { create: 0, overwrite: 2, changed: 2, same: 1, identical: 1, unknown: 0 },
    });
    const imports = importsOn(site.third);
    expect(imports.map(({ params }) => params['itemIdList']).sort()).toEqual([roadItemId, appItemId]);
    expect(await mapOn(site.third)).toContain('Closed roads');
    await expectRun(
      `run show ${runId} --changes`,
      0,
      /layer "Closed roads" added[^]*2 change, 1 is identical/,
    );
    expect((await promote(asked)).runId).toBe(runId);
  });
});

describe('a stage', () => {
  it('accepts nothing but promotions into its groups', async () => {
    const refused = await run(`restore latest --to live --into ${emptyGroupId} --yes`);
    expect(refused.status).not.toBe(0);
    expect(refused.stderr).toMatch(/belongs to stage transport\/live/);
    const [{ groups = [] } = {}] = await entriesOf('live');
    await expectRun(
      `run rollback ${groups[0]?.runId} --delete-created --yes-delete live --yes`,
      1,
      /belongs to stage transport\/live/,
    );
  });

  it('keeps its items from a restore with --take through another group', async () => {
    const { world } = site.third;
    new SeedBuilder(world).group(asideGroupId, 'Aside');
    const { snapshots } = await json<{ snapshots: { id: string; route: string }[] }>('snapshot list');
    const { id = '' } = snapshots.find(({ route }) => route.includes('apps')) ?? {};
    const map = await mapOn(site.third);
    const { runId, ...record } = await recordOf(
      `restore ${id} --to live --into ${asideGroupId} --take ${appItemId} --overwrite --data replace --yes`,
    );
    expect(record).toMatchObject({
      status: 'partial',
      target: 'untouched',
      plan: { overwrite: 0, blocked: 1 },
    });
    await expectRun(
      `run show ${runId} --plan`,
      0,
      /^blocked .* belongs to stage transport\/live; only promotions/m,
    );
    expect(await mapOn(site.third)).toBe(map);
  });

  it('keeps its current release from being forgotten', async () => {
    await expectRun('release forget latest:transport --yes', 1, /is the current release of transport\/live/);
  });
});

describe('the rollback of a promotion', () => {
  const back = () => recordOf('promote rollback transport live --yes --request-id back');

  it('restores overwritten content once, also if the command is repeated [P12]', async () => {
    const [promoted] = await entriesOf('live');
    const record = await back();
    expect(record).toMatchObject({
      status: 'succeeded',
      undoes: { runId: promoted?.runId },
      plan: { overwrite: 2, changed: 2 },
      warnings: [],
    });
    expect(await mapOn(site.third)).toBe(before);
    expect(site.third.world.items.get(roadItemId)?.title).toBe('By hand');
    expect((await back()).runId).toBe(record.runId);
  });

  it('removes what a later rollback returned, and names what others changed', async () => {
    const [, , promoted] = await entriesOf('live');
    site.third.world.changePortal({ categorySchema: [{ title: 'Theirs' }] });
    const record = await recordOf('promote rollback transport live --yes');
    const [, day = ''] = /^transport-(.*)$/.exec(promoted?.release ?? '') ?? [];
    expect(runTitle(record)).toBe(`rollback of transport/live: ${day} → no release`);
    expect(record).toMatchObject({
      status: 'partial',
      plan: { create: 0, remove: 3 },
      warnings: [
        expect.stringMatching(/^the category schema has changed since/),
        expect.stringMatching(/^group "roads": Count 1 .* still exists: it has changed since$/),
      ],
    });
    expect(record.changes).toContainEqual(
      expect.objectContaining({ path: expect.stringContaining('anonymousAccessNotice') }),
    );
    await expectRun(`run show ${record.runId} --plan`, 0, /^remove .* Closures .* created by restore-/m);
    const { world } = site.third;
    expect(itemsOn(site.third)).toEqual([roadItemId]);
    expect(world.portal.categorySchema).toEqual([{ title: 'Theirs' }]);
    const [entry] = await entriesOf('live');
    expect(entry).toMatchObject({ kind: 'rolled-back', status: 'failed' });
  });
});
