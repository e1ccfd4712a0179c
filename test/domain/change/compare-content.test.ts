import { describe, expect, it } from '@jest/globals';
import { compareContent, FIELDS_MAX } from '../../../src/domain/change/compare-content';
import { itemContent, type ItemContent } from '../../../src/domain/change/item-content';
import { volatileData, volatileDetails } from '../../../src/domain/change/volatile';
import { type Change, change as changeSchema } from '../../../src/model/transfer/change';
import * as documents from './documents';

const content = (data: unknown, more: Partial<ItemContent> = {}): ItemContent => ({
  details: {},
  data,
  ...more,
});
const compare = (before: unknown, after: unknown, type = 'Web Map') =>
  compareContent(type, content(before), content(after));
/** The differences as lines. */
const linesOf = ({ fields }: Change) =>
  fields.map(({ label, before, after }) => `${label}: ${before ?? '–'} → ${after ?? '–'}`);
const labelsOf = ({ fields }: Change) => fields.map(({ label }) => label);
const kindsOf = (...changes: Change[]) => changes.map(({ kind }) => kind);

const [here, there] = ['https://gis.example.com', 'https://stage.example.com'];
const mapped = (text: string) => text.replaceAll(there, here);
const map = documents.webMap();

/** The same value with the names of all its objects in the other order. */
function reversed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(reversed);
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.entries(value).reverse();
  return Object.fromEntries(members.map(([name, each]) => [name, reversed(each)]));
}

describe('content is the same', () => {
  it.each(
    Object.entries({
      'Web Map': documents.webMap,
      'Web Scene': documents.webScene,
      'Web Mapping Application': documents.builderApp,
      Dashboard: documents.dashboard,
      'Web Experience': documents.experience,
      StoryMap: documents.story,
      'Feature Service': documents.serviceData,
      Notebook: documents.instantApp,
    }),
  )('with its names in another order: %s', (type, build) => {
    expect(compare(build(), reversed(build()), type)).toMatchObject({ kind: 'same', fields: [] });
  });

  it('with mapped addresses of its own portal, but not with one that imports replace', () => {
    const after = JSON.parse(JSON.stringify(map).replaceAll(here, there)) as unknown;
    const [before, now] = [content(map), content(after)];
    expect(compareContent('Web Map', before, now, { mapped }).kind).toBe('same');
    expect(labelsOf(compareContent('Web Map', before, now))).toContain('layer "Roads" address');
    const held = content({ url: `${there}/x` });
    expect(compareContent('Web Map', held, held, { mapped }).kind).toBe('changed');
  });

  it('if only what portals count and note differs, for a reason each', () => {
    const noted = Object.fromEntries(Object.keys(volatileDetails).map((name, index) => [name, index + 1]));
    const empty = { snippet: null, appCategories: [], newFlag: false, newText: '', newCount: 0, newMap: {} };
    const before = content(map, { details: { title: 'Roads', ...noted } });
    const after = content(
      { ...map, authoringApp: 'other', authoringAppVersion: '9' },
      { details: { title: 'Roads', ...empty } },
    );
    expect(compareContent('Web Map', before, after)).toMatchObject({ kind: 'same', fields: [] });
    for (const reason of Object.values({ ...volatileDetails, ...volatileData }))
      expect(reason.length).toBeGreaterThan(10);
  });

  it('with JSON resources of another size, and a thumbnail that an import keeps', () => {
    const state = (size: number, thumbnail: string) => {
      const json = { name: 'config/config.json', size, json: { a: 1 } };
      return content({}, { resources: [json, { name: 'oembed.json', size }], thumbnail });
    };
    const kept = (keepsThumbnail: boolean) =>
      labelsOf(compareContent('Web Experience', state(10, 'a'), state(11, 'b'), { keepsThumbnail }));
    expect([kept(true), kept(false)]).toEqual([[], ['thumbnail']]);
  });

  it('with files of one size unless both tell another sha256', () => {
    const state = (size: number, sha256?: string) =>
      content({}, { resources: [{ name: 'a.png', size, sha256 }] });
    const kinds = [
      [state(1, 'a'), state(1)],
      [state(1), state(1, 'a')],
      [state(1, 'a'), state(1, 'b')],
      [state(1), state(2)],
    ].map(([before, after]) => compareContent('StoryMap', before!, after!).kind);
    expect(kinds).toEqual(['same', 'same', 'changed', 'changed']);
  });
});

it('tells an empty list of sublayers, and an empty pop-up, from none', () => {
  const layer = (more: object) => ({ operationalLayers: [{ id: 'a', title: 'Roads', ...more }] });
  for (const visibleLayers of [undefined, null, { 1: true }])
    expect(labelsOf(compare(layer({ visibleLayers }), layer({ visibleLayers: [] })))).toEqual([
      'layer "Roads" visible sublayers',
    ]);
  expect(compare(layer({ visibleLayers: [1, 2] }), layer({ visibleLayers: [2, 1] })).kind).toBe('same');
  expect(labelsOf(compare(layer({}), layer({ popupInfo: {} })))).toEqual(['layer "Roads" pop-up']);
});

it.each(['id', 'uid', 'name', 'fieldName', 'itemId'])('tells elements without a shape by %s', (by) => {
  const list = (...elements: [string, number][]) => ({
    steps: elements.map(([is, value]) => ({ [by]: is, value })),
  });
  const linesFrom = (...elements: [string, number][]) =>
    linesOf(compare(list(['a', 1], ['b', 2]), list(...elements)));
  expect(linesFrom(['b', 3])).toEqual([
    `data.steps[${by}=a] removed: {"${by}":"a","value":1} → –`,
    `data.steps[${by}=b].value: 2 → 3`,
  ]);
  expect(linesFrom(['b', 2], ['a', 1])).toEqual(['data.steps order: a, b → b, a']);
  expect(labelsOf(compare(list(['a', 1], ['b', 2]), list(['a', 1], ['a', 2])))).toEqual([
    `data.steps[1].${by}`,
  ]);
});

it('names what has no title by its identity', () => {
  const group = (...ids: string[]) => ({
    operationalLayers: [{ id: 'g', title: '', layers: ids.map((id) => ({ id })) }],
  });
  expect(linesOf(compare(group('a', 'b c'), group('b c', 'a')))).toEqual([
    'layer "g" order of layers: a, b c → b c, a',
  ]);
  expect(compare(group('b c'), group()).fields[0]!.path).toBe(
    'data.operationalLayers[id=g].layers[id="b c"]',
  );
  const unnamed = (value: number) => ({ operationalLayers: [{ opacity: 1 }, { opacity: value }] });
  expect(compare(unnamed(1), unnamed(0)).fields).toMatchObject([
    { path: 'data.operationalLayers[2].opacity', label: 'layer "2" opacity' },
  ]);
});

it.each([
  ['a'.repeat(199), 1, 0],
  ['', 300, 0],
  ['a'.repeat(41), 300, 1],
  ['a'.repeat(40), 161, 0],
])('shows texts whole up to 200 characters, or from 40 before their difference: %#', (same, rest, cut) => {
  const [one, other] = ['x', 'y'].map((each) => `${same}${each.repeat(rest)}`);
  const shown = (text: string) =>
    `${cut > 0 ? '…' : ''}${text.slice(cut, cut + 200)}${text.length > cut + 200 ? '…' : ''}`;
  expect(compare({ one }, { one: other }).fields).toMatchObject([
    { before: shown(one!), after: shown(other!) },
  ]);
});

it.each([
  [[0, 0], [0, -1], [': 0, 0 → 0, -1']],
  [[1, 0], [1, -1], ['[1]: 0 → -1']],
  [
    [1, 2, 3, 4, 5],
    [1, 9, 5],
    ['[1].value: 2 → 9', '[3]: {"value":4} → –', '[2]: {"value":3} → –'],
  ],
  [
    [1, 2, 3],
    [1, 7, 8, 2, 3],
    ['[1]: – → {"value":7}', '[2]: – → {"value":8}'],
  ],
])('compares lists without identities by place: %j, %j', (before, after, lines) => {
  const [one, other] = [before, after].map((values) => ({
    steps: values.map((value) => (value > 0 ? { value } : value)),
  }));
  const found = compare(one, other).fields.map(
    ({ path, before: then = '–', after: now = '–' }) => `${path}: ${then} → ${now}`,
  );
  expect(found).toEqual(lines.map((line) => `data.steps${line}`));
});

describe('content is unknown', () => {
  const deep = (levels: number): unknown => JSON.parse('['.repeat(levels) + ']'.repeat(levels));

  it('if it was not read, with what differs in the rest', () => {
    const unread = 'its layers: the service does not respond';
    const before = content(map, { unread });
    const changes = [content(map), content({ ...map, tables: [] }, { unread })].map((after) =>
      compareContent('Web Map', before, after),
    );
    const other = compareContent('Web Map', before, content(map, { unread: 'edited' }));
    expect(other.why).toBe(`${unread}; edited`);
    expect(other.sha256).not.toBe(changes[0]!.sha256);
    expect(changes).toMatchObject([
      { kind: 'unknown', why: unread, fields: [] },
      { kind: 'unknown', why: unread, fields: [{ label: 'table "Inspections" removed' }] },
    ]);
  });

  it('and neither removed nor added if it was not read, but covered by the sha256', () => {
    const read = content(map, { details: { title: 'Roads', snippet: 'All' } });
    const none: ItemContent = { details: {}, unread: 'it was edited after its export' };
    const most: ItemContent = { details: { title: 'Streets' }, unread: 'its data: it is not JSON' };
    const changes = [compareContent('Web Map', read, none), compareContent('Web Map', none, read)];
    for (const change of changes) expect(change).toMatchObject({ kind: 'unknown', fields: [] });
    const renamed = compareContent('Web Map', read, most);
    const other = compareContent('Web Map', { ...read, data: { version: '1' } }, most);
    for (const change of [renamed, other]) expect(linesOf(change)).toEqual(['title: Roads → Streets']);
    expect(other.sha256).not.toBe(renamed.sha256);
  });

  it('if it is nested 24,000 levels deep anywhere', () => {
    for (const change of [
      compare(deep(24_000), deep(24_000)),
      compare({}, { operationalLayers: [{ id: 'a', layers: deep(24_000) }] }),
      compareContent('Web Map', content({}), content({}, { details: { properties: deep(24_000) } })),
    ])
      expect(change).toMatchObject({ kind: 'unknown', why: 'it is nested more than 104 levels deep' });
    expect(compare(deep(104), deep(104)).kind).toBe('same');
  });

  it.each([
    ['values', 'it has more than 4000000 values', () => Array.from({ length: 4_000_001 }, () => 0)],
    [
      'characters',
      'its texts have more than 67108864 characters',
      () => ({ ['a'.repeat(40 * 1024 ** 2)]: 'a'.repeat(40 * 1024 ** 2) }),
    ],
  ])('if it has too many %s', (_, why, build) => {
    const data = build();
    expect(compare(data, data)).toMatchObject({ kind: 'unknown', why });
  });
});

describe('hostile content', () => {
  it('is shown on one line, without controls', () => {
    const title = 'Ro\u001b[31mads\u202e\n<script>alert(1)</script>';
    const layer = (visibility: boolean) => ({ operationalLayers: [{ id: 'x', title, visibility }] });
    expect(compare(layer(true), layer(false)).fields).toEqual([
      {
        path: 'data.operationalLayers[id=x].visibility',
        label: 'layer "Ro [31mads <script>alert(1)</script>" visibility',
        before: 'on',
        after: 'off',
      },
    ]);
  });

  it('is compared by own names such as __proto__', () => {
    const [before, after] = ['1', '2'].map(
      (value) =>
        JSON.parse(
          `{"__proto__":{"a":${value}},"constructor":${value},"operationalLayers":[{"id":"__proto__","__proto__":{"id":"q"},"title":"t${value}"}]}`,
        ) as unknown,
    );
    expect(
      compare(before, after).fields.map((field) => `${field.path}: ${field.before} → ${field.after}`),
    ).toEqual([
      'data.__proto__.a: 1 → 2',
      'data.constructor: 1 → 2',
      'data.operationalLayers[id=__proto__].title: t1 → t2',
    ]);
    expect(Object.hasOwn(Object.prototype, 'a')).toBe(false);
    expect(compareContent('Web Map', content(before), content(before), { mapped }).kind).toBe('same');
    const added = compareContent('Web Map', content(JSON.parse('{}')), content(before), { mapped });
    expect(added.fields).toHaveLength(3);
  });

  it('matches layers of one identity, or none', () => {
    const list = (...titles: string[]) => ({
      operationalLayers: titles.map((title) => ({ id: 'same', title })),
    });
    const { fields } = compare(list('a', 'b'), list('a', 'c', 'd'));
    expect(fields.map(({ path, label }) => [path, label])).toEqual([
      ['data.operationalLayers[id=same, 2].title', 'layer "b" renamed'],
      ['data.operationalLayers[id=same, 3]', 'layer "d" added'],
    ]);
    const [odd, moved] = [
      { operationalLayers: [null, 7, 'x', [], {}] },
      { operationalLayers: [7, null, 'x', [], {}] },
    ];
    expect(
      kindsOf(compare(odd, odd), compare(odd, { operationalLayers: { a: 1 } }), compare(odd, moved)),
    ).toEqual(['same', 'changed', 'changed']);
  });

  it('shows no secret', () => {
    const url = (text: string) => ({
      operationalLayers: [{ id: 'x', title: 'Roads', url: `${here}/${text}` }],
    });
    const secret = 'k'.repeat(300);
    expect(linesOf(compare(url(`x?token=${secret}a`), url(`y?token=${secret}b`)))).toEqual([
      `layer "Roads" address: ${here}/x?token=*** → ${here}/y?token=***`,
    ]);
  });

  it('shows no member that is named after a secret', () => {
    const [before, after] = ['hunter1', 'hunter2'].map((password) => ({
      password,
      values: { apiKey: password },
    }));
    expect(linesOf(compare(before, after))).toEqual([
      'data.password: *** → ***',
      'data.values.apiKey: *** → ***',
    ]);
    expect(linesOf(compare({}, after))[0]).toBe('data.password: – → ***');
    expect(compare(before, before).kind).toBe('same');
  });

  it('fits the stored form of a change, however long its names are', () => {
    const name = '\u0007x'.repeat(50_000);
    const found = compare({ [name]: { [name]: 1 } }, { [name]: { [name]: 2 } });
    expect(changeSchema.parse(found)).toEqual(found);
    expect(JSON.stringify(found).length).toBeLessThan(2_000);
  });
});

describe('a change', () => {
  const features = (count: number, value: number) => ({
    operationalLayers: Array.from({ length: count }, (_, id) => ({
      id,
      title: `${id}`,
      opacity: id === count - 1 ? value : 1,
    })),
  });

  it('shows a bounded number of fields, and covers all of them by its sha256', () => {
    const [one, other] = [0.1, 0.2].map((value) => {
      const after = features(500, value);
      for (const layer of after.operationalLayers.slice(0, 300)) layer.title += '!';
      return compare(features(500, 1), after);
    });
    expect(one!.fields).toHaveLength(FIELDS_MAX);
    expect(one!.more).toBe(201);
    expect(other!.fields).toEqual(one!.fields);
    expect(other!.sha256).not.toBe(one!.sha256);
  });

  it('covers by its sha256 all texts, replaced values, null, and places of added elements', () => {
    const long = 'a'.repeat(100_000);
    const [three, added] = [features(3, 1), { id: 'n' }];
    const hashes = [
      compare({ text: '' }, { text: `${long}x` }),
      compare({ text: '' }, { text: `${long}y` }),
      compare({ text: 'z' }, { text: `${long}y` }),
      compare({ text: 'z' }, { text: null }),
      compare({ text: 'z' }, {}),
      compare(three, { operationalLayers: [...three.operationalLayers, added] }),
      compare(three, { operationalLayers: [added, ...three.operationalLayers] }),
      compare({ text: `${long}x` }, { text: `${long}x` }),
    ].map(({ sha256 }) => sha256);
    expect(new Set(hashes).size).toBe(hashes.length);
  });

  it('has one sha256 for the same differences, whatever the order of names', () => {
    const after = documents.webMap();
    after.operationalLayers[0]!.layerDefinition = {
      definitionExpression: 'x',
      drawingInfo: { renderer: { type: 'b', symbol: { type: 'c', color: [], width: 1 } } },
    };
    const forwards = compare(map, after);
    expect(forwards.kind).toBe('changed');
    expect(compare(map, reversed(after)).sha256).toBe(forwards.sha256);
  });

  it('maps each text once', () => {
    const layers = Array.from({ length: 2_000 }, (_, id) => ({ id, title: `${id}`, url: 'https://a' }));
    const data = content({ operationalLayers: layers });
    let texts = 0;
    const counted = (text: string) => {
      texts += 1;
      return text;
    };
    expect(compareContent('Web Map', data, data, { mapped: counted }).kind).toBe('same');
    expect(texts).toBe(4_000);
  });
});

it('the stored form keeps all that is compared', () => {
  const stored = content(documents.webMap(), {
    details: { title: 'Roads', properties: { a: [1] } },
    resources: [
      { name: 'a.json', size: 2, json: {} },
      { name: 'b.png', size: 1, sha256: 'b' },
    ],
    thumbnail: 'c',
    layers: documents.serviceLayers(),
    file: { size: 1, sha256: 'd' },
  });
  const read = itemContent.parse(JSON.parse(JSON.stringify(stored)));
  expect(read).toEqual(stored);
  expect(compareContent('Web Map', stored, read).kind).toBe('same');
});
