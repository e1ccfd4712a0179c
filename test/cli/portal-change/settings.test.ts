import { readFileSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { parse, stringify } from 'yaml';
import { Release } from '../../../src/simulator/versions';
import { inProcess } from '../../support/in-process';
import {
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
} from './settings-site';

describe('portolan settings export', () => {
  it('writes a file that names portal and version, and from which the portal does not differ', async () => {
    give(at.target, { informationalBanner: banner, portalConfigProperties: { ...properties, ownIdea: 1 } });
    const file = inFolder('production.yaml');
    const ended = await settings('export', 'production', file);
    expect(ended.status).toBe(0);
    expect(ended.stderr).toMatch(/portalConfigProperties\.ownIdea is skipped/);
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
    expect(ended.stderr).toMatch(
      /The upgrade dropped portalConfigProperties\.showInAppLauncher\. To restore them, apply/,
    );
  });

  it('tells of the properties that the upgrade to 11.0 left behind', async () => {
    at.target.settings.release = new Release('10.9');
    await settings('export', 'production', inFolder('old.yaml'));
    at.target.settings.release = new Release('11.0');
    const ended = await settings('diff', 'production', inFolder('old.yaml'));
    expect(ended.status).toBe(0);
    expect(ended.stderr).toMatch(/10\.9 kept its properties in a separate file/);
    const written = {
      exported: { portal: 'production', url: at.target.url, version: '10.9' },
      portalConfigProperties: { tokenExpiration: 60 },
    };
    expect((await settings('diff', 'production', fileOf(written))).stderr).toMatch(
      /The upgrade dropped portalConfigProperties\.tokenExpiration/,
    );
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
      expect.stringMatching(/^portalConfigProperties\.footerLinks is skipped: it names 127\.0\.0\.1:/),
      'portalConfigProperties.httpsDomains is skipped: it names server.staging.example.com; to copy it: --map server.staging.example.com=HOST',
      'portalConfigProperties.surveyUrl is skipped: it names survey.staging.example.com; to copy it: --map survey.staging.example.com=HOST',
    ]);
    expect(ended.stderr).toContain('surveyUrl is skipped');

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
      stderr: expect.stringMatching(/accepts portalConfigProperties only from version 11\.0/),
    });
    expect((await settings('promote', 'staging', 'staging', '--yes')).status).toBe(2);
    const aliased = parse(readFileSync(inFolder('portolan.yaml'), 'utf8')) as {
      portals: { staging: { url: string }; production: { aliases?: string[] } };
    };
    aliased.portals.production.aliases = [aliased.portals.staging.url];
    writeFileSync(inFolder('aliased.yaml'), stringify(aliased));
    expect(
      await inProcess(['settings', 'promote', 'staging', 'production', '--config', inFolder('aliased.yaml')]),
    ).toMatchObject({
      status: 2,
      stderr: expect.stringMatching(/staging and production are the same portal/),
    });
    expect((await settings('promote', 'staging', 'nowhere', '--yes')).status).toBe(10);
    expect((await settings('promote', 'staging', 'production', '--map', 'a/b=c')).status).toBe(2);
  });
});
