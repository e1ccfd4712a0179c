import { describe, expect, it } from '@jest/globals';
import { aConfig } from '../support/config';
import { resolveBackup, resolveDrill, resolveRoute } from '../../src/config/resolve-route';

const portal = (url: string, more = '') =>
  `{ url: "${url}", ${more} auth: { type: token, token: { env: T } } }`;

const config = aConfig(`portals:
  staging: ${portal('https://staging.example.com/portal/sharing/rest')}
  production: ${portal('https://production.example.com/portal/sharing/rest')}
  other-name: ${portal('https://STAGING.example.com:443/portal/sharing/rest')}
  by-alias: ${portal('https://a.example.com/portal/sharing/rest', 'aliases: [ "https://staging.example.com/portal/sharing/rest" ],')}
routes:
  transport:
    source: { portal: staging, group: g1 }
    target: { portal: production, group: g2, folder: f1, folderOwner: svc }
    approval: none
`);

describe('a route', () => {
  it('has both ends with the addresses of the configuration', () => {
    expect(resolveRoute(config, { route: 'transport' })).toEqual({
      name: 'transport',
      source: {
        portal: 'staging',
        url: 'https://staging.example.com/portal/sharing/rest',
        groupId: 'g1',
        concurrency: { exports: 1, imports: 1 },
      },
      target: {
        portal: 'production',
        url: 'https://production.example.com/portal/sharing/rest',
        groupId: 'g2',
        folderId: 'f1',
        folderOwner: 'svc',
        concurrency: { exports: 1, imports: 1 },
      },
      options: {
        overwrite: false,
        data: 'keep',
        approval: 'none',
        items: undefined,
        take: [],
        planOnly: false,
        allowShrink: false,
        keepPackages: false,
        jobDeadlineMs: 21_600_000,
        decisionTimeoutMs: 604_800_000,
        limits: { packageBytes: 5 * 1024 ** 3, itemBytes: 1024 ** 3, freeDiskBytes: 10 * 1024 ** 3 },
      },
    });
  });

  it('prefers the flags of a run to its own options', () => {
    const flags = {
      items: ['a'],
      overwrite: true,
      data: 'replace',
      take: ['b'],
      planOnly: true,
      allowShrink: true,
    } as const;
    expect(resolveRoute(config, { route: 'transport' }, flags).options).toMatchObject(flags);
  });

  it('excludes and takes items of its own and of flags, not in backups', () => {
    const route = config.routes.get('transport')!;
    const drill = { portal: 'production', group: 'g2' };
    const options = { ...route.options, take: ['a'], exclude: { types: ['PDF'], tags: ['draft'] } };
    const own = { ...route, options, backup: { ...route.backup, drill } };
    const few = { ...config, routes: new Map([['transport', own]]) };
    const flags = { take: ['a', 'b'], exclude: { items: ['c'], tags: ['old', 'draft'] } };
    expect(resolveRoute(few, { route: 'transport' }, flags).options).toMatchObject({
      take: ['a', 'b'],
      exclude: { items: ['c'], types: ['PDF'], tags: ['draft', 'old'] },
    });
    for (const whole of [resolveBackup(few, 'transport'), resolveDrill(few, 'transport')])
      expect(whole.options).toMatchObject({ take: [], exclude: undefined });
  });

  it('needs approval when it has no name', () => {
    const route = resolveRoute(config, { from: 'staging', group: 'g1', to: 'production', into: 'g2' });
    expect([route.name, route.options.approval, route.options.overwrite]).toEqual(['adhoc', 'ask', false]);
  });

  it.each([
    [{ route: 'nothing' }, 'ROUTE_NOT_FOUND', 'has no route "nothing"; defined: transport.'],
    [
      { from: 'staging', group: 'g', to: 'prod', into: 'g' },
      'PORTAL_NOT_FOUND',
      'has no portal "prod"; defined: staging, production, other-name, by-alias.',
    ],
  ])('is reported when it is unknown: %j', (request, code, words) => {
    expect(() => resolveRoute(config, request)).toThrow(`[${code}] ${config.path} ${words}`);
  });

  it.each([
    ['staging', '"staging" is https://staging.example.com/portal/sharing/rest'],
    ['other-name', '"staging" and "other-name" are https://staging.example.com/portal/sharing/rest'],
    ['by-alias', '"staging" and "by-alias" are https://staging.example.com/portal/sharing/rest'],
  ])('is refused from a portal to itself: %s', (to, words) => {
    expect(() => resolveRoute(config, { from: 'staging', group: 'g', to, into: 'h' })).toThrow(
      `[SAME_PORTAL] Source and target are the same portal: ${words}.`,
    );
  });
});
