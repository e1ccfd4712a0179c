import { describe, expect, it } from '@jest/globals';
import { compareContent } from '../../../src/domain/change/compare-content';
import type { ItemContent } from '../../../src/domain/change/item-content';
import * as documents from './documents';

/** Lines of a change, as people read them. */
function linesOf(type: string, before: Partial<ItemContent>, after: Partial<ItemContent>) {
  const change = compareContent(type, { details: {}, ...before }, { details: {}, ...after });
  expect(change.kind).toBe(change.fields.length > 0 ? 'changed' : 'same');
  return change.fields.map(({ label, before: then = '–', after: now = '–' }) => `${label}: ${then} → ${now}`);
}

/** Them without their values. */
const labelsIn = (lines: string[]) => lines.map((line) => line.replace(/: .*/, ''));

/** What an edit of a document shows. */
function edit<T>(type: string, build: () => T, change: (data: T) => void) {
  const after = build();
  change(after);
  return linesOf(type, { data: build() }, { data: after });
}

const roads = 'https://gis.example.com/server/rest/services/Hosted/Roads/FeatureServer';

describe('a web map', () => {
  const map = (change: (data: ReturnType<typeof documents.webMap>) => void) =>
    edit('Web Map', documents.webMap, change);

  it('shows an added, a renamed, a hidden and a moved layer on a line each', () => {
    const lines = map(({ operationalLayers: [first, second, third], operationalLayers }) => {
      operationalLayers.unshift(
        Object.assign(structuredClone(second!), { id: 'new-9', title: 'Cycle paths', url: `${roads}/7` }),
      );
      first!.title = 'Streets';
      second!.visibility = false;
      third!.layers![0]!.url = 'https://other.example.com/Zones/MapServer';
    });
    expect(lines).toEqual([
      'layer "Roads" renamed: Roads → Streets',
      'layer "Bus stops" visibility: on → off',
      'layer "Zones" address: https://gis.example.com/server/rest/services/Zones/MapServer → https://other.example.com/Zones/MapServer',
      `layer "Cycle paths" added: – → ${roads}/7`,
    ]);
  });

  it('shows a removed layer and a new order', () => {
    expect(map(({ operationalLayers }) => operationalLayers.splice(1, 1))).toEqual([
      'layer "Bus stops" removed: https://gis.example.com/server/rest/services/Hosted/Stops/FeatureServer/0 → –',
    ]);
    expect(map(({ operationalLayers }) => operationalLayers.reverse())).toEqual([
      'order of layers: Roads, Bus stops, Planning → Planning, Bus stops, Roads',
    ]);
  });

  it('names opacity, filter, symbols and pop-up, each on one line', () => {
    const lines = map(({ operationalLayers: [layer] }) => {
      layer!.opacity = 0.355;
      layer!.layerDefinition!.definitionExpression = "STATE = 'closed'";
      Object.assign(layer!.layerDefinition!.drawingInfo.renderer.symbol, { color: [1, 2, 3, 4], width: 9 });
      layer!.popupInfo!.title = '{NAME} ({LANES})';
      layer!.popupInfo!.fieldInfos[1]!.visible = false;
      layer!.popupInfo!.popupElements.push({ type: 'text' });
      Object.assign(layer!, { disablePopup: true });
    });
    expect(labelsIn(lines)).toEqual([
      'layer "Roads" opacity',
      'layer "Roads" filter',
      'layer "Roads" symbols',
      'layer "Roads" pop-up title',
      'layer "Roads" pop-up field "Lanes" visibility',
      'layer "Roads" pop-up content',
      'layer "Roads" pop-up',
    ]);
    expect(lines).toContain('layer "Roads" pop-up: – → off');
    expect(lines).toContain(
      'layer "Roads" pop-up content: [{"type":"fields"}] → [{"type":"fields"},{"type":"text"}]',
    );
    expect(lines).toContain('layer "Roads" opacity: 100 % → 35.5 %');
    expect(lines).toContain("layer \"Roads\" filter: STATE = 'open' → STATE = 'closed'");
  });

  it('shows values as they are that are not of their kind, or differ by little', () => {
    const lines = map(({ operationalLayers: [first, second] }) => {
      Object.assign(first!, { visibility: 'auto', opacity: 'much' });
      second!.opacity = 0.8001;
      Object.assign(first!.layerDefinition!.drawingInfo.renderer, { label: 'x' });
    });
    expect(lines).toEqual([
      'layer "Roads" visibility: on → auto',
      'layer "Roads" opacity: 100 % → much',
      expect.stringMatching(/^layer "Roads" symbols: {"type":"simple",.* → .*"label":"x"}$/),
      'layer "Bus stops" opacity: 0.8 → 0.8001',
    ]);
  });

  it('names basemap, bookmarks, tables and the initial view', () => {
    const lines = map((data) => {
      data.baseMap.title = 'Imagery';
      data.bookmarks.push({ name: 'Harbour', extent: { xmin: 2, ymin: 2, xmax: 3, ymax: 3 } });
      data.bookmarks[0]!.extent.xmin = -1;
      data.tables = [];
      data.initialState.viewpoint.targetGeometry.xmax = 9;
    });
    expect(labelsIn(lines)).toEqual([
      'basemap',
      'bookmark "Center" place',
      'bookmark "Harbour" added',
      'table "Inspections" removed',
      'initial view',
    ]);
  });

  it('shows the path of an unknown member', () => {
    const lines = map((data) => Object.assign(data, { parcelFabric: { topology: 'on' } }));
    expect(lines).toEqual(['data.parcelFabric: – → {"topology":"on"}']);
    const inLayer = map(({ operationalLayers: [layer] }) => Object.assign(layer!, { wfs: { name: 'x' } }));
    expect(inLayer).toEqual(['layer "Roads" wfs: – → {"name":"x"}']);
  });
});

describe('a web scene', () => {
  const scene = (change: (data: ReturnType<typeof documents.webScene>) => void) =>
    edit('Web Scene', documents.webScene, change);

  it('names slides, ground, layers and the initial view, and no thumbnails', () => {
    const lines = scene((data) => {
      data.operationalLayers[0]!.visibility = false;
      data.ground.layers = [];
      data.presentation.slides[0]!.title.text = 'All of it';
      data.presentation.slides[1]!.viewpoint.camera.heading = 180;
      data.presentation.slides[1]!.thumbnail.url = 'data:3';
      data.initialState.viewpoint.camera.tilt = 10;
      data.viewingMode = 'local';
    });
    expect(labelsIn(lines)).toEqual([
      'layer "Buildings" visibility',
      'ground elevation layer "Terrain" removed',
      'slide "Overview" renamed',
      'slide "Harbour" camera',
      'initial view',
      'viewing mode',
    ]);
  });
});

describe('an app', () => {
  it('names the settings of a configurable app', () => {
    const lines = edit('Web Mapping Application', documents.instantApp, ({ values }) => {
      values.theme = 'dark';
      values.socialSharing = false;
    });
    expect(lines).toEqual(['setting theme: light → dark', 'setting socialSharing: yes → no']);
  });

  it('names widgets, data sources and theme of the builder', () => {
    const lines = edit('Web Mapping Application', documents.builderApp, (data) => {
      data.widgetOnScreen.widgets = [];
      data.widgetPool.widgets[0]!.config = { defaultTitle: 'Plan', serviceURL: `${roads}/1` };
      data.widgetPool.groups[0]!.label = 'Toolbox';
      data.dataSource.dataSources.one.url = `${roads}/3`;
      data.theme.name = 'TabTheme';
      data.wabVersion = '2.26';
    });
    expect(labelsIn(lines)).toEqual([
      'theme',
      'widget "Scalebar" removed',
      'widget "Print" settings defaultTitle',
      'widget "Print" settings serviceURL',
      'widget group "Tools" renamed',
      'data source "Roads" url',
    ]);
  });
});

it('a dashboard names its elements, their data and its header', () => {
  const lines = edit('Dashboard', documents.dashboard, ({ desktopView }) => {
    const [map, count] = desktopView.widgets;
    map!.itemId = 'e'.repeat(32);
    count!.datasets![0]!.maxFeatures = 100;
    desktopView.widgets.push(
      Object.assign(structuredClone(map!), { id: 'w3', type: 'listWidget', name: 'Works' }),
    );
    desktopView.headerPanel.title = 'Roads';
  });
  expect(lines).toEqual([
    `element "Map of roads" map: ${'d'.repeat(32)} → ${'e'.repeat(32)}`,
    'element "Open roads" data [name=main].maxFeatures: 50 → 100',
    'element "Works" added: – → listWidget',
    'header title: Roads today → Roads',
  ]);
});

describe('an experience', () => {
  it('names pages, widgets and data sources, and not the version of its editor', () => {
    const lines = edit('Web Experience', documents.experience, (data) => {
      data.pages.page_1.label = 'Tables';
      data.widgets.widget_2.config.text = '<p>Streets</p>';
      data.dataSources.ds_1.itemId = 'f'.repeat(32);
      data.exbVersion = '1.15.0';
      data.widgets.widget_1.version = '1.15.0';
    });
    expect(lines).toEqual([
      'page "Data" renamed: Data → Tables',
      'widget "Heading" settings text: <p>Roads</p> → <p>Streets</p>',
      `data source "Roads" item: ${'d'.repeat(32)} → ${'f'.repeat(32)}`,
    ]);
  });

  it('compares the content of its draft', () => {
    const draft = (change?: (data: ReturnType<typeof documents.experience>) => void) => {
      const json = documents.experience();
      change?.(json);
      return { resources: [{ name: 'config/config.json', size: JSON.stringify(json).length, json }] };
    };
    const lines = linesOf(
      'Web Experience',
      draft(),
      draft(({ pages }) => void (pages.page_0.label = 'Start')),
    );
    expect(lines).toEqual(['draft "config/config.json" page "Home" renamed: Home → Start']);
  });
});

it('a story names its blocks by their text', () => {
  const lines = edit('StoryMap', documents.story, ({ nodes, resources }) => {
    nodes['n-cover'].data.title = 'Roads of ours';
    nodes['n-text'].data.text = 'The <strong>bridge</strong> is shut.';
    nodes['n-root'].children.push('n-map');
    resources['r-theme'].data.themeId = 'obsidian';
    Object.assign(nodes, { 'n-new': { type: 'image', data: { caption: 'A bridge' } } });
  });
  expect(lines).toEqual([
    'block "n-root" blocks inside: n-cover, n-text → n-cover, n-text, n-map',
    'cover "Our roads" title: Our roads → Roads of ours',
    'text "The bridge is open." text: The <strong>bridge</strong> is open. → The <strong>bridge</strong> is shut.',
    'picture "A bridge" added: – → A bridge',
    'story-theme "r-theme" theme: summit → obsidian',
  ]);
});

describe('a hosted layer', () => {
  it('names fields, rows, symbols and pop-ups', () => {
    const [data, layers] = [documents.serviceData(), documents.serviceLayers()];
    data.layers[0]!.popupInfo.title = '{OBJECTID}';
    layers[0]!.count = 121;
    layers[0]!.schema.fields[1]!.length = 120;
    layers[0]!.schema.fields.push({ name: 'LANES', type: 'esriFieldTypeInteger', alias: 'Lanes' });
    layers.push({ ...layers[0]!, layerId: 1, name: 'Bridges' });
    const lines = linesOf(
      'Feature Service',
      { data: documents.serviceData(), layers: documents.serviceLayers() },
      { data, layers },
    );
    expect(lines).toEqual([
      'layer "0" pop-up title: {NAME} → {OBJECTID}',
      'layer "Roads" rows: 120 → 121',
      'layer "Roads" field "NAME" length: 80 → 120',
      'layer "Roads" field "LANES" added: – → esriFieldTypeInteger',
      'layer "Bridges" added: – → Bridges',
    ]);
  });

  it('compares last edits within one portal only', () => {
    const state = (lastEditDate: number): ItemContent => ({
      details: {},
      layers: documents.serviceLayers().map((layer) => ({ ...layer, lastEditDate })),
    });
    const compare = (isOnePortal: boolean) =>
      compareContent('Feature Service', state(1_000), state(61_000), { isOnePortal });
    expect(compare(false).kind).toBe('same');
    expect(compare(true).fields).toEqual([
      {
        path: 'layers[layerId=0].lastEditDate',
        label: 'layer "Roads" last edit of rows',
        before: '1970-01-01T00:00:01.000Z',
        after: '1970-01-01T00:01:01.000Z',
      },
    ]);
  });
});

describe('a file, a form and a record', () => {
  it('names size and content of a file', () => {
    const file = (size: number, sha256: string) => ({ file: { size, sha256: sha256.repeat(64) } });
    expect(linesOf('PDF', file(10, 'a'), file(12, 'b'))).toEqual([
      'file size: 10 → 12',
      'file content: aaaaaaaaaaaa → bbbbbbbbbbbb',
    ]);
  });

  it('names the questions of a form', () => {
    const form = (label: string) => ({
      file: { size: 9, sha256: 'a' },
      resources: [{ name: 'form.json', json: { questions: [{ id: 'q1', label }] } }],
    });
    expect(linesOf('Form', form('Name'), form('Your name'))).toEqual([
      'draft "form.json" questions [id=q1].label: Name → Your name',
    ]);
  });

  it('names details, resources and thumbnail', () => {
    const before = {
      details: { title: 'Roads', tags: ['a', 'b'], snippet: null, unknownThing: 1 },
      resources: [{ name: 'images/a.png', size: 1 }],
      thumbnail: 'a'.repeat(64),
    };
    const after = {
      details: { title: 'Streets', tags: ['b', 'c'], snippet: 'All of them', unknownThing: 2 },
      resources: [
        { name: 'images/a.png', size: 2 },
        { name: 'images/b.png', size: 3 },
      ],
    };
    expect(linesOf('PDF', before, after)).toEqual([
      'title: Roads → Streets',
      'tags: a, b → b, c',
      'item.unknownThing: 1 → 2',
      'summary: – → All of them',
      'resource "images/a.png" size: 1 → 2',
      'resource "images/b.png" added: – → 3',
      'thumbnail: aaaaaaaaaaaa → –',
    ]);
  });
});
