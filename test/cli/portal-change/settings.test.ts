import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { MockActivityEnvironment } from '@temporalio/testing';
import { DefaultLogger } from '@temporalio/worker';
import { parse, stringify } from 'yaml';
import { createSettingsActivities } from '../../../src/activities/portal-change/settings';
import { PortalPool } from '../../../src/config/portal-pool';
import { type RunRecord, runRecord } from '../../../src/model/run/run';
import type { SettingsInput } from '../../../src/model/portal-change/settings-change';
import type { Simulator } from '../../../src/simulator/simulator';
import { Release } from '../../../src/simulator/versions';
import { keys } from '../../../src/store/keys';
import { Rehearsal } from '../../support/rehearsal';
import type { Ended } from '../../support/child';
import { inProcess } from '../../support/in-process';

const banner = { text: 'Closed on Sunday', bgColor: '#003366', fontColor: 'white', enabled: true };
const notice = { title: 'Terms', text: 'Be kind.', buttons: 'acceptAndDecline', enabled: true };
const properties = {
  tokenExpiration: 60,
  sceneViewerEnabled: false,
  showInAppLauncher: ['Map Viewer', 'Dashboards'],
};

let at: Rehearsal;
beforeAll(async () => {
  at = await Rehearsal.open({ user: { username: 'admin', password: 'admin-pw' } });
});
afterAll(() => at.close());
beforeEach(() => {
  for (const [portal, version] of [
    [at.source, '11.2'],
    [at.target, '11.4'],
  ] as const) {
    portal.settings.release = new Release(version);
    portal.settings.deployment = 'self-managed';
    portal.faults.clear();
    portal.world.changePortal({ settings: {} });
  }
});

const inFolder = (name: string): string => path.join(at.folder, name);
const settings = (...args: string[]): Promise<Ended> =>
  inProcess(['settings', ...args, '--config', inFolder('portolan.yaml')]);
const apply = (content: unknown, ...args: string[]): Promise<Ended> =>
  settings('apply', 'production', fileOf(content), '--yes', '-o', 'json', ...args);

function fileOf(content: unknown): string {
  const file = inFolder('desired.yaml');
  writeFileSync(file, typeof content === 'string' ? content : stringify(content));
  return file;
}

const give = ({ world }: Simulator, values: Record<string, unknown>): void =>
  world.changePortal({ settings: { ...world.portal.settings, ...values } });
const shown = ({ world }: Simulator): Record<string, unknown> => world.portal.settings;
const recordOf = ({ stdout }: Ended): RunRecord => JSON.parse(stdout) as RunRecord;

/** How often the target was asked to change its settings while this went on. */
async function updatesDuring<T>(work: () => Promise<T>): Promise<{ ended: T; updates: number }> {
  const count = (): number =>
    at.target.requests().filter(({ operation }) => operation === 'settings.update').length;
  const before = count();
  const ended = await work();
  return { ended, updates: count() - before };
}

/** The same portals, signed in to as somebody else. */
async function asUser(username: string, ...args: string[]): Promise<Ended> {
  const config = parse(readFileSync(inFolder('portolan.yaml'), 'utf8')) as {
    portals: Record<string, { auth: unknown }>;
  };
  writeFileSync(inFolder(`${username}-secret`), `${username}-pw`);
  for (const portal of Object.values(config.portals)) {
    portal.auth = { type: 'password', username, password: { file: inFolder(`${username}-secret`) } };
  }
  writeFileSync(inFolder(`${username}.yaml`), stringify(config));
  return await inProcess(['settings', ...args, '--config', inFolder(`${username}.yaml`)]);
}

describe('portolan settings export', () => {
  it('writes a file that names portal and version, and from which the portal does not differ', async () => {
    give(at.target, { informationalBanner: banner, portalConfigProperties: { ...properties, ownIdea: 1 } });
    const file = inFolder('production.yaml');
    const ended = await settings('export', 'production', file);
    expect(ended.status).toBe(0);
    expect(ended.stderr).toMatch(/portalConfigProperties\.ownIdea is left out/);
    const text = readFileSync(file, 'utf8');
    expect(text).toMatch(/^# Settings of production \(.*\), version 11\.4\.\n/);
    expect(parse(text)).toMatchObject({
      exported: { portal: 'production', url: at.target.url, version: '11.4' },
      anonymousAccessNotice: null,
      informationalBanner: banner,
      portalConfigProperties: { ...properties, surveyUrl: null },
    });
    expect(await settings('diff', 'production', file)).toMatchObject({ status: 0 });
    give(at.target, { portalConfigProperties: { ...properties, surveyUrl: 'https://survey.example.com' } });
    expect(await settings('diff', 'production', file)).toMatchObject({
      status: 20,
      stdout: expect.stringMatching(/portalConfigProperties\.surveyUrl +https:\/\/survey\.example\.com +-/),
    });
  });

  it('prints YAML, or JSON where that is asked for, and leaves out what the portal does not have', async () => {
    at.target.settings.release = new Release('10.9');
    const printed = await settings('export', 'production');
    expect(Object.keys(parse(printed.stdout) as object)).toEqual([
      'exported',
      'anonymousAccessNotice',
      'informationalBanner',
    ]);
    at.target.settings.deployment = 'hosted';
    const hosted = await settings('export', 'production', '-', '-o', 'json');
    expect(Object.keys(JSON.parse(hosted.stdout) as object)).toEqual([
      'exported',
      'anonymousAccessNotice',
      'authenticatedAccessNotice',
      'informationalBanner',
    ]);
    await settings('export', 'production', inFolder('hosted.json'));
    expect(JSON.parse(readFileSync(inFolder('hosted.json'), 'utf8'))).toEqual(JSON.parse(hosted.stdout));
  });
});

describe('portolan settings diff', () => {
  it('says what an upgrade dropped and has to be applied again', async () => {
    at.target.settings.release = new Release('11.2');
    give(at.target, { portalConfigProperties: properties });
    await settings('export', 'production', inFolder('before.yaml'));
    at.target.settings.release = new Release('11.4');
    const { showInAppLauncher: _dropped, ...kept } = properties;
    give(at.target, { portalConfigProperties: { ...kept, tokenExpiration: 90 } });
    const ended = await settings('diff', 'production', inFolder('before.yaml'), '-o', 'json');
    expect(ended.status).toBe(20);
    expect(JSON.parse(ended.stdout)).toMatchObject({
      portal: { version: '11.4' },
      exported: { version: '11.2' },
      differences: [
        { path: 'portalConfigProperties.tokenExpiration', before: 90, after: 60, isDropped: false },
        {
          path: 'portalConfigProperties.showInAppLauncher',
          after: properties.showInAppLauncher,
          isDropped: true,
        },
      ],
    });
    expect(ended.stderr).toMatch(/does not keep portalConfigProperties\.showInAppLauncher: apply/);
  });

  it('tells of the properties that the upgrade to 11.0 left behind', async () => {
    at.target.settings.release = new Release('10.9');
    await settings('export', 'production', inFolder('old.yaml'));
    at.target.settings.release = new Release('11.0');
    const ended = await settings('diff', 'production', inFolder('old.yaml'));
    expect(ended.status).toBe(0);
    expect(ended.stderr).toMatch(/10\.9 kept its properties in a file of its own/);
    const written = {
      exported: { portal: 'production', url: at.target.url, version: '10.9' },
      portalConfigProperties: { tokenExpiration: 60 },
    };
    expect((await settings('diff', 'production', fileOf(written))).stderr).toMatch(
      /does not keep portalConfigProperties\.tokenExpiration/,
    );
  });
});

describe('portolan settings apply', () => {
  it('sets what differs, leaves the rest, saves what was there, and puts it back', async () => {
    const { tokenExpiration: _minutes, ...others } = properties;
    give(at.target, {
      informationalBanner: banner,
      portalConfigProperties: { tokenExpiration: 90, surveyUrl: 'https://survey.example.com' },
    });
    const desired = {
      anonymousAccessNotice: notice,
      informationalBanner: { text: 'Open again' },
      portalConfigProperties: { tokenExpiration: null, ...others },
    };
    const { ended, updates } = await updatesDuring(() => apply(desired, '--reason', 'spring'));
    expect(ended.status).toBe(0);
    expect(updates).toBe(3);
    const record = recordOf(ended);
    expect(record).toMatchObject({
      kind: 'settings',
      operation: 'apply',
      status: 'succeeded',
      target: 'changed',
      saved: `runs/${record.runId}/before.json`,
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
      portalConfigProperties: { surveyUrl: 'https://survey.example.com', ...others },
    });
    const again = await updatesDuring(() => apply(desired));
    expect(recordOf(again.ended)).toMatchObject({ status: 'nothing-to-do', target: 'untouched' });
    expect(again.updates).toBe(0);

    const undone = await settings('apply', 'production', '--saved', record.runId, '--yes', '-o', 'json');
    expect(undone.status).toBe(0);
    expect(shown(at.target)).toEqual({
      anonymousAccessNotice: null,
      informationalBanner: banner,
      portalConfigProperties: { tokenExpiration: 90, surveyUrl: 'https://survey.example.com' },
    });
    const wrong = await settings('apply', 'staging', '--saved', record.runId, '--yes');
    expect(wrong).toMatchObject({
      status: 2,
      stderr: expect.stringMatching(/changed production, not staging/),
    });
  });

  it('shows what would change and needs a yes', async () => {
    const file = fileOf({ informationalBanner: banner });
    const { ended, updates } = await updatesDuring(() => settings('apply', 'production', file));
    expect(ended.status).toBe(2);
    expect(ended.stdout).toMatch(/informationalBanner\.text +- +Closed on Sunday/);
    expect(ended.stderr).toMatch(/Add --yes/);
    expect(updates).toBe(0);
  });

  it('clears an object with null, and a property with null', async () => {
    give(at.target, { informationalBanner: banner, portalConfigProperties: { tokenExpiration: 90 } });
    const ended = await apply({
      informationalBanner: null,
      portalConfigProperties: { tokenExpiration: null },
    });
    expect(ended.status).toBe(0);
    expect(shown(at.target)).toEqual({ informationalBanner: null, portalConfigProperties: null });
  });

  it('names everything that is wrong with a file at once, and sends nothing', async () => {
    const { ended, updates } = await updatesDuring(() =>
      apply({
        informationalBanner: { bgColor: 'blau', fontColor: '#12', enabled: 'yes', text: null },
        anonymousAccessNotice: { buttons: 'cancel', titel: 'Terms' },
        portalConfigProperties: {
          tokenExpiraton: 5,
          longTokenExpiration: 1.5,
          surveyUrl: 'survey',
          httpsDomains: ['a.example.com', 7],
          configurePortalCloudEnv: true,
          showCreateDashboard: 'no',
        },
        banner: {},
      }),
    );
    expect(ended.status).toBe(2);
    expect(updates).toBe(0);
    expect(ended.stderr.split('\n').filter((line) => /^ {2}[\w.]+: /.test(line))).toEqual([
      '  banner: there is no such setting',
      '  anonymousAccessNotice.buttons: write acceptAndDecline or okOnly',
      '  anonymousAccessNotice.titel: there is no such setting; the nearest is title',
      '  informationalBanner.bgColor: is no colour; write a CSS name such as gold, or hexadecimal such as "#ffd700"',
      '  informationalBanner.fontColor: is no colour; write a CSS name such as gold, or hexadecimal such as "#ffd700"',
      '  informationalBanner.enabled: write true or false, without quotes',
      '  informationalBanner.text: cannot be cleared alone; write informationalBanner: null to clear the whole',
      '  portalConfigProperties.tokenExpiraton: there is no such setting; the nearest is tokenExpiration',
      '  portalConfigProperties.longTokenExpiration: write a whole number of minutes, without quotes',
      '  portalConfigProperties.surveyUrl: is not a URL; write it as https://HOST/PATH',
      '  portalConfigProperties.httpsDomains.1: write a text',
      '  portalConfigProperties.configurePortalCloudEnv: write a host name, or false without quotes',
      '  portalConfigProperties.showCreateDashboard: write true or false, without quotes',
    ]);
  });

  it.each([
    ['that is no YAML', 'informationalBanner: [', /neither YAML nor JSON/],
    ['that is empty', '', /holds no settings; write at least one of anonymousAccessNotice/],
    ['that is a list', '- 1', /holds no settings/],
  ])('refuses a file %s', async (_title, text, words) => {
    const ended = await apply(text);
    expect(ended).toMatchObject({ status: 2, stderr: expect.stringMatching(words) });
  });

  it('wants an object whole that the portal does not have yet', async () => {
    const ended = await apply({ informationalBanner: { text: 'Soon', enabled: true } });
    expect(ended.status).toBe(2);
    expect(ended.stderr).toMatch(/informationalBanner\.bgColor: is missing, and production has none yet/);
    expect(ended.stderr).toMatch(/informationalBanner\.fontColor: is missing/);
  });

  it('warns of a misspelt word, lifetimes in the wrong order and colours that cannot be read, and goes on', async () => {
    const ended = await apply({
      anonymousAccessNotice: { ...notice, buttons: 'acceptAndDecilne' },
      informationalBanner: { ...banner, fontColor: '#003377' },
      portalConfigProperties: { tokenExpiration: 100, longTokenExpiration: 50 },
    });
    expect(ended.status).toBe(0);
    expect(shown(at.target)).toMatchObject({ anonymousAccessNotice: notice });
    expect(recordOf(ended).warnings).toEqual([
      'anonymousAccessNotice.buttons: acceptAndDecilne is misspelt; acceptAndDecline is sent',
      expect.stringMatching(/^informationalBanner: #003377 on #003366 is hard to read/),
      expect.stringMatching(/^portalConfigProperties: tokenExpiration \(100 minutes\) is above/),
    ]);
  });

  it.each([
    [
      '10.8',
      'self-managed',
      { portalConfigProperties: properties },
      /takes portalConfigProperties from 11\.0 on/,
    ],
    [
      '10.9',
      'self-managed',
      { portalConfigProperties: properties },
      /takes portalConfigProperties from 11\.0 on/,
    ],
    [
      '11.0',
      'self-managed',
      { portalConfigProperties: { iotViewerUrl: 'https://iot.example.com' } },
      /takes iotViewerUrl from 11\.1 on/,
    ],
    [
      '11.2',
      'self-managed',
      { authenticatedAccessNotice: notice },
      /only the hosted deployment has an authenticatedAccessNotice/,
    ],
    [
      '11.4',
      'hosted',
      { portalConfigProperties: properties },
      /is the hosted deployment, which has no portalConfigProperties/,
    ],
  ] as const)('refuses by name what %s, %s, does not have', async (version, deployment, more, words) => {
    at.target.settings.release = new Release(version);
    at.target.settings.deployment = deployment;
    const { ended, updates } = await updatesDuring(() => apply({ informationalBanner: banner, ...more }));
    expect(ended).toMatchObject({ status: 1, stderr: expect.stringMatching(words) });
    expect(updates).toBe(0);
  });

  it.each([
    ['10.8', 'self-managed', {}],
    ['10.9', 'self-managed', {}],
    ['11.0', 'self-managed', { portalConfigProperties: properties }],
    ['11.4', 'hosted', { authenticatedAccessNotice: notice }],
  ] as const)('sets what %s, %s, does have', async (version, deployment, more) => {
    at.target.settings.release = new Release(version);
    at.target.settings.deployment = deployment;
    const desired = { anonymousAccessNotice: notice, informationalBanner: banner, ...more };
    expect((await apply(desired)).status).toBe(0);
    expect(shown(at.target)).toEqual(desired);
  });

  it('tells who is no administrator so, before anything is written', async () => {
    const file = fileOf({ informationalBanner: banner });
    const { ended, updates } = await updatesDuring(() =>
      asUser('owner', 'apply', 'production', file, '--yes'),
    );
    expect(ended.status).toBe(12);
    expect(ended.stderr).toMatch(/owner is no administrator of production \(org_publisher\)/);
    expect(updates).toBe(0);
  });

  it('leaves it to the portal to judge an administrator of a role of its own', async () => {
    const { users } = at.target.world;
    const admin = users.get('admin');
    if (admin === undefined) throw new Error('there is no admin');
    users.put('admin', { ...admin, roleId: 'c0ffee00c0ffee00' });
    const ended = await apply({ informationalBanner: banner }).finally(() => users.put('admin', admin));
    expect(ended.status).toBe(12);
    expect(recordOf(ended)).toMatchObject({
      status: 'failed',
      target: 'untouched',
      error: { code: 'PERMISSION_DENIED' },
    });
    expect(shown(at.target)).toEqual({});
  });

  it('takes JSON, and a text from the standard input', async () => {
    const json = fileOf(JSON.stringify({ informationalBanner: banner }));
    expect((await settings('apply', 'production', json, '--yes')).status).toBe(0);
    expect(shown(at.target)).toEqual({ informationalBanner: banner });
    const starter = path.join(__dirname, '..', '..', '..', 'dist', 'starter.js');
    const typed = spawnSync(process.execPath, [starter, 'settings', 'apply', 'production', '-', '--yes'], {
      cwd: at.folder,
      input: 'informationalBanner: { text: 1 }',
      encoding: 'utf8',
    });
    expect(typed).toMatchObject({ status: 2 });
    expect(typed.stderr).toMatch(
      /the standard input has 1 problem:\n {2}informationalBanner\.text: write a text/,
    );
  });

  it('sends again what never arrived, once it has seen that', async () => {
    at.target.faults.add({ match: { operation: 'settings.update' }, nth: 1, do: 'reset' });
    const { ended, updates } = await updatesDuring(() => apply({ informationalBanner: banner }));
    expect(recordOf(ended)).toMatchObject({ status: 'succeeded' });
    expect(updates).toBe(2);
    expect(shown(at.target)).toEqual({ informationalBanner: banner });
  });

  it('sends nothing where the portal no longer shows what somebody said yes to', async () => {
    const runId = `settings-production-${randomBytes(6).toString('hex')}`;
    await at.store.writeJson(keys.desired(runId), { informationalBanner: banner });
    const input: SettingsInput = {
      runId,
      operation: 'apply',
      portal: { portal: 'production', url: at.target.url },
      startedBy: 'test',
      expected: 'another',
      warnings: [],
    };
    const { updates } = await updatesDuring(() =>
      at.temporal.client.workflow
        .execute('settings', {
          workflowId: runId,
          taskQueue: at.config.temporal.taskQueue,
          args: [input],
        })
        .catch(() => undefined),
    );
    expect(updates).toBe(0);
    expect(await at.store.readJson(keys.record(runId), runRecord)).toMatchObject({
      status: 'failed',
      target: 'untouched',
      error: { code: 'PLAN_CHANGED' },
    });
    const portals = new PortalPool(at.config);
    const { writeSettings } = createSettingsActivities({ portals, store: at.store });
    const step = { object: 'informationalBanner', seen: 'another' } as const;
    const write = new MockActivityEnvironment({ attempt: 1 }, { logger: new DefaultLogger('ERROR') }).run(
      writeSettings,
      { ...input, step },
    );
    await expect(write.finally(() => portals.close())).rejects.toMatchObject({ code: 'PLAN_CHANGED' });
    expect(shown(at.target)).toEqual({});
  });

  it('looks where the answer is lost, and sends nothing twice that arrived', async () => {
    at.target.faults.add({ match: { operation: 'settings.update' }, nth: 1, when: 'after', do: 'reset' });
    const { ended, updates } = await updatesDuring(() =>
      apply({ anonymousAccessNotice: notice, informationalBanner: banner }),
    );
    expect(recordOf(ended)).toMatchObject({ status: 'succeeded' });
    expect(updates).toBe(2);
    expect(shown(at.target)).toEqual({ anonymousAccessNotice: notice, informationalBanner: banner });
  });

  it('says what was written where a later object is refused', async () => {
    at.target.faults.add({
      match: { operation: 'settings.update' },
      nth: 2,
      do: { error: { code: 400, message: 'No banners today.' } },
    });
    const ended = await apply({ anonymousAccessNotice: notice, informationalBanner: banner });
    expect(ended.status).toBe(1);
    const record = recordOf(ended);
    expect(record).toMatchObject({ status: 'failed', target: 'changed', error: { code: 'BAD_REQUEST' } });
    expect(record.error?.message).toMatch(/No banners today/);
    expect((await settings('apply', 'production', '--saved', record.runId, '--yes')).status).toBe(0);
    expect(shown(at.target)).toEqual({ anonymousAccessNotice: null });
  });

  it('names the field where a portal answers success and keeps the old value', async () => {
    give(at.target, { informationalBanner: banner });
    const kept = jest.spyOn(at.target.world, 'changePortal').mockImplementation(() => undefined);
    const ended = await apply({ informationalBanner: { text: 'New' } }).finally(() => kept.mockRestore());
    expect(ended.status).toBe(1);
    expect(recordOf(ended)).toMatchObject({
      status: 'failed',
      target: 'changed',
      error: {
        code: 'NOT_TAKEN',
        message:
          'production answered success, but shows other values than it was sent: informationalBanner.text',
      },
    });
  });
});

describe('portolan settings promote', () => {
  it('carries what names no host, leaves the rest to the target, and says so', async () => {
    give(at.source, {
      informationalBanner: banner,
      portalConfigProperties: {
        ...properties,
        surveyUrl: 'https://survey.staging.example.com/app',
        configurePortalCloudEnv: false,
        httpsDomains: ['server.staging.example.com'],
        footerLinks: [{ title: 'Help', url: `${at.source.url}/help` }],
      },
    });
    give(at.target, {
      anonymousAccessNotice: notice,
      portalConfigProperties: { surveyUrl: 'https://survey.example.com/app', tokenExpiration: 30 },
    });
    const ended = await settings('promote', 'staging', 'production', '--yes', '-o', 'json');
    expect(ended.status).toBe(0);
    expect(shown(at.target)).toEqual({
      anonymousAccessNotice: null,
      informationalBanner: banner,
      portalConfigProperties: {
        ...properties,
        surveyUrl: 'https://survey.example.com/app',
        configurePortalCloudEnv: false,
      },
    });
    const record = recordOf(ended);
    expect(record).toMatchObject({
      operation: 'promote',
      route: { source: { portal: 'staging' }, target: { portal: 'production' } },
    });
    expect(record.warnings).toEqual([
      expect.stringMatching(/^portalConfigProperties\.footerLinks is left out: it names 127\.0\.0\.1:/),
      'portalConfigProperties.httpsDomains is left out: it names server.staging.example.com; to carry it: --map server.staging.example.com=HOST',
      'portalConfigProperties.surveyUrl is left out: it names survey.staging.example.com; to carry it: --map survey.staging.example.com=HOST',
    ]);
    expect(ended.stderr).toContain('surveyUrl is left out');

    const mapped = await settings(
      ...['promote', 'staging', 'production', '--yes', '-o', 'json'],
      ...['--map', 'survey.staging.example.com=survey.example.com:8443'],
      ...['--map', 'server.staging.example.com=server.example.com'],
    );
    expect(mapped.status).toBe(0);
    expect(shown(at.target)).toMatchObject({
      portalConfigProperties: {
        surveyUrl: 'https://survey.example.com:8443/app',
        httpsDomains: ['server.example.com'],
      },
    });
  });

  it('refuses what the target does not have, one portal for both, and what is no pair of hosts', async () => {
    give(at.source, { portalConfigProperties: properties });
    at.target.settings.release = new Release('10.9');
    expect(await settings('promote', 'staging', 'production', '--yes')).toMatchObject({
      status: 1,
      stderr: expect.stringMatching(/takes portalConfigProperties from 11\.0 on/),
    });
    expect((await settings('promote', 'staging', 'staging', '--yes')).status).toBe(2);
    const aliased = parse(readFileSync(inFolder('portolan.yaml'), 'utf8')) as {
      portals: { staging: { url: string }; production: { aliases?: string[] } };
    };
    aliased.portals.production.aliases = [aliased.portals.staging.url];
    writeFileSync(inFolder('aliased.yaml'), stringify(aliased));
    expect(
      await inProcess(['settings', 'promote', 'staging', 'production', '--config', inFolder('aliased.yaml')]),
    ).toMatchObject({ status: 2, stderr: expect.stringMatching(/staging and production are one portal/) });
    expect((await settings('promote', 'staging', 'nowhere', '--yes')).status).toBe(10);
    expect((await settings('promote', 'staging', 'production', '--map', 'a/b=c')).status).toBe(2);
  });
});
