import { describe, expect, it } from '@jest/globals';
import { aConfig, aPortal, problemsOf } from '../support/config';
import { configMark } from '../../src/config/config-mark';

const portals = Object.fromEntries(['dev', 'staging', 'live', 'north'].map((name) => [name, aPortal(name)]));
const load = (pipelines: object) => aConfig({ portals, pipelines });
const problems = (pipelines: object, more: object = {}) =>
  problemsOf({ portals, pipelines, ...more })
    .split('\n')
    .slice(1)
    .map((line) => line.trim());

const stage = (name: string, more: object = {}): object => ({
  portal: name,
  groups: { roads: `${name}1`, apps: `${name}2` },
  ...more,
});

const pipeline = (stages: object, more: object = {}): Record<string, object> => ({
  transport: { groups: ['roads', 'apps'], stages, ...more },
});

describe('a pipeline', () => {
  it('reads the owners of a stage', () => {
    const owners = { default: 'gisadmin', map: { dev_editor: 'editor' } };
    const stages = { dev: stage('dev'), staging: stage('staging', { owners }), live: stage('live') };
    const transport = load(pipeline(stages)).pipelines.get('transport');
    expect(transport?.stages.map(({ owners: of }) => of)).toEqual([undefined, owners, undefined]);
    const some = load(pipeline({ dev: stage('dev'), live: stage('live', { owners: {} }) }));
    expect(some.pipelines.get('transport')?.stages[1]?.owners).toEqual({ map: {} });
  });

  it('puts a stage after the one above it, or the one it names', () => {
    const stages = {
      dev: stage('dev'),
      staging: stage('staging'),
      live: stage('live'),
      north: stage('north', { after: 'staging' }),
    };
    const transport = load(pipeline(stages)).pipelines.get('transport');
    expect(transport?.stages.map(({ name, after }) => [name, after])).toEqual([
      ['dev', undefined],
      ['staging', 'dev'],
      ['live', 'staging'],
      ['north', 'staging'],
    ]);
    expect(transport).toMatchObject({ groups: ['roads', 'apps'], settings: false, categories: false });
  });

  it('normalizes the addresses and IDs of a map', () => {
    const map = {
      urls: { 'https://dev-gis/server/': 'https://gis/' },
      items: { ['A'.repeat(32)]: 'B'.repeat(32) },
    };
    const [dev, staging] =
      load(pipeline({ dev: stage('dev'), staging: stage('staging', { map }) })).pipelines.get('transport')
        ?.stages ?? [];
    expect(dev?.map).toBeUndefined();
    expect(staging?.map).toEqual({
      urls: { 'https://dev-gis/server': 'https://gis' },
      items: { ['a'.repeat(32)]: 'b'.repeat(32) },
    });
  });

  it('changes the configuration mark', () => {
    const one = load(pipeline({ dev: stage('dev'), staging: stage('staging') }));
    const other = load(pipeline({ dev: stage('dev'), live: stage('live') }));
    expect(configMark(one)).not.toBe(configMark(other));
  });

  it.each([
    ['no stage', pipeline({}), 'pipelines.transport.stages: is empty'],
    [
      'a stage without a group',
      pipeline({ dev: { portal: 'dev', groups: { roads: 'a' } } }),
      'pipelines.transport.stages.dev.groups: "apps" is missing; pipelines.transport.groups lists it',
    ],
    [
      'a group that the pipeline does not have',
      pipeline({ dev: { portal: 'dev', groups: { roads: 'a', apps: 'b', maps: 'c' } } }),
      'pipelines.transport.stages.dev.groups.maps: pipelines.transport.groups has no "maps"',
    ],
    [
      'one group under two names',
      pipeline({ dev: { portal: 'dev', groups: { roads: 'a', apps: 'a' } } }),
      'pipelines.transport.stages.dev.groups: a has two names',
    ],
    [
      'a repeated name',
      pipeline({ dev: stage('dev') }, { groups: ['roads', 'apps', 'roads'] }),
      'pipelines.transport.groups: "roads" appears twice',
    ],
    [
      'an unknown portal',
      pipeline({ dev: stage('moon') }),
      'pipelines.transport.stages.dev.portal: unknown portal "moon"; defined: dev, staging, live, north',
    ],
    [
      'two stages on one portal',
      pipeline({ dev: stage('dev'), staging: stage('dev') }),
      'pipelines.transport.stages.staging.portal: "dev" is also the portal of stage dev',
    ],
    [
      'a stage after an unknown one',
      pipeline({ dev: stage('dev'), staging: stage('staging', { after: 'test' }) }),
      'pipelines.transport.stages.staging.after: unknown stage "test"; defined: dev, staging',
    ],
    [
      'a first stage that comes after another',
      pipeline({ dev: stage('dev', { after: 'staging' }), staging: stage('staging') }),
      'pipelines.transport.stages.dev.after: not allowed at the first stage, where releases are created',
    ],
    [
      'a circle',
      pipeline({
        dev: stage('dev'),
        staging: stage('staging', { after: 'live' }),
        live: stage('live', { after: 'staging' }),
      }),
      'pipelines.transport.stages.staging.after: forms a cycle: staging -> live -> staging',
    ],
    [
      'owners of the first stage',
      pipeline({ dev: stage('dev', { owners: { default: 'gis' } }) }),
      'pipelines.transport.stages.dev.owners: nothing is promoted to the first stage; write them at a later stage',
    ],
    ...(
      [
        ['of the first stage', [{ command: 'true' }], '', 'nothing is promoted to the first stage', 'dev'],
        [
          'with command and URL',
          [{ command: 'true', url: 'https://a.example.com' }],
          '.0',
          'set either command or url',
        ],
        ['without command or URL', [{ tries: 2 }], '.0', 'set either command or url'],
        [
          'for a shell',
          [{ command: './smoke.sh --fast' }],
          '.0.command',
          'no shell splits it; write one program without arguments, or a list',
        ],
        [
          'with a password in its URL',
          [{ url: 'https://me:pw@a.example.com' }],
          '.0.url',
          'must not hold a user name or password',
        ],
        [
          'with a secret in its URL',
          [{ url: 'https://a.example.com/?token=abc' }],
          '.0.url',
          'must not hold what looks like a secret',
        ],
        ['over plain http', [{ url: 'http://a.example.com/' }], '.0.url', 'can be tampered with on the way'],
        [
          'with a repeated name',
          [{ command: 'true' }, { command: '/bin/true' }],
          '.1',
          'another check is named true',
        ],
        ['without time', [{ command: 'true', within: '0s' }], '.0.within', 'write a duration from 1s to 12h'],
      ] as const
    ).map(([what, checks, place, said, at = 'staging']): [string, object, string] => [
      `a check ${what}`,
      pipeline({
        dev: stage('dev', at === 'dev' ? { checks } : {}),
        staging: stage('staging', at === 'staging' ? { checks } : {}),
      }),
      `pipelines.transport.stages.${at}.checks${place}: ${said}`,
    ]),
    ...(
      [
        [
          'from an invalid address',
          { urls: { 'dev.example.com': 'https://a' } },
          'urls: "dev.example.com" is not a URL',
        ],
        ['to an invalid address', { urls: { 'https://a': 'b' } }, 'urls: "b" is not a URL'],
        [
          'of another scheme',
          { urls: { 'ftp://a': 'https://b' } },
          'urls: "ftp://a/" must begin with https://',
        ],
        [
          'with a password',
          { urls: { 'https://m:p@a': 'https://b' } },
          'urls: "https://a/" must not hold a user name',
        ],
        [
          'with a query',
          { urls: { 'https://a/?b': 'https://b' } },
          'urls: "https://a/" must not hold a query or fragment',
        ],
        [
          'of one address twice',
          { urls: { 'https://a/b': 'https://c', 'HTTPS://A:443/b/': 'https://d' } },
          'urls: "https://a/b" and "HTTPS://A:443/b/" are the same address',
        ],
        [
          'in a chain',
          { urls: { 'https://a': 'https://b/c', 'https://b': 'https://d' } },
          'urls: "https://a" maps to "https://b/c", but "https://b" is mapped too',
        ],
        [
          'to above another',
          { urls: { 'https://a': 'https://b', 'https://b/c': 'https://d' } },
          'urls: "https://a" maps to "https://b", but "https://b/c" is mapped too',
        ],
        [
          'to below itself',
          { urls: { 'https://a': 'https://a/live' } },
          'urls: "https://a" maps to "https://a/live", but "https://a" is mapped too',
        ],
        ['from an invalid ID', { items: { abc: 'b'.repeat(32) } }, 'items: "abc" is not an item id'],
        ['to an invalid ID', { items: { ['a'.repeat(32)]: 'b' } }, 'items: "b" is not an item id'],
        [
          'of ids in a chain',
          { items: { ['a'.repeat(32)]: 'b'.repeat(32), ['B'.repeat(32)]: 'c'.repeat(32) } },
          `items: ${'a'.repeat(32)} maps to ${'b'.repeat(32)}, which is mapped too`,
        ],
        [
          'of one id twice',
          { items: { ['a'.repeat(32)]: 'b'.repeat(32), ['A'.repeat(32)]: 'c'.repeat(32) } },
          `items: ${'a'.repeat(32)} appears twice`,
        ],
        [
          'of an address that holds a mapped id',
          {
            urls: { 'https://a': `https://b/${'a'.repeat(32)}` },
            items: { ['a'.repeat(32)]: 'b'.repeat(32) },
          },
          `urls: "https://b/${'a'.repeat(32)}" contains an ID from map.items`,
        ],
        [
          'of too many addresses',
          {
            urls: Object.fromEntries(Array.from({ length: 501 }, (_, at) => [`https://a${at}`, 'https://b'])),
          },
          'urls: has more than 500 rows',
        ],
      ] as const
    ).map(([what, map, said]): [string, object, string] => [
      `a map ${what}`,
      pipeline({ dev: stage('dev'), staging: stage('staging', { map }) }),
      `pipelines.transport.stages.staging.map.${said}`,
    ]),
    [
      'a map of the first stage',
      pipeline({ dev: stage('dev', { map: { urls: { 'https://a': 'https://b' } } }) }),
      'pipelines.transport.stages.dev.map: nothing is promoted to the first stage',
    ],
    [
      'an unknown key',
      pipeline({ dev: stage('dev', { soaks: '2d' }) }),
      'pipelines.transport.stages.dev.soaks: unknown setting',
    ],
  ])('refuses %s', (_, pipelines, problem) => {
    expect(problems(pipelines).filter((line) => line.startsWith(problem))).toHaveLength(1);
  });

  it('reports no groups of stages while a name is malformed', () => {
    expect(problems(pipeline({ dev: stage('dev') }, { groups: ['roads', 'a b'] }))).toEqual([
      'pipelines.transport.groups.1: a name has up to 63 letters, digits, single hyphens, dots and underscores',
    ]);
  });

  it('refuses the name of a route', () => {
    const routes = {
      transport: { source: { portal: 'dev', group: 'a' }, target: { portal: 'live', group: 'b' } },
    };
    expect(problems(pipeline({ dev: stage('dev') }), { routes })).toEqual([
      'pipelines.transport: a route has the same name; rename one',
    ]);
  });

  it('refuses a route named like one of its groups', () => {
    const ends = { source: { portal: 'dev', group: 'a' }, target: { portal: 'live', group: 'b' } };
    const routes = { 'transport.roads': ends, 'transport.old.roads': ends, 'transports.roads': ends };
    const said =
      'names starting with "transport." are reserved for the groups of pipeline transport; rename the route';
    expect(problems(pipeline({ dev: stage('dev') }), { routes })).toEqual([
      `routes.transport.roads: ${said}`,
      `routes.transport.old.roads: ${said}`,
    ]);
  });

  it('refuses a dot in its name', () => {
    const named = { 'transport.roads': pipeline({ dev: stage('dev') })['transport'] };
    expect(problems(named)).toEqual([
      'pipelines.transport.roads: a pipeline name has letters, digits, hyphens and underscores, at most 63; dots are reserved',
    ]);
  });

  it.each([
    ['with its own spelling of the address', { url: 'https://DEV.example.com:443/Portal/sharing/rest/' }],
    ['over plain http', { url: 'http://dev.example.com/portal/sharing/rest', insecure: true }],
    [
      'as an alias',
      {
        url: 'https://gateway.example.com/portal/sharing/rest',
        aliases: ['https://dev.example.com/portal/sharing/rest'],
      },
    ],
  ])('refuses two stages on one portal, named again %s', (_, more) => {
    const portals = { dev: aPortal('dev'), again: aPortal('dev', more) };
    expect(problems(pipeline({ dev: stage('dev'), staging: stage('again') }), { portals })).toEqual([
      'pipelines.transport.stages.staging.portal: "again" is also the portal of stage dev; items keep their IDs, so each stage needs its own portal',
    ]);
  });

  it.each([
    ['dev', 'is the first stage, where releases are created; nothing is promoted there'],
    ['moon', 'unknown stage "moon"; defined: dev, live'],
  ])('refuses a schedule that promotes into %s', (to, said) => {
    const schedules = { weekly: { kind: 'promote', pipeline: 'transport', stage: to, cron: '0 3 * * *' } };
    expect(problems(pipeline({ dev: stage('dev'), live: stage('live') }), { schedules })).toEqual([
      `schedules.weekly.stage: ${said}`,
    ]);
  });
});
