import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { StageDiff } from '../../../src/domain/release/stage-diff';
import type { RunRecord } from '../../../src/model/run/run';
import { runTitle } from '../../../src/service/run/run-words';
import { SeedBuilder } from '../../../src/simulator/seed/build';
import { emptyGroupId } from '../../../src/simulator/seed/seeds';
import type { Simulator } from '../../../src/simulator/simulator';
import type { ItemRecord } from '../../../src/simulator/state/records';
import { jsonOf } from '../../support/json';
import type { Site } from '../../support/site';
import { appItemId, type Commands, commandsIn, importsOn, itemsOn, openPipeline } from './a-pipeline';

const asideGroupId = 'e0000000000000000000000000000099';
const roadItemId = 'c0000000000000000000000000000001';

let site: Site;
let { run, recordOf, entriesOf }: Commands = {} as Commands;
/** The map on live before the later release. */
let before: string;

const signs = (host: string): string => `https://${host}.example.com/server/rest/services/Signs/MapServer`;
const promote = (...args: string[]): Promise<RunRecord> => recordOf('promote', 'transport', ...args);
const latest = ['--release', 'latest:transport'];

const mapOn = ({ world }: Simulator): Promise<string> =>
  text(world.files.readData(world.items.get(appItemId) as ItemRecord));
async function editMap(...layers: object[]): Promise<void> {
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
  ({ run, recordOf, entriesOf } = commandsIn(site));
  await editMap();
  site.source.world.changePortal({
    settings: {
      anonymousAccessNotice: { title: 'Open data', text: 'Terms', buttons: 'okOnly', enabled: true },
    },
    categorySchema: [{ title: 'Themes', categories: [{ title: 'Roads' }] }],
  });
  await recordOf('release', 'create', 'transport', '--reason', 'spring');
});
afterAll(() => site.close());

describe('a promotion', () => {
  it('is refused before the previous stage has verified the release [P11]', async () => {
    const refused = await run('promote', 'transport', '--to', 'live', ...latest, '--yes');
    expect(refused.status).toBe(1);
    expect(refused.stderr).toMatch(/was never promoted to staging, which comes before live/);
    expect(refused.stderr).toContain('portolan promote transport --to live --hotfix --reason "..."');
    const none = await run('promote', 'transport', '--to', 'live', '--yes');
    expect(none.stderr).toMatch(/staging, the stage before live, has no release/);
    expect((await run('promote', 'transport', '--to', 'nowhere')).status).toBe(2);
    expect((await run('promote', 'transport', '--to', 'dev')).status).toBe(1);
    expect(itemsOn(site.third)).toEqual([]);
  });

  it('is refused for a blocked release, also as a hotfix', async () => {
    const { stdout } = await run('release', 'block', 'latest:transport', '--reason', 'wrong sums');
    const [id = ''] = /^\S+/.exec(stdout) ?? [];
    const hotfix = ['--hotfix', '--reason', 'now'];
    const refused = await run('promote', 'transport', '--to', 'staging', '--yes', ...hotfix);
    expect([refused.status, refused.stderr]).toEqual([
      1,
      expect.stringMatching(/error RELEASE_BLOCKED [^]*wrong sums[^]*portolan release unblock/),
    ]);
    expect((await run('release', 'list')).stdout).toMatch(/ by \S+: wrong sums /);
    const diff = await run('promote', 'diff', 'transport', 'staging');
    expect(diff.stdout).toMatch(/^transport-\S+ is blocked by .*: wrong sums$/m);
    expect(itemsOn(site.target)).toEqual([]);
    await run('release', 'unblock', id);
  });

  it('imports all groups by one approved plan', async () => {
    const first = await promote('--to', 'staging', '--yes');
    expect(first).toMatchObject({ status: 'succeeded', plan: { create: 3, overwrite: 0 } });
    expect(first.children?.map(({ name, does, status }) => [name, does, status])).toEqual([
      ['roads', 'import', 'succeeded'],
      ['apps', 'import', 'succeeded'],
    ]);
    const shown = await run('promote', 'status', 'transport');
    expect(shown.stdout).toMatch(/verified +ok +ok +-/);
    expect(shown.stdout).toMatch(/next +- +- +transport-\d{8}T\d{6}Z-\w{4}/);
    expect(shown.stdout).toMatch(/drift +- +none +-/);
  });

  it('shows what was edited on the stage since', async () => {
    const { world } = site.target;
    world.items.change(appItemId, { title: 'Closed roads', modified: world.now() });
    expect((await run('promote', 'status', 'transport')).stdout).toMatch(/drift +- +1 item edited +/);
    const edited = await run('promote', 'diff', 'transport', 'staging');
    expect([edited.status, edited.stdout]).toEqual([
      20,
      expect.stringMatching(/same, drifted +apps +Closures/),
    ]);
  });

  it('waits for soak and approval, then applies map, owners, settings and categories', async () => {
    const { status, runId, plan, changes, phases } = await promote('--to', 'live', '--at-soak');
    expect(status).toBe('waiting');
    const [staged] = await entriesOf('staging');
    const plannedAt = phases.find(({ name }) => name === 'plan')?.startedAt ?? '';
    expect(Date.parse(plannedAt)).toBeGreaterThanOrEqual(Date.parse(staged?.at ?? '') + 3_000);
    expect(changes?.length).toBeGreaterThan(0);
    expect(plan?.mapped?.examples).toEqual([
      expect.objectContaining({ itemId: appItemId, before: signs('dev-gis'), after: signs('gis') }),
    ]);
    expect((await run('run', 'show', runId, '--plan')).stdout).toMatch(/Closures .*owner: viewer$/m);
    const dry = await run('promote', 'diff', 'transport', 'live', '-o', 'json');
    expect(jsonOf<StageDiff>(dry)).toMatchObject({
      rows: Array<object>(3).fill({ difference: 'new' }),
      mapped: { items: 1, examples: [{ before: signs('dev-gis'), after: signs('gis') }] },
    });
    expect(itemsOn(site.third)).toEqual([]);
    await run('run', 'approve', runId, '--plan', plan?.hash ?? '');
    expect(await recordOf('run', 'watch', runId)).toMatchObject({ status: 'succeeded' });
    expect(itemsOn(site.third)).toEqual(itemsOn(site.target));
    expect(site.third.world.items.get(appItemId)?.owner).toBe('viewer');
    expect(await mapOn(site.third)).toContain(signs('gis'));
    const [entry] = await entriesOf('live');
    expect(entry).toMatchObject({ kind: 'promoted', status: 'verified', runId, settings: expect.anything() });
    const after = await run('promote', 'diff', 'transport', 'live', '-o', 'json');
    expect(jsonOf<StageDiff>(after)).toMatchObject({
      rows: Array<object>(3).fill({ difference: 'same' }),
      mapped: { items: 0, unknown: 0, examples: [] },
    });
  });

  it('imports only changed items of a later release as a hotfix, and shows what changed', async () => {
    await editMap({ id: 'roads', title: 'Closed roads' });
    await recordOf('release', 'create', 'transport');
    const { world } = site.third;
    world.items.change(roadItemId, { title: 'By hand', modified: world.now() });
    const file = path.join(site.folder, 'changes.html');
    const compared = await run(
      ...['promote', 'diff', 'transport', 'live', ...latest, '--changes', '--html', file],
    );
    expect([compared.status, compared.stdout]).toEqual([
      20,
      expect.stringMatching(
        /^1 item unchanged\n\n"Count 1" CSV\n.*\n\n"Closures" .*Web Map\nlayer "Closed roads" added/m,
      ),
    ]);
    expect(await readFile(file, 'utf8')).toContain('Closed roads');
    site.third.clearRequests();
    before = await mapOn(site.third);
    const asked = [
      '--to',
      'live',
      ...latest,
      '--hotfix',
      '--reason',
      'closed',
      '--yes',
      '--request-id',
      'build-1',
    ];
    const { runId, ...record } = await promote(...asked);
    expect(record).toMatchObject({
      status: 'succeeded',
      plan: { create: 0, overwrite: 2, changed: 2, same: 1, identical: 1, unknown: 0 },
    });
    const imports = importsOn(site.third);
    expect(imports.map(({ params }) => params['itemIdList']).sort()).toEqual([roadItemId, appItemId]);
    expect(await mapOn(site.third)).toContain('Closed roads');
    const changes = await run('run', 'show', runId, '--changes');
    expect(changes.stdout).toMatch(/layer "Closed roads" added[^]*2 change, 1 is identical/);
    expect((await promote(...asked)).runId).toBe(runId);
  });
});

describe('a stage', () => {
  it('accepts nothing but promotions into its groups', async () => {
    const refused = await run('restore', 'latest', '--to', 'live', '--into', emptyGroupId, '--yes');
    expect(refused.status).not.toBe(0);
    expect(refused.stderr).toMatch(/belongs to stage transport\/live/);
    const [{ groups = [] } = {}] = await entriesOf('live');
    const remove = ['--delete-created', '--yes-delete', 'live', '--yes'];
    const undone = await run('run', 'rollback', groups[0]?.runId ?? '', ...remove);
    expect(undone.stderr).toMatch(/belongs to stage transport\/live/);
  });

  it('keeps its items from a restore with --take through another group', async () => {
    const { world } = site.third;
    new SeedBuilder(world).group(asideGroupId, 'Aside');
    const { snapshots } = jsonOf<{ snapshots: { id: string; route: string }[] }>(
      await run('snapshot', 'list', '-o', 'json'),
    );
    const { id = '' } = snapshots.find(({ route }) => route.includes('apps')) ?? {};
    const map = await mapOn(site.third);
    const { runId, ...record } = await recordOf(
      ...['restore', id, '--to', 'live', '--into', asideGroupId, '--take', appItemId],
      ...['--overwrite', '--data', 'replace', '--yes'],
    );
    expect(record).toMatchObject({
      status: 'partial',
      target: 'untouched',
      plan: { overwrite: 0, blocked: 1 },
    });
    const plan = await run('run', 'show', runId, '--plan');
    expect(plan.stdout).toMatch(/^blocked .* belongs to stage transport\/live; only promotions/m);
    expect(await mapOn(site.third)).toBe(map);
  });

  it('keeps its current release from being forgotten', async () => {
    const refused = await run('release', 'forget', 'latest:transport', '--yes');
    expect([refused.status, refused.stderr]).toEqual([
      1,
      expect.stringMatching(/is the current release of transport\/live/),
    ]);
  });
});

describe('the rollback of a promotion', () => {
  const back = () => recordOf('promote', 'rollback', 'transport', 'live', '--yes', '--request-id', 'back');

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
    const record = await recordOf('promote', 'rollback', 'transport', 'live', '--yes');
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
    const planned = await run('run', 'show', record.runId, '--plan');
    expect(planned.stdout).toMatch(/^remove .* Closures .* created by restore-/m);
    const { world } = site.third;
    expect(itemsOn(site.third)).toEqual([roadItemId]);
    expect(world.portal.categorySchema).toEqual([{ title: 'Theirs' }]);
    const [entry] = await entriesOf('live');
    expect(entry).toMatchObject({ kind: 'rolled-back', status: 'failed' });
  });
});
