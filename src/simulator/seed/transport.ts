import type { World } from '../world';
import { type SeedBuilder, layer } from './build';
import transportWebMap from './data/transport-web-map.json';

/** IDs of the seeds `transport` and `transport-target`. */
export const transportGroupId = '9f2c4b7de1a84c0fb3d1a6c25e7f90e1';
export const transportTargetGroupId = '47ab0c9d52e64f6c8b1e7a3d9c604503';

/** The group's items: maps, stories, services and files. */
export const transportItems = {
  map: 'a1000000000000000000000000000001',
  scene: 'a1000000000000000000000000000002',
  app: 'a1000000000000000000000000000003',
  story: 'a1000000000000000000000000000004',
  experience: 'a1000000000000000000000000000005',
  csv: 'a1000000000000000000000000000006',
  pdf: 'a1000000000000000000000000000007',
  image: 'a1000000000000000000000000000008',
  roads: 'a1000000000000000000000000000009',
  projects: 'a100000000000000000000000000000a',
  boundaries: 'a100000000000000000000000000000b',
  dashboard: 'a100000000000000000000000000000c',
  view: 'a100000000000000000000000000000d',
} as const;

/** Apps of the seed `transport-group-apps` whose data names the group. */
export const transportGroupApps = {
  gallery: 'a3000000000000000000000000000001',
  viewer: 'a3000000000000000000000000000002',
} as const;

/** A task of the owner on both portals, with one run. */
export const transportTask = {
  taskId: 'f0000000000000000000000000000001',
  runId: 'f0000000000000000000000000000002',
};

/** Items only in the seed `transport-target`. */
export const transportExtraItems = {
  notes: 'b2000000000000000000000000000001',
  contacts: 'b2000000000000000000000000000002',
} as const;

const imageBytes = 64 * 1024 * 1024;
const point = 'esriGeometryPoint';
const polyline = 'esriGeometryPolyline';
const polygon = 'esriGeometryPolygon';

/** Hosted services: roads, projects, a view of projects, and boundaries. */
export async function addServices(seed: SeedBuilder, groups: string[]): Promise<void> {
  await seed.hosted(
    { id: transportItems.roads, title: 'State routes', type: 'Feature Service', groups, tags: ['roads'] },
    'StateRoutes',
    {
      layers: [layer(0, 'Routes', 1200, polyline), layer(1, 'Mileposts', 2500, point)],
      tables: [layer(2, 'Surveys', 340)],
    },
  );
  await seed.hosted(
    {
      id: transportItems.projects,
      title: 'Planned projects',
      type: 'Feature Service',
      groups,
      tags: ['projects'],
    },
    'PlannedProjects',
    { layers: [layer(0, 'Projects', 860, point)], tables: [layer(1, 'Funding', 410)] },
  );
  await addBoundaries(seed, groups);
  await seed.hosted(
    {
      id: transportItems.view,
      title: 'Planned projects, open',
      type: 'Feature Service',
      groups,
      typeKeywords: ['View Service'],
      relations: [{ type: 'Service2Service', to: transportItems.projects }],
    },
    'PlannedProjectsOpen',
    { layers: [layer(0, 'Projects', 573, point)], tables: [] },
  );
}

/** The boundaries, which are on both portals. */
export async function addBoundaries(seed: SeedBuilder, groups: string[]): Promise<void> {
  await seed.hosted(
    {
      id: transportItems.boundaries,
      title: 'County boundaries',
      type: 'Feature Service',
      groups,
      tags: ['boundaries'],
    },
    'CountyBoundaries',
    { layers: [layer(0, 'Counties', 39, polygon)], tables: [] },
  );
}

/** The map's record, without its data. */
export const mapFields = (groups: string[]) => ({
  id: transportItems.map,
  title: 'Transport projects',
  type: 'Web Map',
  groups,
  tags: ['transport', 'projects'],
  snippet: 'Planned projects of the state highway system',
  typeKeywords: ['ArcGIS Online', 'Explorer Web Map', 'Map', 'Online Map', 'Web Map'],
  extent: [
    [-124.8, 45.5],
    [-116.9, 49.1],
  ],
});

/**
 * Data of a real web map of a state's transport department, from the public repository WSDOT-GIS/WITPA, whose UNLICENSE
 * dedicates it to the public domain. Its layers name real services and item IDs; three are hosted feature services of
 * this group.
 */
export function mapData(world: World, layers: readonly object[] = []): object {
  const hosted = (name: string, layerId: number): string =>
    `${world.hostingServerUrl}/rest/services/Hosted/${name}/FeatureServer/${layerId}`;
  const ours: Readonly<Record<string, { itemId: string; url: string }>> = {
    CountyBoundaries: { itemId: transportItems.boundaries, url: hosted('CountyBoundaries', 0) },
    PlannedProjects: { itemId: transportItems.projects, url: hosted('PlannedProjects', 0) },
    MilepostValues: { itemId: transportItems.roads, url: hosted('StateRoutes', 1) },
  };
  return {
    ...transportWebMap,
    operationalLayers: [
      ...transportWebMap.operationalLayers.map((one) => {
        const replaced = ours[one.id];
        return replaced ? { ...one, ...replaced, layerType: 'ArcGISFeatureLayer' } : one;
      }),
      ...layers,
    ],
    tables: [
      { id: 'surveys', title: 'Surveys', itemId: transportItems.roads, url: hosted('StateRoutes', 2) },
    ],
  };
}

/** A map, a scene and an app that shows the map. */
export async function addMaps(seed: SeedBuilder, groups: string[], layers: readonly object[]): Promise<void> {
  const { world } = seed;
  await seed.file(mapFields(groups), mapData(world, layers));
  await seed.file(
    { id: transportItems.scene, title: 'Transport in 3D', type: 'Web Scene', groups, tags: ['transport'] },
    {
      operationalLayers: [
        {
          id: 'routes',
          layerType: 'ArcGISFeatureLayer',
          itemId: transportItems.roads,
          url: `${world.hostingServerUrl}/rest/services/Hosted/StateRoutes/FeatureServer/0`,
        },
        {
          id: 'group',
          layerType: 'GroupLayer',
          layers: [
            {
              id: 'projects',
              layerType: 'ArcGISFeatureLayer',
              itemId: transportItems.projects,
              url: `${world.hostingServerUrl}/rest/services/Hosted/PlannedProjects/FeatureServer/0`,
            },
          ],
        },
      ],
      baseMap: { title: 'Imagery', baseMapLayers: [] },
      ground: { layers: [] },
      presentation: { slides: [{ id: 's1', title: { text: 'Overview' } }] },
      version: '1.31',
    },
  );
  await seed.file(
    {
      id: transportItems.app,
      title: 'Projects near you',
      type: 'Web Mapping Application',
      groups,
      url: `${world.portalUrl}/apps/webappviewer/index.html?id=${transportItems.app}`,
      typeKeywords: ['Web Map', 'Mapping Site', 'Online Map', 'JavaScript'],
      relations: [{ type: 'Map2App', to: transportItems.map }],
    },
    {
      source: transportItems.map,
      folderId: null,
      portalUrl: `${world.portalUrl}/`,
      httpProxy: { url: `${world.portalUrl}/sharing/proxy` },
      map: { itemId: transportItems.map, portalUrl: `${world.portalUrl}/` },
      dataSource: {
        dataSources: {
          external_1: {
            itemId: transportItems.projects,
            url: `${world.hostingServerUrl}/rest/services/Hosted/PlannedProjects/FeatureServer/0`,
          },
        },
      },
      values: { webmap: transportItems.map, title: 'Projects near you' },
    },
  );
}

/** A story and an experience, with drafts and configuration as resources. */
export async function addStories(seed: SeedBuilder, groups: string[]): Promise<void> {
  const { world } = seed;
  const story = {
    root: 'n-root',
    nodes: {
      'n-root': { type: 'story', children: ['n-map'] },
      'n-map': { type: 'webmap', data: { map: 'r-map' } },
    },
    resources: { 'r-map': { type: 'webmap', data: { itemId: transportItems.map, itemType: 'Web Map' } } },
  };
  await seed.file(
    {
      id: transportItems.story,
      title: 'Why the bridge is closed',
      type: 'StoryMap',
      groups,
      url: `${world.portalUrl}/apps/storymaps/stories/${transportItems.story}`,
      typeKeywords: ['arcgis-storymaps', 'StoryMap', 'Web Application', 'smstatuspublished'],
    },
    story,
  );
  await seed.resource(transportItems.story, 'draft_1758700000000.json', story);
  const experience = {
    dataSources: {
      dataSource_1: { type: 'WEB_MAP', itemId: transportItems.map, portalUrl: world.portalUrl },
      dataSource_2: {
        type: 'FEATURE_LAYER',
        itemId: transportItems.roads,
        url: `${world.hostingServerUrl}/rest/services/Hosted/StateRoutes/FeatureServer/0`,
        portalUrl: world.portalUrl,
      },
    },
    widgets: { widget_1: { uri: 'widgets/arcgis-map/', config: {} } },
  };
  await seed.file(
    {
      id: transportItems.experience,
      title: 'Transport desk',
      type: 'Web Experience',
      groups,
      url: `${world.portalUrl}/apps/experiencebuilder/experience/?id=${transportItems.experience}`,
      typeKeywords: ['EXB Experience', 'JavaScript', 'Ready To Use', 'status: Published'],
    },
    experience,
  );
  await seed.resource(transportItems.experience, 'config/config.json', experience);
}

/** A table, a document and an image, or only some of them. */
export async function addFiles(
  seed: SeedBuilder,
  groups: string[],
  only: readonly ('csv' | 'pdf' | 'image')[] = ['csv', 'pdf', 'image'],
): Promise<void> {
  if (only.includes('csv')) {
    const rows = Array.from({ length: 500 }, (_, i) => `${i + 1},SR ${(i % 90) + 1},${(i * 37) % 200}`);
    await seed.file(
      {
        id: transportItems.csv,
        title: 'Traffic counts',
        type: 'CSV',
        name: 'counts.csv',
        groups,
        tags: ['counts'],
      },
      `id,route,count\n${rows.join('\n')}\n`,
    );
  }
  if (only.includes('pdf')) {
    await seed.file(
      { id: transportItems.pdf, title: 'Programme 2027', type: 'PDF', name: 'programme.pdf', groups },
      pdf('Programme 2027'),
    );
  }
  if (only.includes('image')) {
    seed.generated(
      { id: transportItems.image, title: 'Aerial, north', type: 'Image', name: 'aerial.tif', groups },
      imageBytes,
    );
  }
}

/** A document of one page. */
export const pdf = (title: string): string =>
  `%PDF-1.4\n1 0 obj\n<< /Type /Catalog >>\nendobj\n2 0 obj\n<< /Title (${title}) >>\nendobj\ntrailer\n<< /Root 1 0 R /Info 2 0 R >>\n%%EOF\n`;
