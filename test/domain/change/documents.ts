/**
 * Documents built in the shapes that are public. Of maps and scenes, the vendor publishes a specification; of the others,
 * only its programs that read them show a shape, so only the members that those name are sure. The vendor's own models
 * of maps and scenes (arcgis-mapping 5.1.0, proprietary) accept both, and know each member.
 */

const id = (digit: string) => digit.repeat(32);

export const portal = 'https://gis.example.com/portal';
const server = 'https://gis.example.com/server/rest/services';

/** developers.arcgis.com/web-map-specification */
export const webMap = () => ({
  operationalLayers: [
    {
      id: 'roads-1',
      title: 'Roads',
      url: `${server}/Hosted/Roads/FeatureServer/0`,
      itemId: id('a'),
      layerType: 'ArcGISFeatureLayer',
      visibility: true,
      opacity: 1,
      layerDefinition: {
        definitionExpression: "STATE = 'open'",
        drawingInfo: {
          renderer: { type: 'simple', symbol: { type: 'esriSLS', color: [20, 40, 60, 255], width: 1.5 } },
        },
      },
      popupInfo: {
        title: '{NAME}',
        fieldInfos: [
          { fieldName: 'NAME', label: 'Name', visible: true },
          { fieldName: 'LANES', label: 'Lanes', visible: true },
        ],
        popupElements: [{ type: 'fields' }],
      },
    },
    {
      id: 'stops-2',
      title: 'Bus stops',
      url: `${server}/Hosted/Stops/FeatureServer/0`,
      layerType: 'ArcGISFeatureLayer',
      visibility: true,
      opacity: 0.8,
    },
    {
      id: 'group-3',
      title: 'Planning',
      layerType: 'GroupLayer',
      visibility: false,
      layers: [
        {
          id: 'zones-4',
          title: 'Zones',
          url: `${server}/Zones/MapServer`,
          layerType: 'ArcGISMapServiceLayer',
        },
      ],
    },
  ],
  baseMap: {
    title: 'Streets',
    baseMapLayers: [
      {
        id: 'base-0',
        title: 'Streets',
        layerType: 'VectorTileLayer',
        styleUrl: `${portal}/sharing/rest/content/items/${id('b')}/resources/styles/root.json`,
      },
    ],
  },
  bookmarks: [{ name: 'Center', extent: { xmin: 0, ymin: 0, xmax: 1, ymax: 1 } }],
  tables: [{ id: 'table-5', title: 'Inspections', url: `${server}/Hosted/Roads/FeatureServer/1` }],
  initialState: { viewpoint: { targetGeometry: { xmin: 0, ymin: 0, xmax: 5, ymax: 5 } } },
  spatialReference: { wkid: 102100 },
  version: '2.31',
  authoringApp: 'ArcGISMapViewer',
  authoringAppVersion: '2024.1',
});

const position = { x: 1, y: 2, z: 900, spatialReference: { wkid: 102100 } };

/** developers.arcgis.com/web-scene-specification */
export const webScene = () => ({
  operationalLayers: [
    {
      id: 'buildings',
      title: 'Buildings',
      layerType: 'ArcGISSceneServiceLayer',
      url: `${server}/B/SceneServer`,
      visibility: true,
    },
  ],
  baseMap: { title: 'Topographic', baseMapLayers: [] },
  ground: { transparency: 0, layers: [{ id: 'terrain', title: 'Terrain', url: `${server}/T/ImageServer` }] },
  presentation: {
    slides: [
      {
        id: 's1',
        title: { text: 'Overview' },
        viewpoint: { camera: { position, heading: 1, tilt: 45 } },
        visibleLayers: [{ id: 'buildings' }],
        thumbnail: { url: 'data:1' },
      },
      {
        id: 's2',
        title: { text: 'Harbour' },
        viewpoint: { camera: { position, heading: 2, tilt: 45 } },
        visibleLayers: [{ id: 'buildings' }],
        thumbnail: { url: 'data:2' },
      },
    ],
  },
  initialState: {
    environment: { lighting: { datetime: 1 } },
    viewpoint: { camera: { position, heading: 0, tilt: 45 } },
  },
  spatialReference: { wkid: 102100 },
  viewingMode: 'global',
  version: '1.34',
});

/** `values`, `source` and `folderId`: as the ArcGIS API for Python clones such apps. */
export const instantApp = () => ({
  source: id('c'),
  folderId: null,
  values: { webmap: id('d'), title: 'Find a road', theme: 'light', socialSharing: true },
});

/** `map`, `dataSource` and `widgetPool`: as the ArcGIS API for Python clones such apps. */
export const builderApp = () => ({
  title: 'Inspector',
  subtitle: 'Roads',
  theme: { name: 'FoldableTheme', styles: ['default'] },
  map: { itemId: id('d'), portalUrl: portal, mapOptions: { extent: { xmin: 0 } } },
  widgetOnScreen: {
    widgets: [{ id: 'widgets_Scalebar', uri: 'widgets/Scalebar/Widget', label: 'Scalebar', config: {} }],
  },
  widgetPool: {
    widgets: [
      {
        id: '_7',
        uri: 'widgets/Print/Widget',
        label: 'Print',
        config: { defaultTitle: 'Map', serviceURL: `${server}/Print/GPServer` },
      },
    ],
    groups: [{ id: 'g1', label: 'Tools', widgets: [] }],
  },
  dataSource: { dataSources: { one: { label: 'Roads', url: `${server}/Hosted/Roads/FeatureServer/0` } } },
  wabVersion: '2.25',
});

/** `desktopView.widgets` and their `datasets`: as the ArcGIS API for Python clones dashboards. */
export const dashboard = () => ({
  version: '4.28.0',
  theme: 'light',
  desktopView: {
    layout: { rootElement: { type: 'dockingLayout' } },
    widgets: [
      { id: 'w1', type: 'mapWidget', name: 'Map of roads', itemId: id('d') },
      {
        id: 'w2',
        type: 'indicatorWidget',
        name: 'Open roads',
        caption: 'Open',
        datasets: [{ name: 'main', dataSource: { itemId: id('a'), layerId: 0 }, maxFeatures: 50 }],
      },
    ],
    headerPanel: { type: 'headerPanel', title: 'Roads today' },
  },
});

/** `dataSources` and `widgets`: as the ArcGIS API for Python reads experiences. */
export const experience = () => ({
  exbVersion: '1.14.0',
  originExbVersion: '1.10.0',
  attributes: { title: 'Roads', portalUrl: portal },
  pages: {
    page_0: { id: 'page_0', label: 'Home', isVisible: true },
    page_1: { id: 'page_1', label: 'Data', isVisible: true },
  },
  pageStructure: [{ page_0: [] }, { page_1: [] }],
  widgets: {
    widget_1: {
      id: 'widget_1',
      uri: 'widgets/arcgis/arcgis-map/',
      label: 'Map',
      config: { initialMapDataSourceID: 'ds_1' },
      version: '1.14.0',
    },
    widget_2: {
      id: 'widget_2',
      uri: 'widgets/common/text/',
      label: 'Heading',
      config: { text: '<p>Roads</p>' },
    },
  },
  dataSources: {
    ds_1: { id: 'ds_1', type: 'WEB_MAP', sourceLabel: 'Roads', itemId: id('d'), portalUrl: portal },
  },
  theme: 'themes/default/',
});

/** `nodes` and `resources`: as the ArcGIS API for Python reads stories. */
export const story = () => ({
  root: 'n-root',
  nodes: {
    'n-root': { type: 'story', children: ['n-cover', 'n-text'], config: { coverDate: '' } },
    'n-cover': { type: 'storycover', data: { type: 'full', title: 'Our roads', summary: 'A year of work' } },
    'n-text': { type: 'text', data: { type: 'paragraph', text: 'The <strong>bridge</strong> is open.' } },
    'n-map': { type: 'webmap', data: { map: 'r-map', caption: 'All roads' } },
  },
  resources: {
    'r-map': { type: 'webmap', data: { itemId: id('d'), type: 'Web Map' } },
    'r-theme': { type: 'story-theme', data: { themeId: 'summit' } },
  },
  actions: [],
});

/** Layers of the web map specification, of which a service item saves drawing and pop-ups. */
export const serviceData = () => ({
  layers: [
    {
      id: 0,
      layerDefinition: { drawingInfo: { renderer: { type: 'simple' } } },
      popupInfo: { title: '{NAME}' },
    },
  ],
});

/** developers.arcgis.com/rest, "Layer/Table" of a feature service */
export const serviceLayers = () => [
  {
    layerId: 0,
    name: 'Roads',
    count: 120,
    schema: {
      geometryType: 'esriGeometryPolyline',
      fields: [
        { name: 'OBJECTID', type: 'esriFieldTypeOID', alias: 'OBJECTID' },
        { name: 'NAME', type: 'esriFieldTypeString', alias: 'Name', length: 80 },
      ],
    },
  },
];
