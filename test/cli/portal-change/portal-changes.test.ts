import fs, { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { parse, stringify } from 'yaml';
import { z } from 'zod';
import type { TaskRunInput } from '../../../src/model/portal-change/change';
import { newRunId, portalRefOf, startChange } from '../../../src/service/run/start-run';
import { transportItems, transportTargetGroupId } from '../../../src/simulator/seed/transport';
import type { Simulator } from '../../../src/simulator/simulator';
import { Release } from '../../../src/simulator/versions';
import { keys } from '../../../src/store/keys';
import { LocalStore } from '../../../src/store/local/local-store';
import { expectEnd } from '../../support/in-process';
import { jsonOf, recordOf } from '../../support/json';
import { Site } from '../../support/site';
import { scheduledTask } from '../../support/scheduled-task';
import { until } from '../../support/until';
import { typedIn } from '../../support/typed-in';

const banner = { text: 'Closed on Sunday', bgColor: '#003366', fontColor: 'white', enabled: true };
const notice = { title: 'Terms', text: 'Be kind.', buttons: 'acceptAndDecline', enabled: true };
const properties = {
  tokenExpiration: 60,
  sceneViewerEnabled: false,
  showInAppLauncher: ['Map Viewer', 'Dashboards'],
};
const trees = [
  { title: 'Categories', categories: [{ title: 'Roads', categories: [{ title: 'Rail/Road' }] }] },
];
const others = [{ title: 'Categories', categories: [{ title: 'Wässer 水' }] }, { title: 'Region' }];

let at: Site;
beforeAll(async () => {
  at = await Site.open({ listed: true, user: { username: 'admin', password: 'admin-pw' } });
});
afterAll(() => at.close());
beforeEach(() => {
  for (const [portal, version] of [
    [at.source, '11.2'],
    [at.target, '11.4'],
  ] as const) {
    Object.assign(portal.settings, { release: new Release(version), deployment: 'self-managed' });
    portal.faults.clear();
    portal.clearRequests();
    portal.world.changePortal({ settings: {}, categorySchema: trees });
  }
});

const file = (name: string, content: unknown) => {
  const named = path.join(at.folder, name);
  writeFileSync(named, typeof content === 'string' ? content : stringify(content));
  return named;
};
const { run, json, given, configure, expectRun } = typedIn(() => at.folder);
const applied = (noun: string, content: unknown, options = '') =>
  run(`${noun} apply production ${file('desired.yaml', content)} --yes -o json ${options}`);

const give = ({ world }: Simulator, values: Record<string, unknown>) =>
  world.changePortal({ settings: { ...world.portal.settings, ...values } });
const shown = ({ world }: Simulator): Record<string, unknown> => world.portal.settings;
const live = () => at.target.world.portal.categorySchema;
/** Writes that the target was asked for in this test. */
const posts = () =>
  at.target
    .requests()
    .map(({ operation }) => operation)
    .filter((operation) => /^(settings\.update|categorySchema\.(assign|delete))$/.test(operation));

/** The same command by another user of both portals. */
async function runAs(username: string, line: string) {
  const secret = file(`${username}-secret`, `${username}-pw`);
  const { portals } = given<{ portals: Record<string, { auth: unknown }> }>();
  for (const portal of Object.values(portals))
    portal.auth = { type: 'password', username, password: { file: secret } };
  const other = path.join(at.folder, `${username}.yaml`);
  configure({ portals }, other);
  return await run(`${line} --config ${other}`);
}

describe('settings apply', () => {
  it('sets what differs once per request ID, and restores what it saved', async () => {
    const { tokenExpiration: _minutes, ...rest } = properties;
    give(at.target, {
      informationalBanner: banner,
      portalConfigProperties: { tokenExpiration: 90, surveyUrl: 'https://survey.example.com' },
    });
    const before = shown(at.target);
    const desired = {
      anonymousAccessNotice: notice,
      informationalBanner: { text: 'Open again' },
      portalConfigProperties: { tokenExpiration: null, ...rest },
    };
    const asked = '--reason spring --request-id spring';
    const record = recordOf(await applied('settings', desired, asked));
    expect(record).toMatchObject({
      kind: 'settings',
      operation: 'apply',
      status: 'succeeded',
      target: 'changed',
      saved: keys.before(record.runId),
      actions: [{ what: 'start', reason: 'spring' }],
    });
    expect(record.changes).toContainEqual({
      path: 'informationalBanner.text',
      before: banner.text,
      after: 'Open again',
    });
    expect(shown(at.target)).toEqual({
      anonymousAccessNotice: notice,
      informationalBanner: { ...banner, text: 'Open again' },
      portalConfigProperties: { surveyUrl: 'https://survey.example.com', ...rest },
    });
    expect(recordOf(await applied('settings', desired, asked)).runId).toBe(record.runId);
    expect(posts()).toHaveLength(3);
    await expectRun(
      `settings apply staging --saved ${record.runId} --yes`,
      2,
      /changed production, not staging/,
    );
    const restore = async () =>
      recordOf(await run('settings apply production --saved latest --yes --request-id back -o json'));
    const { runId } = await restore();
    expect(shown(at.target)).toEqual({ ...before, anonymousAccessNotice: null });
    expect((await restore()).runId).toBe(runId);
    expect(posts()).toHaveLength(6);
  });

  it('restores no saved values that somebody altered', async () => {
    give(at.target, { informationalBanner: banner });
    const { runId } = recordOf(await applied('settings', { informationalBanner: { text: 'Open again' } }));
    const writer = new LocalStore(path.join(at.folder, 'store'));
    const key = keys.before(runId);
    const written = await writer.readJson(key, z.looseObject({}));
    const content = { informationalBanner: { ...banner, text: 'Call 0900 666' } };
    await writer.writeJson(key, { ...written, content });
    await expectRun(
      `settings apply production --saved ${runId} --yes`,
      1,
      /^error NOTE_ALTERED {2}runs\/.*\/before\.json in .* is not signed/,
    );
    expect(posts()).toEqual(['settings.update']);
  });

  it('writes nothing if the portal lacks one of the settings', async () => {
    at.target.settings.release = new Release('10.9');
    const desired = { anonymousAccessNotice: notice, informationalBanner: banner };
    const lacking = { ...desired, portalConfigProperties: properties };
    await expectEnd(applied('settings', lacking), 1, /only from version 11\.0/);
    expect(posts()).toEqual([]);
    await expectEnd(applied('settings', desired), 0);
    expect(shown(at.target)).toEqual(desired);
  });

  it('says what was written if the portal refuses a later part', async () => {
    at.target.faults.add({
      match: { operation: 'settings.update' },
      nth: 2,
      do: { error: { code: 400, message: 'No banners today.' } },
    });
    const desired = { anonymousAccessNotice: notice, informationalBanner: banner };
    const { runId, ...record } = recordOf(await expectEnd(applied('settings', desired), 1));
    expect(record).toMatchObject({
      status: 'failed',
      target: 'changed',
      error: { code: 'BAD_REQUEST', message: expect.stringMatching(/No banners today/) },
    });
    await expectRun(`settings apply production --saved ${runId} --yes`, 0);
    expect(shown(at.target)).toEqual({ anonymousAccessNotice: null });
  });

  it('names values that the portal kept although it reported success', async () => {
    give(at.target, { informationalBanner: banner });
    const kept = jest.spyOn(at.target.world, 'changePortal').mockImplementation(() => undefined);
    const ended = await applied('settings', { informationalBanner: { text: 'New' } });
    kept.mockRestore();
    expect(recordOf(ended)).toMatchObject({
      status: 'failed',
      target: 'changed',
      error: { code: 'NOT_TAKEN', message: expect.stringMatching(/values: informationalBanner\.text$/) },
    });
  });

  it('is refused for an account that is not an administrator', async () => {
    const desired = file('desired.yaml', { informationalBanner: banner });
    await expectEnd(
      runAs('owner', `settings apply production ${desired} --yes`),
      12,
      /owner is not an administrator of production \(org_publisher\)/,
    );
    expect(posts()).toEqual([]);
    const { users } = at.target.world;
    const admin = users.get('admin');
    users.put('admin', { ...admin, roleId: 'c0ffee00c0ffee00' } as NonNullable<typeof admin>);
    const ended = await applied('settings', { informationalBanner: banner });
    users.put('admin', admin as NonNullable<typeof admin>);
    expect(recordOf(ended)).toMatchObject({
      status: 'failed',
      target: 'untouched',
      error: { code: 'PERMISSION_DENIED' },
    });
  });
});

describe('settings export, diff and promote', () => {
  it('exports a file without what the portal lacks, which diff compares', async () => {
    give(at.target, { informationalBanner: banner, portalConfigProperties: { ...properties, ownIdea: 1 } });
    const named = path.join(at.folder, 'production.yaml');
    await expectRun(`settings export production ${named}`, 0, /portalConfigProperties\.ownIdea is skipped/);
    const text = readFileSync(named, 'utf8');
    expect(text).toMatch(/^# Settings of production \(.*\), version 11\.4\.\n/);
    expect(parse(text)).toMatchObject({
      exported: { portal: 'production', url: at.target.url, version: '11.4' },
      anonymousAccessNotice: null,
      informationalBanner: banner,
      portalConfigProperties: { ...properties, surveyUrl: null },
    });
    await expectRun(`settings diff production ${named}`, 0);
    Object.assign(at.target.settings, { release: new Release('10.9'), deployment: 'hosted' });
    const hosted = await json<object>('settings export production -');
    expect(Object.keys(hosted)).toEqual([
      'exported',
      'anonymousAccessNotice',
      'authenticatedAccessNotice',
      'informationalBanner',
    ]);
  });

  it('shows what an upgrade dropped', async () => {
    at.target.settings.release = new Release('11.2');
    give(at.target, { portalConfigProperties: properties });
    const named = path.join(at.folder, 'before.yaml');
    await run(`settings export production ${named}`);
    at.target.settings.release = new Release('11.4');
    const { showInAppLauncher, ...kept } = properties;
    give(at.target, { portalConfigProperties: { ...kept, tokenExpiration: 90 } });
    const differs = run(`settings diff production ${named} -o json`);
    const words = /The upgrade dropped portalConfigProperties\.showInAppLauncher\. To restore/;
    expect(jsonOf(await expectEnd(differs, 20, words))).toMatchObject({
      portal: { version: '11.4' },
      exported: { version: '11.2' },
      differences: [
        { path: 'portalConfigProperties.tokenExpiration', before: 90, after: 60, isDropped: false },
        { path: 'portalConfigProperties.showInAppLauncher', after: showInAppLauncher, isDropped: true },
      ],
    });
  });

  it('promotes settings that name no host, and others with --map', async () => {
    give(at.source, {
      informationalBanner: banner,
      portalConfigProperties: { ...properties, surveyUrl: 'https://survey.staging.example.com/app' },
    });
    give(at.target, {
      anonymousAccessNotice: notice,
      portalConfigProperties: { surveyUrl: 'https://survey.example.com/app', tokenExpiration: 30 },
    });
    const promote = async (map = '') =>
      recordOf(await run(`settings promote staging production --yes -o json ${map}`));
    expect(await promote()).toMatchObject({
      operation: 'promote',
      status: 'succeeded',
      route: { source: { portal: 'staging' }, target: { portal: 'production' } },
      warnings: [
        'portalConfigProperties.surveyUrl is skipped: it names survey.staging.example.com; to copy it: --map survey.staging.example.com=HOST',
      ],
    });
    expect(shown(at.target)).toEqual({
      anonymousAccessNotice: null,
      informationalBanner: banner,
      portalConfigProperties: { ...properties, surveyUrl: 'https://survey.example.com/app' },
    });
    await promote('--map survey.staging.example.com=survey.example.com:8443');
    expect(shown(at.target)).toMatchObject({
      portalConfigProperties: { surveyUrl: 'https://survey.example.com:8443/app' },
    });
  });

  it('refuses a portal without the settings, the same portal and a bad map', async () => {
    give(at.source, { portalConfigProperties: properties });
    at.target.settings.release = new Release('10.9');
    await expectRun('settings promote staging production --yes', 1, /only from version 11\.0/);
    for (const ends of ['staging staging --yes', 'staging production --map a/b=c'])
      await expectRun(`settings promote ${ends}`, 2);
    await expectRun('settings promote staging nowhere --yes', 10);
    const { portals } = given<{ portals: Record<'production', object> }>();
    const production = { ...portals.production, aliases: [at.source.url] };
    const aliased = path.join(at.folder, 'aliased.yaml');
    configure({ portals: { ...portals, production } }, aliased);
    await expectRun(`settings promote staging production --config ${aliased}`, 2, /are the same portal/);
  });
});

describe('a category schema', () => {
  it('is exported, compared, applied and restored', async () => {
    const exported = await run('category-schema export production');
    await expectRun(`category-schema diff production ${file('shown.yaml', exported.stdout)}`, 0);
    const desired = file('others.yaml', { categorySchema: others });
    expect(jsonOf(await expectRun(`category-schema diff production ${desired} -o json`, 20))).toMatchObject({
      differences: [
        { path: '/Categories/Roads', before: 'category with 1 below' },
        { path: '/Categories/Wässer 水', after: 'category' },
        { path: '/Region', after: 'category' },
      ],
    });
    const { runId, ...record } = recordOf(await applied('category-schema', others, '--reason tidy'));
    expect(record).toMatchObject({ status: 'succeeded', target: 'changed', saved: keys.before(runId) });
    expect(live()).toEqual(others);
    await expectRun(
      `run show ${runId}`,
      0,
      /rollback +portolan category-schema apply production --saved \w{4}/,
    );
    const restore = async (saved: string) =>
      await run(`category-schema apply production --saved ${saved} --yes -o json`);
    expect(recordOf(await restore(runId)).status).toBe('succeeded');
    expect(live()).toEqual(trees);
    const again = recordOf(await restore(runId));
    expect(again).toMatchObject({ status: 'nothing-to-do', target: 'untouched' });
    expect(posts()).toHaveLength(2);
    await expectEnd(restore(again.runId), 2, /saved none[^]*portolan category-schema delete production/);
  });

  it('is deleted once the portal name is typed, and can be restored', async () => {
    const [one] = [...at.target.world.items.values()].filter((item) => item.type !== 'Export Package');
    at.target.world.items.change(one?.id ?? '', { categories: ['/Categories/Roads', '/Elsewhere'] });
    await expectRun(
      'category-schema delete production',
      2,
      /3 categories in 1 tree\.\nwarning {2}category schema: 1 item is filed under it/,
    );
    await expectRun('category-schema delete production --yes-delete staging', 2);
    expect(posts()).toEqual([]);
    const sure = 'delete production --yes-delete production -o json';
    const { runId, ...record } = recordOf(await run(`category-schema ${sure}`));
    expect(record).toMatchObject({
      status: 'succeeded',
      operation: 'delete',
      changes: [{ path: '/Categories', before: 'category with 2 below' }],
      warnings: ['category schema: 1 item is filed under it, according to search'],
    });
    expect(live()).toEqual([]);
    const empty = await run('category-schema export production');
    expect(empty).toMatchObject({ status: 0, stdout: 'categorySchema: []\n' });
    expect(empty.stderr).toMatch(/production has no category schema/);
    expect(recordOf(await run(`category-schema ${sure}`))).toMatchObject({ status: 'nothing-to-do' });
    expect(posts()).toEqual(['categorySchema.delete']);
    await run(`category-schema apply production --saved ${runId} --yes`);
    expect(live()).toEqual(trees);
  });

  it('is written by accounts with the privilege and deleted by full administrators', async () => {
    const desired = file('desired.yaml', others);
    await expectEnd(
      runAs('owner', `category-schema apply production ${desired} --yes`),
      12,
      /without the privilege portal:admin:updateItemCategorySchema/,
    );
    const sure = 'category-schema delete production --yes-delete production';
    for (const username of ['custom', 'owner'])
      await expectEnd(runAs(username, sure), 12, /only full administrators may delete a category schema/);
    expect(posts()).toEqual([]);
    at.target.settings.release = new Release('10.8.1');
    await expectEnd(runAs('custom', `category-schema apply production ${desired} --yes`), 0);
    expect(live()).toEqual(others);
  });

  it('still exists if the portal calls it inaccessible, which the error explains', async () => {
    at.target.faults.add({
      match: { operation: 'categorySchema.delete' },
      do: { error: { code: 404, message: 'Resource does not exist or is inaccessible.' } },
    });
    const sure = 'delete production --yes-delete production -o json';
    expect(jsonOf(await expectRun(`category-schema ${sure}`, 10))).toMatchObject({
      status: 'failed',
      target: 'untouched',
      error: {
        message: expect.stringMatching(/Resource does not exist or is inaccessible/),
        hint: expect.stringMatching(/The schema still exists, so this account may not delete it/),
      },
    });
  });
});

describe('a change of a portal', () => {
  it.each([
    ['settings', { informationalBanner: { text: 1 } }, /The file has 1 problem:\n.*text: write text/],
    ['settings', 'informationalBanner: [', /neither valid YAML nor JSON/],
    ['category-schema', [], /portolan category-schema delete production/],
  ])('refuses a file with problems: %s %j', async (noun, content, words) => {
    await expectEnd(applied(noun, content), 2, words);
    expect(posts()).toEqual([]);
  });

  it('needs approval at a terminal or --yes, and shows what it would change', async () => {
    const desired = file('desired.yaml', { informationalBanner: banner });
    const { status, stdout, stderr } = await run(`settings apply production ${desired}`);
    expect([status, stderr, posts()]).toEqual([2, expect.stringMatching(/Add --yes/), []]);
    expect(stdout).toMatch(/informationalBanner\.text +- +Closed on Sunday/);
  });

  it('reads a document from standard input', async () => {
    const { readFileSync: read } = fs;
    const input = jest.spyOn(fs, 'readFileSync');
    input.mockImplementation(((from: number, ...how: []) =>
      from === 0 ? Buffer.from('informationalBanner: { text: 1 }') : read(from, ...how)) as typeof read);
    const refused = await run('settings apply production - --yes');
    input.mockRestore();
    await expectEnd(refused, 2, /text: write text/);
  });
});

let task: ReturnType<typeof scheduledTask>;
beforeEach(() => {
  task = scheduledTask(at.target);
});
const update = (taskRun: string, options: string) =>
  run(`task-run update production ${task.id} ${taskRun} ${options} --user owner -o json`);

describe('task-run update', () => {
  it('sets status and result, keeps a result not given, and writes each change once', async () => {
    const record = recordOf(await update(task.newest, '--status executing --result "half way"'));
    expect(record).toMatchObject({
      status: 'succeeded',
      target: 'changed',
      route: { name: 'production', target: { portal: 'production' } },
    });
    await expectRun(`run show ${record.runId}`, 0, /status +scheduled +executing/);
    // The index of Temporal has its end a moment later.
    const listed = new RegExp(`${record.runId} +task-run +production +succeeded`);
    await until('the change in the list', async () => listed.test((await run('run list')).stdout));
    await update('latest', '--status failed');
    expect(task.said(task.newest)).toEqual({ status: 'failed', result: 'half way' });
    expect(task.said(task.older).status).toBe('scheduled');
    const again = recordOf(await update('latest', '--status failed'));
    expect(again).toMatchObject({ status: 'nothing-to-do', target: 'untouched' });
    expect(task.posts()).toBe(2);
  });

  it('looks after a lost response and writes once', async () => {
    at.target.faults.add({ match: { operation: 'taskRun.update' }, nth: 1, when: 'after', do: 'reset' });
    const ended = await update('latest', '--status skipped --result ""');
    expect(recordOf(ended)).toMatchObject({ status: 'succeeded' });
    expect(task.said(task.newest)).toEqual({ status: 'skipped', result: '' });
    expect(task.posts()).toBe(1);
  });

  it('writes nothing if it is cancelled while it reads', async () => {
    at.target.faults.add({ match: { operation: 'taskRun.read' }, nth: 1, do: 'hang' });
    const portal = portalRefOf(at.config, 'production');
    const runId = newRunId('task-run', 'production');
    await startChange<TaskRunInput>('task-run', at, {
      runId,
      operation: 'update',
      portal,
      task: { ...portal, username: 'owner', taskId: task.id, taskRunId: task.newest },
      status: 'succeeded',
    });
    await expectRun(`run cancel ${runId}`, 0, /^cancelling; nothing is written\nwatch +portolan run watch /);
    expect(jsonOf(await expectRun(`run watch ${runId} -o json`, 5))).toMatchObject({
      status: 'cancelled',
      target: 'untouched',
    });
    await expectRun(`run cancel ${runId}`, 2, /has ended; it accepts no decisions/);
    await expectRun(`run approve ${runId} --plan abcd`, 2, /it is not a run of a group/);
    expect(task.posts()).toBe(0);
    at.target.faults.clear();
  });

  it('is refused before any request while the portal is frozen [P13]', async () => {
    await run('freeze production --reason "an upgrade"');
    const before = at.target.requests().length;
    const { status, stdout } = await update('latest', '--status failed');
    await run('unfreeze production');
    expect([status, JSON.parse(stdout)]).toMatchObject([
      1,
      { status: 'failed', target: 'untouched', error: { code: 'PORTAL_FROZEN' } },
    ]);
    expect(at.target.requests()).toHaveLength(before);
  });

  it.each([
    ['production', 'latest', 'done', 2, /scheduled, executing, succeeded, skipped, failed, submitfailed/],
    ['nowhere', 'latest', 'failed', 10, /nowhere/],
    ['production', 'gone', 'failed', 10, /does not exist/],
  ])('refuses an unknown portal, task run or status: %s %s %s', async (portal, id, word, status, words) => {
    await expectRun(
      `task-run update ${portal} ${task.id} ${id} --status ${word} --user owner`,
      status,
      words,
    );
    expect(task.posts()).toBe(0);
  });
});

describe('a run bound to a portal task', () => {
  const bound = () => `--task-run production/owner/${task.id}`;
  const restore = () => run(`restore latest --to production --into ${transportTargetGroupId} ${bound()}`);

  it('reports submitfailed with the reason if it cannot be started', async () => {
    const yaml = readFileSync(at.config.path, 'utf8');
    const unreachable = file('unreachable.yaml', yaml.replace(/address: .*/, 'address: 127.0.0.1:1'));
    await expectRun(
      `sync transport --config ${unreachable} ${bound()}`,
      11,
      /task \w+ of owner on production is now submitfailed/,
    );
    expect(task.said(task.newest)).toEqual({
      status: 'submitfailed',
      result: expect.stringMatching(/^not started, TEMPORAL_UNREACHABLE: /),
    });
    task = scheduledTask(at.target);
    await expectEnd(restore(), 10);
    expect(task.said(task.newest)).toEqual({
      status: 'submitfailed',
      result: expect.stringMatching(/^not started, SNAPSHOT_NOT_FOUND: /),
    });
  });

  it('leaves the status of an earlier night and says so', async () => {
    const word = { status: 'failed', result: 'mended by hand' };
    task.makeRun(task.newest, Date.now() - 86_400_000, word);
    await expectEnd(restore(), 10, /could not be updated: .* is from an earlier night \(status failed\)/);
    expect(task.said(task.newest)).toEqual(word);
  });

  it('is refused with a task of the wrong form or an unknown portal', async () => {
    await expectRun(
      'sync transport --task-run production',
      2,
      /Write PORTAL\/USER\/TASK or PORTAL\/USER\/TASK\/TASK-RUN/,
    );
    await expectRun('sync transport --task-run nowhere/owner/x', 10);
  });

  it('reports how it ended', async () => {
    await expectRun(`sync transport --items ${transportItems.pdf} ${bound()}`, 0);
    expect(task.said(task.newest).status).toBe('succeeded');
  });
});
