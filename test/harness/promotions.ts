import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { SeedBuilder } from '../../src/simulator/seed/build';
import { emptyGroupId, manyGroupId } from '../../src/simulator/seed/seeds';
import type { Kind } from './kinds';
import type { Pair } from './pair';
import type { World } from './world';

const appsGroupId = 'e0000000000000000000000000000077';
/** Of each group the first item is on the stage already, and the second is not. */
const roads = ['c0000000000000000000000000000001', 'c0000000000000000000000000000002'] as const;
const apps = ['e7000000000000000000000000000001', 'e7000000000000000000000000000002'] as const;

const layersOn = (host: string): object => ({
  operationalLayers: [{ url: `https://${host}.example.com/server/rest/services/Signs/MapServer` }],
});

/** What people have arranged on both portals. */
async function furnish({ source, target }: Pair): Promise<void> {
  const [dev, live] = [new SeedBuilder(source.world), new SeedBuilder(target.world)];
  dev.group(appsGroupId, 'Apps');
  live.group(appsGroupId, 'Apps');
  for (const [index, id] of apps.entries()) {
    const app = { id, title: `Closures ${index + 1}`, type: 'Web Map', groups: [appsGroupId] };
    await dev.file(app, layersOn('dev-gis'));
  }
  source.world.folders.put('f1', { id: 'f1', username: 'owner', title: 'Maps of roads', created: 1 });
  source.world.items.change(apps[1], { ownerFolder: 'f1', access: 'org', protected: true });
  target.world.folders.put('f2', { id: 'f2', username: 'owner', title: 'Of the stage', created: 1 });
  const there = { ownerFolder: 'f2', access: 'org', protected: true } as const;
  const road = { id: roads[0], title: 'Earlier counts', type: 'CSV', name: 'counts.csv' };
  await live.file({ ...road, ...there, groups: [emptyGroupId] }, 'a,b\n1,2\n');
  const map = { id: apps[0], title: 'Earlier closures', type: 'Web Map' };
  await live.file({ ...map, ...there, groups: [appsGroupId] }, layersOn('old-gis'));
  for (const [{ world }, word] of [
    [source, 'Roads'],
    [target, 'Rivers'],
  ] as const) {
    const notice = { title: 'Open data', text: word, buttons: 'okOnly', enabled: true };
    world.changePortal({
      settings: { ...world.portal.settings, anonymousAccessNotice: notice },
      categorySchema: [{ title: 'Themes', categories: [{ title: word }] }],
    });
  }
}

/** A pipeline of two groups, settings and categories. */
const pipeline = (stage: Record<string, unknown> = {}): Pick<Kind, 'seeds' | 'furnish' | 'sections'> => ({
  seeds: {
    source: { seed: 'many', seedItems: 2 },
    target: { seed: 'empty', overwriting: 'replace', refuseForeign: false },
  },
  furnish,
  sections: (pair) => ({
    pipelines: {
      [pair.line]: {
        groups: ['roads', 'apps'],
        settings: true,
        categories: true,
        stages: {
          dev: { portal: pair.name('source'), groups: { roads: manyGroupId, apps: appsGroupId } },
          live: {
            portal: pair.name('target'),
            groups: { roads: emptyGroupId, apps: appsGroupId },
            settings: true,
            categories: true,
            owners: { default: 'viewer' },
            map: { urls: { 'https://dev-gis.example.com': 'https://gis.example.com' } },
            checks: [{ name: 'smoke', command: './smoke.sh' }],
            ...stage,
          },
        },
      },
    },
  }),
});

/** A release. The check of the stage notes in the store that it has begun. @param status what it ends with */
const released =
  (status = 0): Kind['before'] =>
  async ({ line }, world) => {
    const lines = ['#!/bin/sh', `touch '${world.storeFolder}'/checked-$$`, 'sleep 1', `exit ${status}`];
    writeFileSync(path.join(world.folder, 'smoke.sh'), `${lines.join('\n')}\n`, { mode: 0o755 });
    await world.complete('release', 'create', line, '--no-wait');
  };

const promote = ({ line }: Pair, asks: boolean): string[] => [
  ...['promote', line, '--to', 'live', '--no-wait'],
  ...(asks ? [] : ['--yes']),
];

export const promotions = {
  release: {
    title: 'a release',
    ...pipeline(),
    begin: ({ line }) => ['release', 'create', line, '--no-wait'],
  },
  promotion: {
    title: 'a promotion',
    ...pipeline(),
    before: released(),
    begin: promote,
    canAsk: true,
    savesAgain: true,
  },
  undone: {
    title: 'the rollback of a promotion',
    ...pipeline(),
    async before(pair: Pair, world: World) {
      await released()?.(pair, world);
      await world.complete(...promote(pair, false));
    },
    begin: ({ line }, asks) => [
      ...['promote', 'rollback', line, 'live', '--no-wait'],
      ...(asks ? [] : ['--yes']),
    ],
    canAsk: true,
  },
  failing: {
    title: 'a promotion that fails and is rolled back',
    ...pipeline({ onFailure: 'rollback' }),
    before: released(1),
    begin: promote,
  },
} as const satisfies Record<string, Kind>;
