import { spawnSync } from 'node:child_process';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import { Release } from '../../../src/simulator/versions';
import { keys } from '../../../src/store/keys';
import { LocalStore } from '../../../src/store/local/local-store';
import {
  apply,
  asUser,
  at,
  banner,
  fileOf,
  give,
  inFolder,
  notice,
  properties,
  recordOf,
  settings,
  shown,
  updatesDuring,
} from './settings-site';

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
    const { ended, updates } = await updatesDuring(() =>
      apply(desired, '--reason', 'spring', '--request-id', 'spring'),
    );
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
    expect(recordOf(await apply(desired, '--request-id', 'spring')).runId).toBe(record.runId);
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

  it('restores once when a request with --saved latest is repeated', async () => {
    give(at.target, { informationalBanner: banner });
    await apply({ informationalBanner: { text: 'Open again' } });
    const restore = () =>
      settings(
        ...['apply', 'production', '--saved', 'latest', '--yes', '--request-id', 'back', '-o', 'json'],
      );
    const { runId } = recordOf(await restore());
    const { ended, updates } = await updatesDuring(restore);
    expect([ended.status, recordOf(ended).runId, updates]).toEqual([0, runId, 0]);
    expect(shown(at.target)).toEqual({ informationalBanner: banner });
  });

  it('puts nothing back that the change did not find there', async () => {
    give(at.target, { informationalBanner: banner });
    const { runId } = recordOf(await apply({ informationalBanner: { text: 'Open again' } }));
    const writer = new LocalStore(inFolder('store'));
    const key = keys.before(runId);
    const written = await writer.readJson(key, z.looseObject({}));
    const content = { informationalBanner: { ...banner, text: 'Call 0900 666' } };
    await writer.writeJson(key, { ...written, content });
    const { ended, updates } = await updatesDuring(() =>
      settings('apply', 'production', '--saved', runId, '--yes'),
    );
    expect([ended.status, updates]).toEqual([1, 0]);
    expect(ended.stderr).toMatch(
      /^error NOTE_ALTERED {2}runs\/.*\/before\.json in .* is not signed with the key of this store/,
    );
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
      '  anonymousAccessNotice.buttons: write acceptAndDecline or okOnly',
      '  anonymousAccessNotice.titel: unknown setting; did you mean title?',
      '  informationalBanner.text: cannot be cleared on its own; write informationalBanner: null to clear all of it',
      '  informationalBanner.bgColor: is not a color; write a CSS name such as gold, or hexadecimal such as "#ffd700"',
      '  informationalBanner.fontColor: is not a color; write a CSS name such as gold, or hexadecimal such as "#ffd700"',
      '  informationalBanner.enabled: write true or false, without quotes',
      '  portalConfigProperties.httpsDomains.1: write text',
      '  portalConfigProperties.longTokenExpiration: write a whole number of minutes, without quotes',
      '  portalConfigProperties.showCreateDashboard: write true or false, without quotes',
      '  portalConfigProperties.surveyUrl: is not a URL; write it as https://HOST/PATH',
      '  portalConfigProperties.configurePortalCloudEnv: write a host name, or false without quotes',
      '  portalConfigProperties.tokenExpiraton: unknown setting; did you mean tokenExpiration?',
      '  banner: unknown setting',
    ]);
  });

  it.each([
    ['that is no YAML', 'informationalBanner: [', /neither valid YAML nor JSON/],
    ['that is empty', '', /contains no settings; write at least one of anonymousAccessNotice/],
    ['that is a list', '- 1', /contains no settings/],
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

  it('warns of a misspelt word, lifetimes in the wrong order and colors that cannot be read, and goes on', async () => {
    const ended = await apply({
      anonymousAccessNotice: { ...notice, buttons: 'acceptAndDecilne' },
      informationalBanner: { ...banner, fontColor: '#003377' },
      portalConfigProperties: { tokenExpiration: 100, longTokenExpiration: 50 },
    });
    expect(ended.status).toBe(0);
    expect(shown(at.target)).toMatchObject({ anonymousAccessNotice: notice });
    expect(recordOf(ended).warnings).toEqual([
      'anonymousAccessNotice.buttons: acceptAndDecilne is misspelled; acceptAndDecline is sent',
      expect.stringMatching(/^informationalBanner: #003377 on #003366 is hard to read/),
      expect.stringMatching(/^portalConfigProperties: tokenExpiration \(100 minutes\) is above/),
    ]);
  });

  it.each([
    [
      '10.8',
      'self-managed',
      { portalConfigProperties: properties },
      /accepts portalConfigProperties only from version 11\.0/,
    ],
    [
      '10.9',
      'self-managed',
      { portalConfigProperties: properties },
      /accepts portalConfigProperties only from version 11\.0/,
    ],
    [
      '11.0',
      'self-managed',
      { portalConfigProperties: { iotViewerUrl: 'https://iot.example.com' } },
      /accepts iotViewerUrl only from version 11\.1/,
    ],
    [
      '11.2',
      'self-managed',
      { authenticatedAccessNotice: notice },
      /only ArcGIS Online has authenticatedAccessNotice/,
    ],
    [
      '11.4',
      'hosted',
      { portalConfigProperties: properties },
      /is ArcGIS Online, which has no portalConfigProperties/,
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
    expect(ended.stderr).toMatch(/owner is not an administrator of production \(org_publisher\)/);
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
    const program = path.join(__dirname, '..', '..', '..', 'dist', 'cli', 'main.js');
    const typed = spawnSync(process.execPath, [program, 'settings', 'apply', 'production', '-', '--yes'], {
      cwd: at.folder,
      input: 'informationalBanner: { text: 1 }',
      encoding: 'utf8',
    });
    expect(typed).toMatchObject({ status: 2 });
    expect(typed.stderr).toMatch(/The file has 1 problem:\n {2}informationalBanner\.text: write text/);
  });
});
