import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { PromotionEntry } from '../../../src/model/release/promotion';
import type { StageDiff } from '../../../src/domain/release/stage-diff';
import { runRecord, type RunRecord } from '../../../src/model/run/run';
import { runTitle } from '../../../src/service/run/run-words';
import { SeedBuilder } from '../../../src/simulator/seed/build';
import { emptyGroupId, manyGroupId } from '../../../src/simulator/seed/seeds';
import type { Simulator } from '../../../src/simulator/simulator';
import { builtInUsers } from '../../../src/simulator/seed/users';
import type { Ended } from '../../support/child';
import { inProcess } from '../../support/in-process';
import { Rehearsal } from '../../support/rehearsal';
import { jsonOf } from '../../support/json';

const appsGroupId = 'e0000000000000000000000000000077';
const asideGroupId = 'e0000000000000000000000000000099';
const appItemId = 'e7000000000000000000000000000001';

let rehearsal: Rehearsal;
let firstRunId: string;
const run = (...args: string[]): Promise<Ended> => inProcess(args, { cwd: rehearsal.folder });

async function recordOf(...args: string[]): Promise<{ status: number | null; record: RunRecord }> {
  const ended = await run(...args, '-o', 'json');
  return { status: ended.status, record: runRecord.parse(jsonOf(ended)) };
}
const signs = (host: string): string => `https://${host}.example.com/server/rest/services/Signs/MapServer`;
const promote = (...args: string[]) => recordOf('promote', 'transport', ...args);

beforeAll(async () => {
  const groups = { roads: emptyGroupId, apps: appsGroupId };
  rehearsal = await Rehearsal.open({
    listed: true,
    user: builtInUsers.admin,
    source: { seed: 'many', seedItems: 3 },
    target: { seed: 'empty' },
    third: { name: 'production', seed: 'empty', importedCreated: 'source' },
    names: { source: 'dev', target: 'staging' },
    config: {
      routes: {},
      pipelines: {
        transport: {
          groups: ['roads', 'apps'],
          settings: true,
          categories: true,
          stages: {
            dev: { portal: 'dev', groups: { roads: manyGroupId, apps: appsGroupId } },
            staging: { portal: 'staging', groups },
            production: {
              portal: 'production',
              groups,
              settings: true,
              categories: true,
              soak: '3s',
              owners: { default: 'viewer' },
              map: { urls: { 'https://dev-gis.example.com': 'https://gis.example.com' } },
            },
          },
        },
      },
    },
  });
  for (const { world } of [rehearsal.source, rehearsal.target, rehearsal.third])
    new SeedBuilder(world).group(appsGroupId, 'Apps');
  const app = { id: appItemId, title: 'Closures', type: 'Web Map', groups: [appsGroupId] };
  await new SeedBuilder(rehearsal.source.world).file(app, { operationalLayers: [{ url: signs('dev-gis') }] });
  const notice = {
    title: 'Open data',
    text: 'Of the transport department',
    buttons: 'okOnly',
    enabled: true,
  };
  const changes = {
    'settings.json': { anonymousAccessNotice: notice },
    'categories.json': { categorySchema: [{ title: 'Themes', categories: [{ title: 'Roads' }] }] },
  };
  for (const [name, content] of Object.entries(changes))
    await writeFile(path.join(rehearsal.folder, name), JSON.stringify(content));
  for (const [noun, file] of [
    ['settings', 'settings.json'],
    ['category-schema', 'categories.json'],
  ] as const) {
    const { status, stderr } = await run(noun, 'apply', 'dev', path.join(rehearsal.folder, file), '--yes');
    if (status !== 0) throw new Error(stderr);
  }
});
afterAll(() => rehearsal.close());

const idsOn = ({ world }: Simulator): string[] => [...world.items.values()].map(({ id }) => id).sort();
const entriesOf = async (): Promise<PromotionEntry[]> =>
  jsonOf<{ entries: PromotionEntry[] }>(await run('promote', 'history', 'transport', '-o', 'json')).entries;

describe('a promotion', () => {
  it('is refused where the stage before has not proven the release, and writes nothing', async () => {
    await recordOf('release', 'create', 'transport', '--reason', 'spring');
    const refused = await run(
      'promote',
      'transport',
      '--to',
      'production',
      '--release',
      'latest:transport',
      '--yes',
    );
    expect(refused.status).toBe(1);
    expect(refused.stderr).toMatch(/was never promoted to staging, which comes before production/);
    expect(refused.stderr).toContain('portolan promote transport --to production --hotfix --reason "..."');
    const none = await run('promote', 'transport', '--to', 'production', '--yes');
    expect(none.stderr).toMatch(/staging, the stage before production, has no release/);
    expect((await run('promote', 'transport', '--to', 'nowhere')).status).toBe(2);
    expect((await run('promote', 'transport', '--to', 'dev')).status).toBe(1);
    expect(idsOn(rehearsal.third)).toEqual([]);
  });

  it('brings no blocked release, also where it is blocked while it waits for approval, and says who blocked it', async () => {
    const waiting = await promote('--to', 'staging');
    expect(waiting.record.status).toBe('waiting');
    const { runId, plan } = waiting.record;
    const blocked = await run('release', 'block', 'latest:transport', '--reason', 'wrong sums');
    const [id = ''] = /^\S+/.exec(blocked.stdout) ?? [];
    expect(blocked.stdout).toContain(`portolan release unblock ${id}`);
    await run('run', 'approve', runId, '--plan', plan?.hash ?? '');
    const { record } = await recordOf('run', 'watch', runId);
    expect(record).toMatchObject({
      status: 'failed',
      target: 'untouched',
      error: { code: 'RELEASE_BLOCKED', message: expect.stringMatching(/is blocked by .*: wrong sums$/) },
    });
    for (const hotfix of [[], ['--hotfix', '--reason', 'now']]) {
      const refused = await run('promote', 'transport', '--to', 'staging', '--yes', ...hotfix);
      expect([refused.status, refused.stderr]).toEqual([
        1,
        expect.stringMatching(/error RELEASE_BLOCKED [^]*wrong sums[^]*portolan release unblock/),
      ]);
    }
    expect((await run('promote', 'status', 'transport')).stdout).toMatch(/next .* blocked by .*: wrong sums/);
    expect((await run('release', 'show', id)).stdout).toMatch(/blocked .*wrong sums/);
    expect((await run('release', 'list')).stdout).toMatch(/BLOCKED[^]* yes /i);
    expect(idsOn(rehearsal.target)).toEqual([]);
    expect((await run('release', 'unblock', id)).stdout).toContain(`${id} is unblocked`);
  });

  it('brings all groups of a release into a stage by one plan and one yes', async () => {
    const { status, record } = await promote('--to', 'staging', '--yes', '--request-id', 'build-1');
    expect({ status, error: record.error }).toEqual({ status: 0, error: undefined });
    firstRunId = record.runId;
    expect(record.plan).toMatchObject({ create: 4, overwrite: 0 });
    expect(record.children?.map(({ name, does, status: of }) => [name, does, of])).toEqual([
      ['roads', 'import', 'succeeded'],
      ['apps', 'import', 'succeeded'],
    ]);
    expect(rehearsal.target.world.items.get(appItemId)?.title).toBe('Closures');
    const shown = await run('promote', 'status', 'transport');
    expect(shown.stdout).toMatch(/verified +ok +ok +-/);
    expect(shown.stdout).toMatch(/next +- +- +transport-\d{8}T\d{6}Z-\w{4}/);
    expect(shown.stdout).toMatch(/drift +- +none +-/);
  });

  it('is compared with its stage without a write: what it would change, and what was edited there since', async () => {
    const { world } = rehearsal.target;
    const same = await run('promote', 'diff', 'transport', 'staging');
    expect(same.stdout).toMatch(/4 items unchanged/);
    expect(same.status).toBe(0);
    world.items.change(appItemId, { title: 'Closed roads', modified: world.now() });
    const shown = await run('promote', 'status', 'transport');
    expect(shown.stdout).toMatch(/drift +- +1 item edited +-/);
    const edited = await run('promote', 'diff', 'transport', 'staging');
    expect(edited.stdout).toMatch(/same, drifted +apps +Closures/);
    expect(edited.status).toBe(20);
    const further = await run('promote', 'diff', 'transport', 'production', '-o', 'json');
    const { rows, settings, categories, mapped } = jsonOf<StageDiff>(further);
    expect(rows.map(({ difference }) => difference)).toEqual(['new', 'new', 'new', 'new']);
    expect([settings?.length, categories?.length].every((count) => count !== 0)).toBe(true);
    expect(mapped).toMatchObject({ items: 1, examples: [{ before: signs('dev-gis'), after: signs('gis') }] });
    expect(idsOn(rehearsal.third)).toEqual([]);
  });

  it('waits for the soak where that is asked for, and for a yes to the plan of all groups, shows it, and gives the portal settings and categories', async () => {
    const waiting = await promote('--to', 'production', '--at-soak');
    expect({ status: waiting.status, is: waiting.record.status }).toEqual({ status: 4, is: 'waiting' });
    expect(idsOn(rehearsal.third)).toEqual([]);
    const { runId, plan, changes, phases } = waiting.record;
    const [staged] = await entriesOf();
    const plannedAt = phases.find(({ name }) => name === 'plan')?.startedAt ?? '';
    expect(Date.parse(plannedAt)).toBeGreaterThanOrEqual(Date.parse(staged?.at ?? '') + 3_000);
    expect(changes?.length).toBeGreaterThan(0);
    const hash = plan?.hash ?? '';
    expect((await run('run', 'show', runId, '--plan')).stdout).toMatch(/Closures .*owner: viewer$/m);
    expect(plan?.mapped?.examples).toEqual([
      expect.objectContaining({ itemId: appItemId, before: signs('dev-gis'), after: signs('gis') }),
    ]);
    const approved = await run('run', 'approve', runId, '--plan', hash);
    expect({ status: approved.status, said: approved.stderr }).toMatchObject({ status: 0 });
    const watched = await recordOf('run', 'watch', runId);
    expect({ status: watched.status, error: watched.record.error }).toEqual({ status: 0, error: undefined });
    expect(idsOn(rehearsal.third)).toEqual(idsOn(rehearsal.target));
    expect(rehearsal.third.world.items.get(appItemId)?.owner).toBe('viewer');
    expect(await readFile(rehearsal.third.world.files.dataPath(appItemId), 'utf8')).toContain(signs('gis'));
    const [entry] = await entriesOf();
    expect(entry).toMatchObject({ stage: 'production', kind: 'promoted', status: 'verified', runId });
    expect(entry?.settings).toBeDefined();
    const { rows, mapped } = jsonOf<StageDiff>(
      await run('promote', 'diff', 'transport', 'production', '-o', 'json'),
    );
    expect(new Set(rows.map(({ difference }) => difference))).toEqual(new Set(['same']));
    expect(mapped).toMatchObject({ items: 0, unknown: 0, examples: [] });
  });

  it('is the only way into a group of a stage', async () => {
    const [{ groups = [] } = {}] = await entriesOf();
    const refused = await run('restore', 'latest', '--to', 'production', '--into', emptyGroupId, '--yes');
    expect(refused.status).not.toBe(0);
    expect(refused.stderr).toMatch(/belongs to stage transport\/production/);
    const remove = ['--delete-created', '--yes-delete', 'production', '--yes'];
    const undone = await run('run', 'rollback', groups[0]?.runId ?? '', ...remove);
    expect(undone.stderr).toMatch(/belongs to stage transport\/production/);
  });

  it('is the only way to items of a stage: a restore with --take through another group is blocked', async () => {
    const { world } = rehearsal.third;
    new SeedBuilder(world).group(asideGroupId, 'Aside');
    const listed = jsonOf<{ snapshots: { id: string; route: string }[] }>(
      await run('snapshot', 'list', '-o', 'json'),
    );
    const { id = '' } = listed.snapshots.find(({ route }) => route.includes('apps')) ?? {};
    const before = await readFile(world.files.dataPath(appItemId), 'utf8');
    const { record } = await recordOf(
      ...['restore', id, '--to', 'production', '--into', asideGroupId, '--take', appItemId],
      ...['--overwrite', '--data', 'replace', '--yes'],
    );
    expect(record).toMatchObject({
      status: 'partial',
      target: 'untouched',
      plan: { overwrite: 0, blocked: 1 },
    });
    const plan = await run('run', 'show', record.runId, '--plan');
    expect(plan.stdout).toMatch(/^blocked .* belongs to stage transport\/production; only promotions/m);
    expect(await readFile(world.files.dataPath(appItemId), 'utf8')).toBe(before);
  });

  it('leaves what stands in a stage, or would come back there, from being forgotten', async () => {
    const refused = await run('release', 'forget', 'latest:transport', '--yes');
    expect(refused.stderr).toMatch(/is the current release of transport\/(staging|production)/);
    expect(refused.status).toBe(1);
  });

  const back = () =>
    recordOf('promote', 'rollback', 'transport', 'production', '--yes', '--request-id', 'back');
  it('goes back by one command, also one that is repeated, and the portal is what it was', async () => {
    const [promoted] = await entriesOf();
    const { status, record } = await back();
    const [, day = ''] = /^transport-(.*)$/.exec(promoted?.release ?? '') ?? [];
    expect(runTitle(record)).toBe(`rollback of transport/production: ${day} → no release`);
    expect(record).toMatchObject({ undoes: { runId: promoted?.runId }, plan: { create: 0, remove: 4 } });
    expect(record.changes).toContainEqual(
      expect.objectContaining({ path: expect.stringContaining('anonymousAccessNotice') }),
    );
    const planned = await run('run', 'show', record.runId, '--plan');
    expect(planned.stdout).toMatch(/^remove .* Closures .* created by restore-/m);
    expect({ status, error: record.error, warnings: record.warnings }).toEqual({
      status: 0,
      error: undefined,
      warnings: [],
    });
    expect(idsOn(rehearsal.third)).toEqual([]);
    expect([...rehearsal.third.world.folders.values()]).toEqual([]);
    const [entry] = await entriesOf();
    expect(entry).toMatchObject({ stage: 'production', kind: 'rolled-back', status: 'verified' });
    expect((await back()).record.runId).toBe(record.runId);
    const shown = await run('promote', 'status', 'transport', '-o', 'json');
    const { stages } = jsonOf<{ stages: { release?: string }[] }>(shown);
    expect(stages.map(({ release }) => release !== undefined)).toEqual([true, true, false]);
  });

  it('goes back only in part where someone has changed the category schema since, and the stage says so', async () => {
    const again = await promote('--to', 'production', '--release', 'latest:transport', '--yes');
    expect({ status: again.status, error: again.record.error }).toEqual({ status: 0, error: undefined });
    const theirs = [{ title: 'Theirs' }];
    rehearsal.third.world.changePortal({ categorySchema: theirs });
    const { record } = await recordOf('promote', 'rollback', 'transport', 'production', '--yes');
    expect(record).toMatchObject({
      status: 'partial',
      warnings: [expect.stringMatching(/^the category schema has changed since/)],
    });
    expect(idsOn(rehearsal.third)).toEqual([]);
    const [entry] = await entriesOf();
    expect(entry).toMatchObject({ stage: 'production', kind: 'rolled-back', status: 'failed' });
  });

  it('is refused before anything is written where two groups would bring the same new item', async () => {
    const { items } = rehearsal.source.world;
    items.change(appItemId, { groups: [appsGroupId, manyGroupId], modified: rehearsal.source.world.now() });
    for (const { id } of [...rehearsal.target.world.items.values()]) rehearsal.target.world.items.remove(id);
    await recordOf('release', 'create', 'transport', '--reason', 'in two groups');
    const repeated = await promote('--to', 'staging', '--yes', '--request-id', 'build-1');
    expect(repeated).toMatchObject({ status: 0, record: { runId: firstRunId } });
    const { status, record } = await promote('--to', 'staging', '--release', 'latest:transport', '--yes');
    expect({ status, code: record.error?.code }).toEqual({ status: 1, code: 'PROMOTION_BLOCKED' });
    expect(record.error?.message).toContain(
      `group "apps": Closures (${appItemId}): is new, and group "roads" already contains it`,
    );
    expect(idsOn(rehearsal.target)).toEqual([]);
  });
});
