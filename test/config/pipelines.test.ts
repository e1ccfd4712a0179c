import { describe, expect, it } from '@jest/globals';
import { parse } from 'yaml';
import { aConfig, aPortal, problemsOf } from '../support/config';
import { configMark } from '../../src/config/config-mark';

const portals = Object.fromEntries(['dev', 'staging', 'live', 'north'].map((name) => [name, aPortal(name)]));
const [a, b, c] = ['a', 'b', 'c'].map((digit) => digit.repeat(32));

/** A pipeline with stages on portals of their names, and what this YAML says of each. */
const pipeline = (stages: Record<string, string>, more: object = {}) => ({
  groups: ['roads', 'apps'],
  stages: Object.fromEntries(
    Object.entries(stages).map(([name, text]) => [
      name,
      { portal: name, groups: { roads: `${name}1`, apps: `${name}2` }, ...parse(`{ ${text} }`) },
    ]),
  ),
  ...more,
});
const load = (stages: Record<string, string>) =>
  aConfig({ portals, pipelines: { transport: pipeline(stages) } });
const stagesOf = (stages: Record<string, string>) => load(stages).pipelines.get('transport')!.stages;
const problems = (transport: object, more: object = {}) =>
  problemsOf({ portals, pipelines: { transport }, ...more })
    .split('\n')
    .slice(1)
    .map((line) => line.trim());

describe('a pipeline', () => {
  it('reads the owners of a stage', () => {
    const owners = 'owners: { default: gisadmin, map: { dev_editor: editor } }';
    expect(stagesOf({ dev: '', staging: owners, live: 'owners: {}' }).map(({ owners: of }) => of)).toEqual([
      undefined,
      { default: 'gisadmin', map: { dev_editor: 'editor' } },
      { map: {} },
    ]);
  });

  it('puts a stage after the one above it, or the one it names', () => {
    const stages = { dev: '', staging: '', live: '', north: 'after: staging' };
    expect(stagesOf(stages).map(({ after }) => after)).toEqual([undefined, 'dev', 'staging', 'staging']);
    expect(load(stages).pipelines.get('transport')).toMatchObject({
      groups: ['roads', 'apps'],
      settings: false,
      categories: false,
    });
  });

  it('normalizes the addresses and IDs of a map', () => {
    const map = `map: { urls: { https://dev-gis/server/: https://gis/ }, items: { ${a!.toUpperCase()}: ${b!.toUpperCase()} } }`;
    expect(stagesOf({ dev: '', staging: map }).map(({ map: of }) => of)).toEqual([
      undefined,
      { urls: { 'https://dev-gis/server': 'https://gis' }, items: { [a!]: b } },
    ]);
  });

  it('changes the configuration mark', () => {
    const [one, other] = [load({ dev: '', staging: '' }), load({ dev: '', live: '' })];
    expect(configMark(one)).not.toBe(configMark(other));
  });

  const checks: [what: string, checks: string, problem: string][] = [
    [
      'with command and URL',
      "{ command: 'true', url: https://a.example.com }",
      '0: set either command or url',
    ],
    ['without command or URL', '{ tries: 2 }', '0: set either command or url'],
    [
      'for a shell',
      '{ command: ./smoke.sh --fast }',
      '0.command: no shell splits it; write one program without arguments, or a list',
    ],
    [
      'with a password in its URL',
      '{ url: https://me:pw@a.example.com }',
      '0.url: must not hold a user name or password',
    ],
    [
      'with a secret in its URL',
      "{ url: 'https://a.example.com/?token=abc' }",
      '0.url: must not hold what looks like a secret',
    ],
    ['over plain http', '{ url: http://a.example.com/ }', '0.url: can be tampered with on the way'],
    ['with a repeated name', "{ command: 'true' }, { command: /bin/true }", '1: another check is named true'],
    ['without time', "{ command: 'true', within: 0s }", '0.within: write a duration from 1s to 12h'],
  ];
  const maps: typeof checks = [
    [
      'from an invalid address',
      'urls: { dev.example.com: https://a }',
      'urls: "dev.example.com" is not a URL',
    ],
    ['to an invalid address', 'urls: { https://a: b }', 'urls: "b" is not a URL'],
    ['of another scheme', 'urls: { ftp://a: https://b }', 'urls: "ftp://a/" must begin with https://'],
    ['with a password', 'urls: { https://m:p@a: https://b }', 'urls: "https://a/" must not hold a user name'],
    [
      'with a query',
      'urls: { https://a/?b: https://b }',
      'urls: "https://a/" must not hold a query or fragment',
    ],
    [
      'of one address twice',
      'urls: { https://a/b: https://c, HTTPS://A:443/b/: https://d }',
      'urls: "https://a/b" and "HTTPS://A:443/b/" are the same address',
    ],
    [
      'in a chain',
      'urls: { https://a: https://b/c, https://b: https://d }',
      'urls: "https://a" maps to "https://b/c", but "https://b" is mapped too',
    ],
    [
      'to above another',
      'urls: { https://a: https://b, https://b/c: https://d }',
      'urls: "https://a" maps to "https://b", but "https://b/c" is mapped too',
    ],
    [
      'to below itself',
      'urls: { https://a: https://a/live }',
      'urls: "https://a" maps to "https://a/live", but "https://a" is mapped too',
    ],
    ['from an invalid ID', `items: { abc: ${b} }`, 'items: "abc" is not an item id'],
    ['to an invalid ID', `items: { ${a}: b }`, 'items: "b" is not an item id'],
    [
      'of ids in a chain',
      `items: { ${a}: ${b}, ${b!.toUpperCase()}: ${c} }`,
      `items: ${a} maps to ${b}, which is mapped too`,
    ],
    ['of one id twice', `items: { ${a}: ${b}, ${a!.toUpperCase()}: ${c} }`, `items: ${a} appears twice`],
    [
      'of an address that holds a mapped id',
      `urls: { https://a: https://b/${a} }, items: { ${a}: ${b} }`,
      `urls: "https://b/${a}" contains an ID from map.items`,
    ],
    [
      'of too many addresses',
      `urls: { ${Array.from({ length: 501 }, (_, at) => `https://a${at}: https://b`).join(', ')} }`,
      'urls: has more than 500 rows',
    ],
  ];
  it.each<[title: string, stages: Record<string, string>, problem: string]>([
    ['no stage', {}, ': is empty'],
    [
      'a stage without a group',
      { dev: 'groups: { roads: a }' },
      '.dev.groups: "apps" is missing; pipelines.transport.groups lists it',
    ],
    [
      'a group that the pipeline does not have',
      { dev: 'groups: { roads: a, apps: b, maps: c }' },
      '.dev.groups.maps: pipelines.transport.groups has no "maps"',
    ],
    ['one group under two names', { dev: 'groups: { roads: a, apps: a }' }, '.dev.groups: a has two names'],
    [
      'an unknown portal',
      { dev: 'portal: moon' },
      '.dev.portal: unknown portal "moon"; defined: dev, staging, live, north',
    ],
    [
      'two stages on one portal',
      { dev: '', staging: 'portal: dev' },
      '.staging.portal: "dev" is also the portal of stage dev',
    ],
    [
      'a stage after an unknown one',
      { dev: '', staging: 'after: test' },
      '.staging.after: unknown stage "test"; defined: dev, staging',
    ],
    [
      'a first stage that comes after another',
      { dev: 'after: staging', staging: '' },
      '.dev.after: not allowed at the first stage, where releases are created',
    ],
    [
      'a circle',
      { dev: '', staging: 'after: live', live: 'after: staging' },
      '.staging.after: forms a cycle: staging -> live -> staging',
    ],
    [
      'owners of the first stage',
      { dev: 'owners: { default: gis }' },
      '.dev.owners: nothing is promoted to the first stage; write them at a later stage',
    ],
    [
      'a check of the first stage',
      { dev: "checks: [{ command: 'true' }]" },
      '.dev.checks: nothing is promoted to the first stage',
    ],
    [
      'a map of the first stage',
      { dev: 'map: { urls: { https://a: https://b } }' },
      '.dev.map: nothing is promoted to the first stage',
    ],
    ['an unknown key', { dev: 'soaks: 2d' }, '.dev.soaks: unknown setting'],
    ...checks.map(([what, text, problem]): [string, Record<string, string>, string] => [
      `a check ${what}`,
      { dev: '', staging: `checks: [${text}]` },
      `.staging.checks.${problem}`,
    ]),
    ...maps.map(([what, text, problem]): [string, Record<string, string>, string] => [
      `a map ${what}`,
      { dev: '', staging: `map: { ${text} }` },
      `.staging.map.${problem}`,
    ]),
  ])('refuses %s', (_, stages, problem) => {
    const start = `pipelines.transport.stages${problem}`;
    expect(problems(pipeline(stages)).filter((line) => line.startsWith(start))).toHaveLength(1);
  });

  const first = { dev: '' };
  it('refuses a repeated name, and reports no groups of stages while one is malformed', () => {
    expect(problems(pipeline(first, { groups: ['roads', 'apps', 'roads'] }))).toContain(
      'pipelines.transport.groups: "roads" appears twice',
    );
    expect(problems(pipeline(first, { groups: ['roads', 'a b'] }))).toEqual([
      'pipelines.transport.groups.1: a name has up to 63 letters, digits, single hyphens, dots and underscores',
    ]);
  });

  const ends = { source: { portal: 'dev', group: 'a' }, target: { portal: 'live', group: 'b' } };
  it('refuses the name of a route', () => {
    expect(problems(pipeline(first), { routes: { transport: ends } })).toEqual([
      'pipelines.transport: a route has the same name; rename one',
    ]);
  });

  it('refuses a route named like one of its groups', () => {
    const routes = { 'transport.roads': ends, 'transport.old.roads': ends, 'transports.roads': ends };
    const said =
      'names starting with "transport." are reserved for the groups of pipeline transport; rename the route';
    expect(problems(pipeline(first), { routes })).toEqual([
      `routes.transport.roads: ${said}`,
      `routes.transport.old.roads: ${said}`,
    ]);
  });

  it('refuses a dot in its name', () => {
    expect(problemsOf({ portals, pipelines: { 'transport.roads': pipeline(first) } })).toBe(
      'FILE has 1 problem:\n  pipelines.transport.roads: a pipeline name has letters, digits, hyphens and underscores, at most 63; dots are reserved',
    );
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
    expect(problems(pipeline({ dev: '', staging: 'portal: again' }), { portals })).toEqual([
      'pipelines.transport.stages.staging.portal: "again" is also the portal of stage dev; items keep their IDs, so each stage needs its own portal',
    ]);
  });

  it.each([
    ['dev', 'is the first stage, where releases are created; nothing is promoted there'],
    ['moon', 'unknown stage "moon"; defined: dev, live'],
  ])('refuses a schedule that promotes into %s', (to, said) => {
    const schedules = { weekly: { kind: 'promote', pipeline: 'transport', stage: to, cron: '0 3 * * *' } };
    expect(problems(pipeline({ dev: '', live: '' }), { schedules })).toEqual([
      `schedules.weekly.stage: ${said}`,
    ]);
  });
});
