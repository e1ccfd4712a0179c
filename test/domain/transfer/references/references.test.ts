import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { type Reference, referencesOf } from '../../../../src/domain/transfer/references/content';

const id = (digit: string) => digit.repeat(32);
/** Any item's id. */
const id32 = fc.stringMatching(/^[0-9a-f]{32}$/);
const portal = 'https://staging.example.com/portal';
const hosted = 'https://staging.example.com/server/rest/services/Hosted';

const inData = (data: unknown, item: Record<string, unknown> = {}): Reference[] => [
  ...referencesOf({ item, data }),
];

/** `path kind value`, with a mark where it is not certain. */
const lines = (references: Reference[]) =>
  references.map(({ path, kind, value, certain }) => `${path} ${kind} ${value}${certain ? '' : ' ?'}`);

describe('references', () => {
  it('are found in each layer and the basemap of a real web map, not in its texts', () => {
    const map: unknown = JSON.parse(readFileSync(join(__dirname, 'fixtures/transport-web-map.json'), 'utf8'));
    const found = inData(map);
    expect(found.every(({ certain }) => certain)).toBe(true);
    const services = 'https://data.wsdot.wa.gov/arcgis/rest/services';
    expect(lines(found)).toEqual([
      `data.operationalLayers[0].url url ${services}/Shared/CountyBoundaries/MapServer`,
      'data.operationalLayers[0].itemId item fe229f9df5aa4289b8ccd2a99289951b',
      `data.operationalLayers[1].url url ${services}/Shared/LegislativeDistricts/MapServer`,
      'data.operationalLayers[1].itemId item f6d17366bae34d5f996386c2d46263ec',
      `data.operationalLayers[2].url url ${services}/Shared/CityLimits/MapServer`,
      `data.operationalLayers[3].url url ${services}/Shared/RegionalTransportationPlanning/MapServer`,
      'data.operationalLayers[3].itemId item d1de4f2d8a8348e0af97c858c7cff8ad',
      `data.operationalLayers[4].url url ${services}/Shared/RegionBoundaries/MapServer`,
      'data.operationalLayers[4].itemId item 1c0845bd12944017b3bb3631bda09e0e',
      `data.operationalLayers[5].url url ${services}/TransportationProjects/PlannedProjects/MapServer`,
      `data.operationalLayers[6].url url ${services}/Shared/MilepostValues/MapServer`,
      'data.operationalLayers[6].itemId item 03ec5ff3609f45caa849d5afa4d92e9e',
      `data.baseMap.baseMapLayers[0].url url ${services}/Shared/WebBaseMapWebMercator/MapServer`,
    ]);
  });

  it('are found in group layers, tables and vector tile styles of a map', () => {
    const found = inData({
      operationalLayers: [
        {
          id: id('9'),
          layerType: 'GroupLayer',
          layers: [
            {
              id: 'x',
              layerType: 'GroupLayer',
              layers: [{ itemId: id('a'), url: `${hosted}/Roads/FeatureServer/0` }],
            },
          ],
        },
      ],
      tables: [{ itemId: id('b') }],
      baseMap: {
        baseMapLayers: [
          { styleUrl: `${portal}/sharing/rest/content/items/${id('c')}/resources/styles/root.json` },
        ],
      },
    });
    expect(lines(found)).toEqual([
      `data.operationalLayers[0].layers[0].layers[0].itemId item ${id('a')}`,
      `data.operationalLayers[0].layers[0].layers[0].url url ${hosted}/Roads/FeatureServer/0`,
      `data.tables[0].itemId item ${id('b')}`,
      `data.baseMap.baseMapLayers[0].styleUrl url ${portal}/sharing/rest/content/items/${id('c')}/resources/styles/root.json`,
    ]);
  });

  it('are found in the ground and the slides of a scene', () => {
    const elevation = 'https://staging.example.com/server/rest/services/Terrain/ImageServer';
    const found = inData({
      ground: { layers: [{ id: 'g', layerType: 'ArcGISTiledElevationServiceLayer', url: elevation }] },
      operationalLayers: [
        { layerType: 'ArcGISSceneServiceLayer', itemId: id('a'), url: `${hosted}/City/SceneServer/layers/0` },
      ],
      presentation: {
        slides: [
          { baseMap: { baseMapLayers: [{ itemId: id('b') }] }, ground: { layers: [{ url: elevation }] } },
        ],
      },
    });
    expect(lines(found)).toEqual([
      `data.ground.layers[0].url url ${elevation}`,
      `data.operationalLayers[0].itemId item ${id('a')}`,
      `data.operationalLayers[0].url url ${hosted}/City/SceneServer/layers/0`,
      `data.presentation.slides[0].baseMap.baseMapLayers[0].itemId item ${id('b')}`,
      `data.presentation.slides[0].ground.layers[0].url url ${elevation}`,
    ]);
  });

  it("are found in an app's address, map, data sources and configuration", () => {
    const found = inData(
      {
        portalUrl: `${portal}/`,
        map: { itemId: id('a'), portalUrl: portal },
        dataSource: {
          dataSources: { 'external~1': { itemId: id('b'), url: `${hosted}/Roads/FeatureServer/1` } },
        },
        source: id('c'),
        folderId: id('d'),
        values: {
          webmap: [id('e'), id('f')],
          group: id('0'),
          webscene: `${id('1')},${id('2')}`,
          title: `${portal}/home`,
        },
      },
      { url: `${portal}/apps/webappviewer/index.html?id=${id('7')}` },
    );
    expect(lines(found)).toEqual([
      `item.url url ${portal}/apps/webappviewer/index.html?id=${id('7')} ?`,
      `data.portalUrl url ${portal}/ ?`,
      `data.map.itemId item ${id('a')}`,
      `data.map.portalUrl url ${portal} ?`,
      `data.dataSource.dataSources["external~1"].itemId item ${id('b')}`,
      `data.dataSource.dataSources["external~1"].url url ${hosted}/Roads/FeatureServer/1`,
      `data.source item ${id('c')} ?`,
      `data.values.webmap[0] item ${id('e')}`,
      `data.values.webmap[1] item ${id('f')}`,
      `data.values.group group ${id('0')}`,
      `data.values.webscene item ${id('1')}`,
      `data.values.webscene item ${id('2')}`,
    ]);
  });

  it('are found in the published data and the drafts of a story', () => {
    const story = (map: string) => ({
      nodes: {
        'n-1': { type: 'embed', data: { url: `${portal}/apps/dashboards/${id('d')}`, title: 'Delays' } },
        'n-2': { type: 'text', data: { text: `Read <a href="${portal}/home">more</a>` } },
      },
      resources: {
        'r-1': { type: 'webmap', data: { itemId: map, itemType: 'Web Map' } },
        'r-2': { type: 'story-theme', data: { themeItemId: id('f') } },
      },
    });
    const content = {
      item: {},
      data: story(id('a')),
      resources: [{ name: 'draft_1700000000000.json', json: story(id('b')) }],
    };
    expect(lines([...referencesOf(content)])).toEqual([
      `data.nodes.n-1.data.url url ${portal}/apps/dashboards/${id('d')} ?`,
      `data.resources.r-1.data.itemId item ${id('a')}`,
      `data.resources.r-2.data.themeItemId item ${id('f')}`,
      `resources["draft_1700000000000.json"].nodes.n-1.data.url url ${portal}/apps/dashboards/${id('d')} ?`,
      `resources["draft_1700000000000.json"].resources.r-1.data.itemId item ${id('b')}`,
      `resources["draft_1700000000000.json"].resources.r-2.data.themeItemId item ${id('f')}`,
    ]);
  });

  it('are found in the data and the configuration of an experience', () => {
    const config = {
      dataSources: { dataSource_1: { type: 'WEB_MAP', itemId: id('a'), portalUrl: portal } },
      widgets: { widget_2: { uri: 'widgets/arcgis/survey', config: { surveyItemId: id('b') } } },
    };
    const content = {
      item: {},
      data: { dataSources: {} },
      resources: [{ name: 'config/config.json', json: config }],
    };
    expect(lines([...referencesOf(content)])).toEqual([
      `resources["config/config.json"].dataSources.dataSource_1.itemId item ${id('a')}`,
      `resources["config/config.json"].dataSources.dataSource_1.portalUrl url ${portal} ?`,
      `resources["config/config.json"].widgets.widget_2.config.surveyItemId item ${id('b')}`,
    ]);
  });

  it('are found in scripts and in pictures of popups, where clients load them', () => {
    const found = inData({
      datasets: [{ script: `var p = Portal("${portal}"); FeatureSetByPortalItem(p, "${id('a')}", 0)` }],
      popupInfo: {
        description: `<p>See <img src="${portal}/sharing/rest/content/items/${id('b')}/data"></p>`,
      },
    });
    expect(lines(found)).toEqual([
      `data.datasets[0].script url ${portal} ?`,
      `data.datasets[0].script item ${id('a')} ?`,
      `data.popupInfo.description url ${portal}/sharing/rest/content/items/${id('b')}/data ?`,
    ]);
  });

  it('are not found in layer ids, folders and words, nor in data that is no document', () => {
    expect(
      inData({
        operationalLayers: [{ id: id('a'), title: `${portal}/home`, uid: id('b') }],
        folderId: id('c'),
      }),
    ).toEqual([]);
    expect([undefined, null, 5, 'words', []].flatMap((data) => inData(data))).toEqual([]);
  });

  it('are found however deep a document is', () => {
    let document: unknown = { itemId: id('a') };
    for (let i = 0; i < 5_000; i++) document = [document];
    expect(inData(document).map(({ value }) => value)).toEqual([id('a')]);
  });

  it('are looked for in any document without an error, each at a place of its own', () => {
    fc.assert(
      fc.property(fc.jsonValue(), id32, (document, itemId) => {
        const found = inData({ document, layer: { itemId } });
        expect(found.at(-1)).toEqual({
          path: 'data.layer.itemId',
          kind: 'item',
          value: itemId,
          certain: true,
        });
        expect(found.every(({ path }) => path.startsWith('data.'))).toBe(true);
      }),
    );
  });
});
