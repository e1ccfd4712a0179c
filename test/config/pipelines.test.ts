import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { stringify } from 'yaml';
import { configMark } from '../../src/config/config-mark';
import type { Config } from '../../src/config/config';
import { loadConfig } from '../../src/config/load-config';
import { PortolanError } from '../../src/model/errors/errors';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'portolan-pipelines-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const portal = (host: string): object => ({
  url: `https://${host}.example.com/portal/sharing/rest`,
  auth: { type: 'token', token: { env: 'TOKEN' } },
});

const load = (pipelines: object, more: object = {}): Config => {
  const file = path.join(folder, 'portolan.yaml');
  const portals = Object.fromEntries(['dev', 'staging', 'live', 'north'].map((name) => [name, portal(name)]));
  writeFileSync(file, stringify({ portals, pipelines, ...more }));
  return loadConfig(file);
};

const problems = (pipelines: object, more: object = {}): string[] => {
  try {
    load(pipelines, more);
  } catch (thrown) {
    const error = PortolanError.from(thrown);
    expect([error.code, error.meaning.exit]).toEqual(['CONFIG_INVALID', 2]);
    return error.plainMessage
      .split('\n')
      .slice(1)
      .map((line) => line.trim());
  }
  throw new Error('the configuration was accepted');
};

const stage = (name: string, more: object = {}): object => ({
  portal: name,
  groups: { roads: `${name}1`, apps: `${name}2` },
  ...more,
});

const pipeline = (stages: object, more: object = {}): object => ({
  transport: { groups: ['roads', 'apps'], stages, ...more },
});

it('a stage comes after the one above it, unless it names another: stages form a line or a tree', () => {
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

it('a worker with another pipeline has another mark', () => {
  const one = load(pipeline({ dev: stage('dev'), staging: stage('staging') }));
  const other = load(pipeline({ dev: stage('dev'), live: stage('live') }));
  expect(configMark(one)).not.toBe(configMark(other));
});

it.each<[title: string, pipelines: object, said: string]>([
  ['no stage', pipeline({}), 'pipelines.transport.stages: names no stage'],
  [
    'a stage without a group',
    pipeline({ dev: { portal: 'dev', groups: { roads: 'a' } } }),
    'pipelines.transport.stages.dev.groups: "apps" is missing, which pipelines.transport.groups names',
  ],
  [
    'a group that the pipeline does not have',
    pipeline({ dev: { portal: 'dev', groups: { roads: 'a', apps: 'b', maps: 'c' } } }),
    'pipelines.transport.stages.dev.groups.maps: pipelines.transport.groups names no "maps"',
  ],
  [
    'one group under two names',
    pipeline({ dev: { portal: 'dev', groups: { roads: 'a', apps: 'a' } } }),
    'pipelines.transport.stages.dev.groups: a is the group of two names',
  ],
  [
    'a name that stands there twice',
    pipeline({ dev: stage('dev') }, { groups: ['roads', 'apps', 'roads'] }),
    'pipelines.transport.groups: "roads" stands there twice',
  ],
  [
    'a portal that is not there',
    pipeline({ dev: stage('moon') }),
    'pipelines.transport.stages.dev.portal: there is no portal "moon"; the portals are: dev, staging, live, north',
  ],
  [
    'two stages on one portal',
    pipeline({ dev: stage('dev'), staging: stage('dev') }),
    'pipelines.transport.stages.staging.portal: "dev" is that of dev too',
  ],
  [
    'a stage after one that is not there',
    pipeline({ dev: stage('dev'), staging: stage('staging', { after: 'test' }) }),
    'pipelines.transport.stages.staging.after: there is no stage "test"; the stages are: dev, staging',
  ],
  [
    'a first stage that comes after another',
    pipeline({ dev: stage('dev', { after: 'staging' }), staging: stage('staging') }),
    'pipelines.transport.stages.dev.after: is the first stage, where releases are made',
  ],
  [
    'a circle',
    pipeline({
      dev: stage('dev'),
      staging: stage('staging', { after: 'live' }),
      live: stage('live', { after: 'staging' }),
    }),
    'pipelines.transport.stages.staging.after: goes round in a circle: staging -> live -> staging',
  ],
  [
    'a key that is not there',
    pipeline({ dev: stage('dev', { soaks: '2d' }) }),
    'pipelines.transport.stages.dev.soaks: there is no such setting',
  ],
])('refuses %s', (_, pipelines, said) => {
  expect(problems(pipelines).filter((line) => line.startsWith(said))).toHaveLength(1);
});

it('a pipeline and a route have names of their own', () => {
  const routes = {
    transport: { source: { portal: 'dev', group: 'a' }, target: { portal: 'live', group: 'b' } },
  };
  expect(problems(pipeline({ dev: stage('dev') }), { routes })).toEqual([
    'pipelines.transport: a route has this name; a name is that of one of them',
  ]);
});

it('a route cannot have the name under which snapshots of a group are found', () => {
  const routes = {
    'transport.roads': { source: { portal: 'dev', group: 'a' }, target: { portal: 'live', group: 'b' } },
  };
  expect(problems(pipeline({ dev: stage('dev') }), { routes })).toEqual([
    'routes.transport.roads: this name is taken by pipelines.transport.groups: roads',
  ]);
});
