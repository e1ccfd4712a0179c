import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { parse, stringify } from 'yaml';
import { z } from 'zod';
import type { Simulator } from '../../../src/simulator/simulator';
import { Release } from '../../../src/simulator/versions';
import { keys } from '../../../src/store/keys';
import { LocalStore } from '../../../src/store/local/local-store';
import type { Ended } from '../../support/child';
import { inProcess } from '../../support/in-process';
import { jsonOf, recordOf } from '../../support/json';
import { Site } from '../../support/site';

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
    const wrong = await settings('apply', 'staging', '--saved', record.runId, '--yes');
    expect([wrong.status, wrong.stderr]).toEqual([
      2,
      expect.stringMatching(/changed production, not staging/),
    ]);
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
    const lacking = await promote('production', '--yes');
    expect([lacking.status, lacking.stderr]).toEqual([1, expect.stringMatching(/only from version 11\.0/)]);
    for (const args of [
      ['staging', '--yes'],
      ['production', '--map', 'a/b=c'],
    ])
      expect((await promote(...args)).status).toBe(2);
    expect((await promote('nowhere', '--yes')).status).toBe(10);
    const text = readFileSync(path.join(at.folder, 'portolan.yaml'), 'utf8');
    const aliased = parse(text) as { portals: Record<string, { url: string; aliases?: string[] }> };
    Object.assign(aliased.portals['production'] ?? {}, { aliases: [at.source.url] });
    const same = await inProcess([
      'settings',
      'promote',
      'staging',
      'production',
      '--config',
      file('aliased.yaml', aliased),
    ]);
    expect([same.status, same.stderr]).toEqual([2, expect.stringMatching(/are the same portal/)]);
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
    const none = await restore(again.runId);
    expect([none.status, none.stderr]).toEqual([
      2,
      expect.stringMatching(/saved none[^]*portolan category-schema delete production/),
    ]);
  });

  it('is deleted once the portal name is typed, and can be restored', async () => {
    const [one] = [...at.target.world.items.values()].filter((item) => item.type !== 'Export Package');
    at.target.world.items.change(one?.id ?? '', { categories: ['/Categories/Roads', '/Elsewhere'] });
    const unsure = await schema('delete', 'production');
    expect([unsure.status, unsure.stderr]).toEqual([
      2,
      expect.stringMatching(/3 categories in 1 tree\.\nwarning {2}category schema: 1 item is filed under it/),
    ]);
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
    const refused = await runAs('owner', 'category-schema', 'apply', 'production', desired, '--yes');
    expect([refused.status, refused.stderr]).toEqual([
      12,
      expect.stringMatching(/without the privilege portal:admin:updateItemCategorySchema/),
    ]);
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
    [
      'settings',
      { informationalBanner: { text: 'Soon' } },
      /bgColor: is missing, and production has none yet/,
    ],
    ['category-schema', { categorySchema: [{ children: [] }] }, /2 problems[^]*0\.children: unknown setting/],
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

  it('reads a document from standard input', () => {
    const program = path.join(__dirname, '..', '..', '..', 'dist', 'cli', 'main.js');
    const typed = spawnSync(process.execPath, [program, 'settings', 'apply', 'production', '-', '--yes'], {
      cwd: at.folder,
      input: 'informationalBanner: { text: 1 }',
      encoding: 'utf8',
    });
    expect([typed.status, typed.stderr]).toEqual([2, expect.stringMatching(/text: write text/)]);
  });
});
