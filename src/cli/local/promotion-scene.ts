import { randomBytes } from 'node:crypto';
import { execPath } from 'node:process';
import path from 'node:path';
import { hashOfKey, KEY_BYTES } from '../../serve/access';
import { SeedBuilder, layer } from '../../simulator/seed/build';
import { pdf } from '../../simulator/seed/transport';
import { builtInUsers } from '../../simulator/seed/users';
import { editLayer } from '../../simulator/edit-layer';
import type { Simulator } from '../../simulator/simulator';
import type { World } from '../../simulator/world';
import type { Configured, Scene } from './demo-world';

export const pipeline = 'transport';
/** The approver of production, who starts nothing, and her API key. */
export const approver = { name: 'lena', key: randomBytes(KEY_BYTES).toString('base64url') };
/** Soak time on staging. @format milliseconds */
export const soakMs = 10_000;

const groups = {
  roads: 'e0000000000000000000000000000011',
  apps: 'e0000000000000000000000000000012',
};
const items = {
  network: 'e1000000000000000000000000000001',
  counts: 'e1000000000000000000000000000002',
  map: 'e1000000000000000000000000000003',
  app: 'e1000000000000000000000000000004',
  programme: 'e1000000000000000000000000000005',
  roster: 'e2000000000000000000000000000001',
};
/** The owner of the content on production. */
const team = 'roads-team';

/** The example check, part of the sources. */
const check = path.join(__dirname, '..', '..', '..', 'examples', 'checks', 'services-answer.mjs');

const point = 'esriGeometryPoint';
const closures = { layers: [layer(0, 'Closures', 120, point)], tables: [] };
const conditions = { layers: [layer(0, 'Conditions', 80, point)], tables: [] };

/** Three portals of a road department: dev, staging, and production, which the public sees. */
export const promotionScene: Scene = {
  // Jobs of a real portal take time; the demo should not.
  portals: Object.fromEntries(
    [
      ['dev', '11.2'],
      ['staging', '11.4'],
      ['production', '11.4'],
    ].map(([name = '', version = '']) => [name, { version, jobPolls: 0, commitLagMs: 0, searchLagMs: 0 }]),
  ),
  account: builtInUsers.admin,
  prepare,
};

async function prepare(portals: readonly Simulator[], folder: string): Promise<Configured> {
  const [dev, staging, production] = portals as [Simulator, Simulator, Simulator];
  for (const { world } of portals) {
    const seed = new SeedBuilder(world);
    seed.group(groups.roads, 'Roads');
    seed.group(groups.apps, 'Apps');
    seed.mapService('Traffic', 'Closures', closures);
  }
  await plantDev(dev.world);
  await plantProduction(production.world);
  const { username } = builtInUsers.admin;
  const services = { name: 'services', command: [execPath, check, username, path.join(folder, 'password')] };
  const into = (stage: Simulator) => ({
    portal: stage.settings.name,
    groups,
    data: 'replace',
    settings: true,
    map: { urls: { [dev.world.gisServerUrl]: stage.world.gisServerUrl } },
  });
  return {
    portals: {
      production: { policy: { writes: 'required', twoPeople: true, approvers: { users: [approver.name] } } },
    },
    rest: {
      serve: {
        address: '127.0.0.1:0',
        keys: { [approver.name]: { sha256: hashOfKey(approver.key), rights: ['approve'] } },
      },
      pipelines: {
        [pipeline]: {
          groups: Object.keys(groups),
          settings: true,
          stages: {
            dev: { portal: 'dev', groups },
            staging: {
              ...into(staging),
              checks: [services, { name: 'closures', url: `${closuresOn(staging)}?f=json` }],
            },
            production: {
              ...into(production),
              checks: [services],
              soak: `${soakMs}ms`,
              owners: { default: team },
              onFailure: 'rollback',
            },
          },
        },
      },
    },
  };
}

const closuresOn = ({ world }: Simulator): string =>
  `${world.gisServerUrl}/rest/services/Traffic/Closures/MapServer`;

async function plantDev(world: World): Promise<void> {
  const seed = new SeedBuilder(world);
  const network = {
    layers: [layer(0, 'Roads', 600, 'esriGeometryPolyline')],
    tables: [layer(1, 'Surveys', 90)],
  };
  const [roads, apps] = [[groups.roads], [groups.apps]];
  await seed.hosted(
    { id: items.network, title: 'Road network', type: 'Feature Service', groups: roads },
    'RoadNetwork',
    network,
  );
  await seed.file(
    { id: items.counts, title: 'Traffic counts', type: 'CSV', name: 'counts.csv', groups: roads },
    'road,count\n1,4200\n2,3100\n',
  );
  await seed.file(
    { id: items.map, title: 'Road closures', type: 'Web Map', groups: apps },
    { operationalLayers: [networkLayer(world), serviceLayer(world, 'Closures')], version: '2.31' },
  );
  await seed.file(appFields(world), appData(world, ['Closures']));
  world.changePortal({ settings: { informationalBanner: banner('Winter closures: see the map') } });
}

/** The portal already has content of its own. */
async function plantProduction(world: World): Promise<void> {
  const member = world.users.get(builtInUsers.owner.username);
  if (member) world.users.put(team, { ...member, username: team, fullName: 'Roads team' });
  const seed = new SeedBuilder(world, team);
  await seed.file(
    {
      id: items.roster,
      title: 'Winter duty roster',
      type: 'PDF',
      name: 'roster.pdf',
      groups: [groups.roads],
    },
    pdf('Winter duty roster'),
  );
  world.changePortal({ settings: { informationalBanner: banner('Summer works until October') } });
}

/** Edits on dev for the second release: the app gets a layer from a service that exists on dev and staging only. */
export async function workOnDev([dev, staging]: readonly Simulator[]): Promise<void> {
  for (const each of [dev, staging]) {
    if (each) new SeedBuilder(each.world).mapService('Traffic', 'Conditions', conditions);
  }
  if (!dev) return;
  const { world } = dev;
  const seed = new SeedBuilder(world);
  await seed.file({ ...appFields(world), modified: world.now() }, appData(world, ['Closures', 'Conditions']));
  await seed.file(
    {
      id: items.programme,
      title: 'Winter programme',
      type: 'PDF',
      name: 'programme.pdf',
      groups: [groups.roads],
      modified: world.now(),
    },
    pdf('Winter programme'),
  );
  await editLayer(world, 'server/Hosted/RoadNetwork/FeatureServer', 0, {
    updates: [{ attributes: { OBJECTID: 1, STATUS: 'closed for the winter' } }],
    rollback: true,
  });
  world.changePortal({ settings: { informationalBanner: banner('Winter conditions, road by road') } });
}

const banner = (text: string): object => ({ text, bgColor: '#1f4e79', fontColor: '#ffffff', enabled: true });

const networkLayer = (world: World): object => ({
  id: 'network',
  layerType: 'ArcGISFeatureLayer',
  itemId: items.network,
  url: `${world.hostingServerUrl}/rest/services/Hosted/RoadNetwork/FeatureServer/0`,
});

/** A layer of a service the portal does not host, so no import copies it. */
const serviceLayer = (world: World, name: string): object => ({
  id: name.toLowerCase(),
  layerType: 'ArcGISMapServiceLayer',
  url: `${world.gisServerUrl}/rest/services/Traffic/${name}/MapServer`,
});

const appFields = (world: World) => ({
  id: items.app,
  title: 'Closures today',
  type: 'Web Mapping Application',
  groups: [groups.apps],
  url: `${world.portalUrl}/apps/webappviewer/index.html?id=${items.app}`,
  typeKeywords: ['Web Map', 'Mapping Site', 'Online Map', 'JavaScript'],
  relations: [{ type: 'Map2App', to: items.map }],
});

const appData = (world: World, services: readonly string[]): object => ({
  map: { itemId: items.map, portalUrl: `${world.portalUrl}/` },
  layers: services.map((name) => serviceLayer(world, name)),
  values: { webmap: items.map, title: 'Closures today' },
});
