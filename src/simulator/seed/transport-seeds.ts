import type { World } from '../world';
import { SeedBuilder, layer } from './build';
import {
  addBoundaries,
  addFiles,
  addMaps,
  addServices,
  addStories,
  mapData,
  mapFields,
  pdf,
  transportExtraItems,
  transportGroupApps,
  transportGroupId,
  transportItems,
  transportTargetGroupId,
  transportTask,
} from './transport';

/**
 * A group of thirteen items like on a real portal; eleven can be exported.
 *
 * @param ownServer whether the map also shows a service of a server that hosts nothing, whose URL no import replaces
 */
export async function seedTransport(world: World, ownServer = false): Promise<void> {
  const seed = new SeedBuilder(world);
  seed.group(transportGroupId, 'Transport');
  const groups = [transportGroupId];
  seed.task(transportTask.taskId, transportTask.runId, 'Nightly promotion', transportItems.map);
  const closures = seed.mapService('Traffic', 'Closures', {
    layers: [layer(0, 'Closures', 17, 'esriGeometryPoint')],
    tables: [],
  });
  await addServices(seed, groups);
  await addMaps(
    seed,
    groups,
    ownServer ? [{ id: 'Closures', url: closures, layerType: 'ArcGISMapServiceLayer' }] : [],
  );
  await addStories(seed, groups);
  await addFiles(seed, groups);
  await seed.file(
    {
      id: transportItems.dashboard,
      title: 'Closures today',
      type: 'Dashboard',
      groups,
      typeKeywords: ['Dashboard'],
    },
    { version: 27, widgets: [{ type: 'mapWidget', itemId: transportItems.map }] },
  );
}

/** Adds two apps configured by the group: one has a group template, the other also shows a map. */
export async function seedTransportGroupApps(world: World): Promise<void> {
  await seedTransport(world);
  const seed = new SeedBuilder(world);
  const app = { type: 'Web Mapping Application', groups: [transportGroupId] };
  const { gallery, viewer } = transportGroupApps;
  await seed.file(
    { ...app, id: gallery, title: 'Maps of the department', typeKeywords: ['Group Template', 'JavaScript'] },
    { source: 'b4000000000000000000000000000001', values: { group: transportGroupId, title: 'Maps' } },
  );
  await seed.file(
    { ...app, id: viewer, title: 'Projects by district', typeKeywords: ['instantApp', 'JavaScript'] },
    {
      source: 'b4000000000000000000000000000002',
      values: { group: transportGroupId, webmap: transportItems.map },
    },
  );
}

/** The group on the target: three of the items, one edited later and one with older words, and two of its own. */
export async function seedTransportTarget(world: World): Promise<void> {
  const seed = new SeedBuilder(world);
  seed.group(transportTargetGroupId, 'Transport');
  seed.task(transportTask.taskId, transportTask.runId, 'Nightly promotion', transportItems.map);
  const groups = [transportTargetGroupId];
  await addBoundaries(seed, groups);
  await addFiles(seed, groups, ['csv']);
  world.items.change(transportItems.csv, { snippet: 'Counts of last year' });
  await seed.file(
    {
      ...mapFields(groups),
      snippet: 'Planned projects, with the closures that only this portal knows',
      modified: Date.UTC(2026, 10, 20, 16, 2),
    },
    { ...mapData(world), bookmarks: [{ name: 'Added here', extent: {} }] },
  );
  await seed.file(
    {
      id: transportExtraItems.notes,
      title: 'Duty roster',
      type: 'CSV',
      name: 'roster.csv',
      groups,
      tags: ['transport'],
    },
    'week,person\n46,Lee\n47,Brandt\n',
  );
  await seed.file(
    { id: transportExtraItems.contacts, title: 'Contacts', type: 'PDF', name: 'contacts.pdf', groups },
    pdf('Contacts'),
  );
}
