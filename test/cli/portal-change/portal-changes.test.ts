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
import type { Ended } from '../../support/child';
import { inProcess, said } from '../../support/in-process';
import { jsonOf, recordOf } from '../../support/json';
import { Site } from '../../support/site';
import { scheduledTask } from '../../support/scheduled-task';
import { until } from '../../support/until';

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

const file = (name: string, content: unknown): string => {
  const named = path.join(at.folder, name);
  writeFileSync(named, typeof content === 'string' ? content : stringify(content));
  return named;
};
const run = (...args: string[]): Promise<Ended> => inProcess(args, { cwd: at.folder });
const settings = (...args: string[]): Promise<Ended> => run('settings', ...args);
const schema = (...args: string[]): Promise<Ended> => run('category-schema', ...args);
const applied = (noun: string, content: unknown, ...args: string[]): Promise<Ended> =>
  run(noun, 'apply', 'production', file('desired.yaml', content), '--yes', '-o', 'json', ...args);

const give = ({ world }: Simulator, values: Record<string, unknown>): void =>
  world.changePortal({ settings: { ...world.portal.settings, ...values } });
const shown = ({ world }: Simulator): Record<string, unknown> => world.portal.settings;
const live = (): readonly unknown[] => at.target.world.portal.categorySchema;
/** Writes that the target was asked for in this test. */
const posts = (): string[] =>
  at.target
    .requests()
    .map(({ operation }) => operation)
    .filter((operation) => /^(settings\.update|categorySchema\.(assign|delete))$/.test(operation));

/** The same command by another user of both portals. */
async function runAs(username: string, ...args: string[]): Promise<Ended> {
  const text = readFileSync(path.join(at.folder, 'portolan.yaml'), 'utf8');
  const secret = file(`${username}-secret`, `${username}-pw`);
  const config = parse(text) as { portals: Record<string, { auth: unknown }> };
  for (const portal of Object.values(config.portals))
    portal.auth = { type: 'password', username, password: { file: secret } };
  return await inProcess([...args, '--config', file(`${username}.yaml`, config)]);
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
    const asked = ['--reason', 'spring', '--request-id', 'spring'];
    const record = recordOf(await applied('settings', desired, ...asked));
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
    expect(recordOf(await applied('settings', desired, ...asked)).runId).toBe(record.runId);
    expect(posts()).toHaveLength(3);
    expect(await settings('apply', 'staging', '--saved', record.runId, '--yes')).toMatchObject(
      said(2, /changed production, not staging/),
    );
    const restore = async () =>
      recordOf(
        await settings(
          ...['apply', 'production', '--saved', 'latest', '--yes', '--request-id', 'back', '-o', 'json'],
        ),
      );
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
    const { status, stderr } = await settings('apply', 'production', '--saved', runId, '--yes');
    expect([status, stderr, posts()]).toEqual([
      1,
      expect.stringMatching(/^error NOTE_ALTERED {2}runs\/.*\/before\.json in .* is not signed/),
      ['settings.update'],
    ]);
  });

  it('writes nothing if the portal lacks one of the settings', async () => {
    at.target.settings.release = new Release('10.9');
    const desired = { anonymousAccessNotice: notice, informationalBanner: banner };
    const lacking = { ...desired, portalConfigProperties: properties };
    const { status, stderr } = await applied('settings', lacking);
    expect([status, stderr, posts()]).toEqual([1, expect.stringMatching(/only from version 11\.0/), []]);
    expect((await applied('settings', desired)).status).toBe(0);
    expect(shown(at.target)).toEqual(desired);
  });

  it('says what was written if the portal refuses a later part', async () => {
    at.target.faults.add({
      match: { operation: 'settings.update' },
      nth: 2,
      do: { error: { code: 400, message: 'No banners today.' } },
    });
    const desired = { anonymousAccessNotice: notice, informationalBanner: banner };
    const ended = await applied('settings', desired);
    expect([ended.status, recordOf(ended)]).toMatchObject([
      1,
      {
        status: 'failed',
        target: 'changed',
        error: { code: 'BAD_REQUEST', message: expect.stringMatching(/No banners today/) },
      },
    ]);
    const { runId } = recordOf(ended);
    expect((await settings('apply', 'production', '--saved', runId, '--yes')).status).toBe(0);
    expect(shown(at.target)).toEqual({ anonymousAccessNotice: null });
  });

  it('names values that the portal kept although it reported success', async () => {
    give(at.target, { informationalBanner: banner });
    const kept = jest.spyOn(at.target.world, 'changePortal').mockImplementation(() => undefined);
    const ended = await applied('settings', { informationalBanner: { text: 'New' } });
    kept.mockRestore();
    expect([ended.status, recordOf(ended)]).toMatchObject([
      1,
      {
        status: 'failed',
        target: 'changed',
        error: { code: 'NOT_TAKEN', message: expect.stringMatching(/values: informationalBanner\.text$/) },
      },
    ]);
  });

  it('is refused for an account that is not an administrator', async () => {
    const desired = file('desired.yaml', { informationalBanner: banner });
    const refused = await runAs('owner', 'settings', 'apply', 'production', desired, '--yes');
    expect([refused.status, refused.stderr, posts()]).toEqual([
      12,
      expect.stringMatching(/owner is not an administrator of production \(org_publisher\)/),
      [],
    ]);
    const { users } = at.target.world;
    const admin = users.get('admin');
    users.put('admin', { ...admin, roleId: 'c0ffee00c0ffee00' } as NonNullable<typeof admin>);
    const ended = await applied('settings', { informationalBanner: banner });
    users.put('admin', admin as NonNullable<typeof admin>);
    expect([ended.status, recordOf(ended)]).toMatchObject([
      12,
      { status: 'failed', target: 'untouched', error: { code: 'PERMISSION_DENIED' } },
    ]);
  });
});

describe('settings export, diff and promote', () => {
  it('exports a file without what the portal lacks, which diff compares', async () => {
    give(at.target, { informationalBanner: banner, portalConfigProperties: { ...properties, ownIdea: 1 } });
    const named = path.join(at.folder, 'production.yaml');
    const ended = await settings('export', 'production', named);
    expect(ended.stderr).toMatch(/portalConfigProperties\.ownIdea is skipped/);
    const text = readFileSync(named, 'utf8');
    expect(text).toMatch(/^# Settings of production \(.*\), version 11\.4\.\n/);
    expect(parse(text)).toMatchObject({
      exported: { portal: 'production', url: at.target.url, version: '11.4' },
      anonymousAccessNotice: null,
      informationalBanner: banner,
      portalConfigProperties: { ...properties, surveyUrl: null },
    });
    expect(await settings('diff', 'production', named)).toMatchObject({ status: 0 });
    Object.assign(at.target.settings, { release: new Release('10.9'), deployment: 'hosted' });
    const hosted = await settings('export', 'production', '-', '-o', 'json');
    expect(Object.keys(jsonOf<object>(hosted))).toEqual([
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
    await settings('export', 'production', named);
    at.target.settings.release = new Release('11.4');
    const { showInAppLauncher, ...kept } = properties;
    give(at.target, { portalConfigProperties: { ...kept, tokenExpiration: 90 } });
    const ended = await settings('diff', 'production', named, '-o', 'json');
    expect(ended.status).toBe(20);
    expect(JSON.parse(ended.stdout)).toMatchObject({
      portal: { version: '11.4' },
      exported: { version: '11.2' },
      differences: [
        { path: 'portalConfigProperties.tokenExpiration', before: 90, after: 60, isDropped: false },
        { path: 'portalConfigProperties.showInAppLauncher', after: showInAppLauncher, isDropped: true },
      ],
    });
    expect(ended.stderr).toMatch(
      /The upgrade dropped portalConfigProperties\.showInAppLauncher\. To restore/,
    );
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
    const promote = async (...map: string[]) =>
      recordOf(await settings('promote', 'staging', 'production', '--yes', '-o', 'json', ...map));
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
    await promote('--map', 'survey.staging.example.com=survey.example.com:8443');
    expect(shown(at.target)).toMatchObject({
      portalConfigProperties: { surveyUrl: 'https://survey.example.com:8443/app' },
    });
  });

  it('refuses a portal without the settings, the same portal and a bad map', async () => {
    give(at.source, { portalConfigProperties: properties });
    at.target.settings.release = new Release('10.9');
    const promote = (...args: string[]) => settings('promote', 'staging', ...args);
    expect(await promote('production', '--yes')).toMatchObject(said(1, /only from version 11\.0/));
    for (const args of [
      ['staging', '--yes'],
      ['production', '--map', 'a/b=c'],
    ])
      expect((await promote(...args)).status).toBe(2);
    expect((await promote('nowhere', '--yes')).status).toBe(10);
    const text = readFileSync(path.join(at.folder, 'portolan.yaml'), 'utf8');
    const aliased = parse(text) as { portals: Record<string, { url: string; aliases?: string[] }> };
    Object.assign(aliased.portals['production'] ?? {}, { aliases: [at.source.url] });
    expect(
      await inProcess([
        'settings',
        'promote',
        'staging',
        'production',
        '--config',
        file('aliased.yaml', aliased),
      ]),
    ).toMatchObject(said(2, /are the same portal/));
  });
});

describe('a category schema', () => {
  it('is exported, compared, applied and restored', async () => {
    const exported = await schema('export', 'production');
    expect((await schema('diff', 'production', file('shown.yaml', exported.stdout))).status).toBe(0);
    const desired = file('others.yaml', { categorySchema: others });
    const differs = await schema('diff', 'production', desired, '-o', 'json');
    expect([differs.status, JSON.parse(differs.stdout)]).toMatchObject([
      20,
      {
        differences: [
          { path: '/Categories/Roads', before: 'category with 1 below' },
          { path: '/Categories/Wässer 水', after: 'category' },
          { path: '/Region', after: 'category' },
        ],
      },
    ]);
    const { runId, ...record } = recordOf(await applied('category-schema', others, '--reason', 'tidy'));
    expect(record).toMatchObject({ status: 'succeeded', target: 'changed', saved: keys.before(runId) });
    expect(live()).toEqual(others);
    expect((await run('run', 'show', runId)).stdout).toMatch(
      /rollback +portolan category-schema apply production --saved \w{4}/,
    );
    const restore = async (saved: string) =>
      await schema('apply', 'production', '--saved', saved, '--yes', '-o', 'json');
    expect(recordOf(await restore(runId)).status).toBe('succeeded');
    expect(live()).toEqual(trees);
    const again = recordOf(await restore(runId));
    expect(again).toMatchObject({ status: 'nothing-to-do', target: 'untouched' });
    expect(posts()).toHaveLength(2);
    expect(await restore(again.runId)).toMatchObject(
      said(2, /saved none[^]*portolan category-schema delete production/),
    );
  });

  it('is deleted once the portal name is typed, and can be restored', async () => {
    const [one] = [...at.target.world.items.values()].filter((item) => item.type !== 'Export Package');
    at.target.world.items.change(one?.id ?? '', { categories: ['/Categories/Roads', '/Elsewhere'] });
    expect(await schema('delete', 'production')).toMatchObject(
      said(2, /3 categories in 1 tree\.\nwarning {2}category schema: 1 item is filed under it/),
    );
    expect((await schema('delete', 'production', '--yes-delete', 'staging')).status).toBe(2);
    expect(posts()).toEqual([]);
    const sure = ['delete', 'production', '--yes-delete', 'production', '-o', 'json'];
    const { runId, ...record } = recordOf(await schema(...sure));
    expect(record).toMatchObject({
      status: 'succeeded',
      operation: 'delete',
      changes: [{ path: '/Categories', before: 'category with 2 below' }],
      warnings: ['category schema: 1 item is filed under it, according to search'],
    });
    expect(live()).toEqual([]);
    const empty = await schema('export', 'production');
    expect(empty).toMatchObject({ status: 0, stdout: 'categorySchema: []\n' });
    expect(empty.stderr).toMatch(/production has no category schema/);
    expect(recordOf(await schema(...sure))).toMatchObject({ status: 'nothing-to-do' });
    expect(posts()).toEqual(['categorySchema.delete']);
    await schema('apply', 'production', '--saved', runId, '--yes');
    expect(live()).toEqual(trees);
  });

  it('is written by accounts with the privilege and deleted by full administrators', async () => {
    const desired = file('desired.yaml', others);
    expect(await runAs('owner', 'category-schema', 'apply', 'production', desired, '--yes')).toMatchObject(
      said(12, /without the privilege portal:admin:updateItemCategorySchema/),
    );
    const sure = ['category-schema', 'delete', 'production', '--yes-delete', 'production'];
    for (const username of ['custom', 'owner'])
      expect(await runAs(username, ...sure)).toMatchObject({
        status: 12,
        stderr: expect.stringMatching(/only full administrators may delete a category schema/),
      });
    expect(posts()).toEqual([]);
    at.target.settings.release = new Release('10.8.1');
    expect((await runAs('custom', 'category-schema', 'apply', 'production', desired, '--yes')).status).toBe(
      0,
    );
    expect(live()).toEqual(others);
  });

  it('still exists if the portal calls it inaccessible, which the error explains', async () => {
    at.target.faults.add({
      match: { operation: 'categorySchema.delete' },
      do: { error: { code: 404, message: 'Resource does not exist or is inaccessible.' } },
    });
    const sure = ['delete', 'production', '--yes-delete', 'production', '-o', 'json'];
    const { status, stdout } = await schema(...sure);
    expect([status, JSON.parse(stdout)]).toMatchObject([
      10,
      {
        status: 'failed',
        target: 'untouched',
        error: {
          message: expect.stringMatching(/Resource does not exist or is inaccessible/),
          hint: expect.stringMatching(/The schema still exists, so this account may not delete it/),
        },
      },
    ]);
  });
});

describe('a change of a portal', () => {
  it.each([
    ['settings', { informationalBanner: { text: 1 } }, /The file has 1 problem:\n.*text: write text/],
    ['settings', 'informationalBanner: [', /neither valid YAML nor JSON/],
    ['category-schema', [], /portolan category-schema delete production/],
  ])('refuses a file with problems: %s %j', async (noun, content, words) => {
    const { status, stderr } = await applied(noun, content);
    expect([status, stderr, posts()]).toEqual([2, expect.stringMatching(words), []]);
  });

  it('needs approval at a terminal or --yes, and shows what it would change', async () => {
    const desired = file('desired.yaml', { informationalBanner: banner });
    const { status, stdout, stderr } = await settings('apply', 'production', desired);
    expect([status, stderr, posts()]).toEqual([2, expect.stringMatching(/Add --yes/), []]);
    expect(stdout).toMatch(/informationalBanner\.text +- +Closed on Sunday/);
  });

  it('reads a document from standard input', async () => {
    const { readFileSync: read } = fs;
    const input = jest.spyOn(fs, 'readFileSync');
    input.mockImplementation(((from: number, ...how: []) =>
      from === 0 ? Buffer.from('informationalBanner: { text: 1 }') : read(from, ...how)) as typeof read);
    const refused = await settings('apply', 'production', '-', '--yes');
    input.mockRestore();
    expect(refused).toMatchObject(said(2, /text: write text/));
  });
});

let task: ReturnType<typeof scheduledTask>;
beforeEach(() => {
  task = scheduledTask(at.target);
});
const update = (taskRun: string, ...args: string[]): Promise<Ended> =>
  run('task-run', 'update', 'production', task.id, taskRun, ...args, '--user', 'owner', '-o', 'json');

describe('task-run update', () => {
  it('sets status and result, keeps a result not given, and writes each change once', async () => {
    const record = recordOf(await update(task.newest, '--status', 'executing', '--result', 'half way'));
    expect(record).toMatchObject({
      status: 'succeeded',
      target: 'changed',
      route: { name: 'production', target: { portal: 'production' } },
    });
    expect((await run('run', 'show', record.runId)).stdout).toMatch(/status +scheduled +executing/);
    // The index of Temporal has its end a moment later.
    const listed = new RegExp(`${record.runId} +task-run +production +succeeded`);
    await until('the change in the list', async () => listed.test((await run('run', 'list')).stdout));
    await update('latest', '--status', 'failed');
    expect(task.said(task.newest)).toEqual({ status: 'failed', result: 'half way' });
    expect(task.said(task.older).status).toBe('scheduled');
    const again = recordOf(await update('latest', '--status', 'failed'));
    expect(again).toMatchObject({ status: 'nothing-to-do', target: 'untouched' });
    expect(task.posts()).toBe(2);
  });

  it('looks after a lost response and writes once', async () => {
    at.target.faults.add({ match: { operation: 'taskRun.update' }, nth: 1, when: 'after', do: 'reset' });
    const ended = await update('latest', '--status', 'skipped', '--result', '');
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
    const asked = await run('run', 'cancel', runId);
    expect(asked.stdout).toMatch(/^cancelling; nothing is written\nwatch +portolan run watch /);
    const { status, stdout } = await run('run', 'watch', runId, '-o', 'json');
    expect([status, JSON.parse(stdout)]).toMatchObject([5, { status: 'cancelled', target: 'untouched' }]);
    expect((await run('run', 'cancel', runId)).stderr).toMatch(/has ended; it accepts no decisions/);
    expect((await run('run', 'approve', runId, '--plan', 'abcd')).stderr).toMatch(
      /it is not a run of a group/,
    );
    expect(task.posts()).toBe(0);
    at.target.faults.clear();
  });

  it('is refused before any request while the portal is frozen [P13]', async () => {
    await run('freeze', 'production', '--reason', 'an upgrade');
    const before = at.target.requests().length;
    const { status, stdout } = await update('latest', '--status', 'failed');
    await run('unfreeze', 'production');
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
    const ended = await run('task-run', 'update', portal, task.id, id, '--status', word, '--user', 'owner');
    expect([ended.status, ended.stderr, task.posts()]).toEqual([status, expect.stringMatching(words), 0]);
  });
});

describe('a run bound to a portal task', () => {
  const bound = (): string[] => ['--task-run', `production/owner/${task.id}`];
  const restore = () =>
    run('restore', 'latest', '--to', 'production', '--into', transportTargetGroupId, ...bound());

  it('reports submitfailed with the reason if it cannot be started', async () => {
    const yaml = readFileSync(at.config.path, 'utf8');
    const unreachable = file('unreachable.yaml', yaml.replace(/address: .*/, 'address: 127.0.0.1:1'));
    const { status, stderr } = await run('sync', 'transport', '--config', unreachable, ...bound());
    expect([status, stderr]).toEqual([
      11,
      expect.stringMatching(/task \w+ of owner on production is now submitfailed/),
    ]);
    expect(task.said(task.newest)).toEqual({
      status: 'submitfailed',
      result: expect.stringMatching(/^not started, TEMPORAL_UNREACHABLE: /),
    });
    task = scheduledTask(at.target);
    expect((await restore()).status).toBe(10);
    expect(task.said(task.newest)).toEqual({
      status: 'submitfailed',
      result: expect.stringMatching(/^not started, SNAPSHOT_NOT_FOUND: /),
    });
  });

  it('leaves the status of an earlier night and says so', async () => {
    const word = { status: 'failed', result: 'mended by hand' };
    task.makeRun(task.newest, Date.now() - 86_400_000, word);
    expect((await restore()).stderr).toMatch(
      /could not be updated: .* is from an earlier night \(status failed\)/,
    );
    expect(task.said(task.newest)).toEqual(word);
  });

  it('is refused with a task of the wrong form or an unknown portal', async () => {
    expect(await run('sync', 'transport', '--task-run', 'production')).toMatchObject(
      said(2, /Write PORTAL\/USER\/TASK or PORTAL\/USER\/TASK\/TASK-RUN/),
    );
    expect((await run('sync', 'transport', '--task-run', 'nowhere/owner/x')).status).toBe(10);
  });

  it('reports how it ended', async () => {
    const ended = await run('sync', 'transport', '--items', transportItems.pdf, ...bound());
    expect(ended.status).toBe(0);
    expect(task.said(task.newest).status).toBe('succeeded');
  });
});
