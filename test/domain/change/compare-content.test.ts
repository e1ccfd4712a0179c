import { describe, expect, it } from '@jest/globals';
import { compareContent, FIELDS_MAX } from '../../../src/domain/change/compare-content';
import { itemContent, type ItemContent } from '../../../src/domain/change/item-content';
import { volatileData, volatileDetails } from '../../../src/domain/change/volatile';
import { change as changeSchema } from '../../../src/model/transfer/change';
import * as documents from './documents';

const content = (data: unknown, more: Partial<ItemContent> = {}): ItemContent => ({
  details: {},
  data,
  ...more,
});

const compare = (before: unknown, after: unknown, type = 'Web Map') =>
  compareContent(type, content(before), content(after));

/** The same value with the names of all its objects in the other order. */
function reversed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(reversed);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .reverse()
      .map(([name, each]) => [name, reversed(each)]),
  );
}

describe('what is the same', () => {
  it('is content with its names in another order', () => {
    for (const [type, data] of [
      ['Web Map', documents.webMap()],
      ['Web Scene', documents.webScene()],
      ['Web Mapping Application', documents.builderApp()],
      ['Dashboard', documents.dashboard()],
      ['Web Experience', documents.experience()],
      ['StoryMap', documents.story()],
      ['Feature Service', documents.serviceData()],
      ['Notebook', documents.instantApp()],
    ] as const)
      expect(compare(data, reversed(data), type)).toMatchObject({ kind: 'same', fields: [] });
  });

  it('is content with the addresses of its own portal, once those are mapped', () => {
    const there = JSON.parse(
      JSON.stringify(documents.webMap()).replaceAll('https://gis.example.com', 'https://stage.example.com'),
    ) as unknown;
    const mapped = (text: string): string =>
      text.replaceAll('https://stage.example.com', 'https://gis.example.com');
    const [before, after] = [content(documents.webMap()), content(there)];
    expect(compareContent('Web Map', before, after, { mapped }).kind).toBe('same');
    expect(compareContent('Web Map', before, after).fields.map(({ label }) => label)).toContain(
      'layer "Roads" address',
    );
  });

  it('is content that the target has with an address of the source only if the import leaves it', () => {
    const mapped = (text: string): string =>
      text.replaceAll('https://stage.example.com', 'https://gis.example.com');
    const data = { url: 'https://stage.example.com/x' };
    expect(compareContent('Web Map', content(data), content(data), { mapped }).kind).toBe('changed');
  });

  it('is content of which only what portals count and note differs, and each of that has a reason', () => {
    const details = Object.fromEntries(Object.keys(volatileDetails).map((name, index) => [name, index + 1]));
    const before = content(documents.webMap(), { details: { title: 'Roads', ...details } });
    const after = content(
      { ...documents.webMap(), authoringApp: 'other', authoringAppVersion: '9' },
      {
        details: {
          title: 'Roads',
          snippet: null,
          appCategories: [],
          listed: false,
          newFlag: false,
          newText: '',
        },
      },
    );
    expect(compareContent('Web Map', before, after)).toMatchObject({ kind: 'same', fields: [] });
    for (const reason of Object.values({ ...volatileDetails, ...volatileData }))
      expect(reason.length).toBeGreaterThan(10);
  });

  it('is a resource of JSON with another size, and a thumbnail that an import keeps', () => {
    const state = (size: number, thumbnail: string): ItemContent =>
      content(
        {},
        {
          resources: [
            { name: 'config/config.json', size, json: { a: 1 } },
            { name: 'oembed.json', size },
          ],
          thumbnail,
        },
      );
    const compareThumbnails = (keepsThumbnail: boolean) =>
      compareContent('Web Experience', state(10, 'a'), state(11, 'b'), { keepsThumbnail }).fields.map(
        ({ label }) => label,
      );
    expect(compareThumbnails(true)).toEqual([]);
    expect(compareThumbnails(false)).toEqual(['thumbnail']);
  });

  it('takes a sha256 into account where both sides tell one, and the size always', () => {
    const state = (size: number, sha256?: string): ItemContent => ({
      details: {},
      resources: [{ name: 'a.png', size, sha256 }],
    });
    const kindOf = (before: ItemContent, after: ItemContent) =>
      compareContent('StoryMap', before, after).kind;
    expect(kindOf(state(1, 'a'), state(1))).toBe('same');
    expect(kindOf(state(1), state(1, 'a'))).toBe('same');
    expect(kindOf(state(1, 'a'), state(1, 'b'))).toBe('changed');
    expect(kindOf(state(1), state(2))).toBe('changed');
  });
});

it('calls a list of no sublayers another than none, which shows all of them', () => {
  const layer = (visibleLayers?: unknown) => ({
    operationalLayers: [{ id: 'a', title: 'Roads', visibleLayers }],
  });
  for (const other of [undefined, null, { 1: true }])
    expect(compare(layer(other), layer([])).fields.map(({ label }) => label)).toEqual([
      'layer "Roads" visible sublayers',
    ]);
  expect(compare(layer([1, 2]), layer([2, 1])).kind).toBe('same');
  const popup = (popupInfo?: object) => ({ operationalLayers: [{ id: 'a', title: 'Roads', popupInfo }] });
  expect(compare(popup(), popup({})).fields.map(({ label }) => label)).toEqual(['layer "Roads" pop-up']);
});

describe('what is unknown', () => {
  const deep = (levels: number): unknown => JSON.parse('['.repeat(levels) + ']'.repeat(levels));

  it('is content that was not read, with the fields that differ in the rest', () => {
    const unread = 'its layers: the service does not respond';
    const before = content(documents.webMap(), { unread });
    const same = compareContent('Web Map', before, content(documents.webMap()));
    expect(same).toMatchObject({ kind: 'unknown', why: unread, fields: [] });
    const after = content({ ...documents.webMap(), tables: [] }, { unread });
    expect(compareContent('Web Map', before, after)).toMatchObject({
      kind: 'unknown',
      why: unread,
      fields: [{ label: 'table "Inspections" removed' }],
    });
  });

  it('calls nothing removed or added that was not read, but covers it by its sha256', () => {
    const read = content(documents.webMap(), { details: { title: 'Roads', snippet: 'All' } });
    const none: ItemContent = { details: {}, unread: 'it was edited after its export' };
    const most: ItemContent = { details: { title: 'Streets' }, unread: 'its data: it is not JSON' };
    for (const [before, after] of [
      [read, none],
      [none, read],
    ] as const)
      expect(compareContent('Web Map', before, after)).toMatchObject({ kind: 'unknown', fields: [] });
    const renamed = compareContent('Web Map', read, most);
    expect(renamed.fields).toMatchObject([{ label: 'title', before: 'Roads', after: 'Streets' }]);
    const other = compareContent('Web Map', { ...read, data: { version: '1' } }, most);
    expect([other.fields, other.sha256 === renamed.sha256]).toEqual([renamed.fields, false]);
  });

  it('is content nested 24,000 levels deep, wherever it stands', () => {
    const why = 'it is nested more than 104 levels deep';
    expect(compare(deep(24_000), deep(24_000))).toMatchObject({ kind: 'unknown', why });
    expect(compare({}, { operationalLayers: [{ id: 'a', layers: deep(24_000) }] })).toMatchObject({
      kind: 'unknown',
      why,
    });
    expect(
      compareContent('Web Map', content({}), content({}, { details: { properties: deep(24_000) } })),
    ).toMatchObject({ kind: 'unknown', why });
    expect(compare(deep(100), deep(100)).kind).toBe('same');
  });

  it('is content with too many values or characters', () => {
    const many = Array.from({ length: 4_000_001 }, () => 0);
    expect(compare(many, many)).toMatchObject({ kind: 'unknown', why: 'it has more than 4000000 values' });
    const long = 'a'.repeat(40 * 1024 ** 2);
    expect(compare([long, long], [long, long])).toMatchObject({
      kind: 'unknown',
      why: 'its texts have more than 67108864 characters',
    });
  });
});

describe('hostile content', () => {
  const layers = (title: string, visibility: boolean) => ({
    operationalLayers: [{ id: 'x', title, visibility }],
  });

  it('is text in one line, without what a terminal obeys', () => {
    const title = 'Ro\u001b[31mads\u202e\n<script>alert(1)</script>';
    const { fields } = compare(layers(title, true), layers(title, false));
    expect(fields).toEqual([
      {
        path: 'data.operationalLayers[id=x].visibility',
        label: 'layer "Ro [31mads <script>alert(1)</script>" visibility',
        before: 'on',
        after: 'off',
      },
    ]);
  });

  it('is compared by names of its own, such as __proto__', () => {
    const [before, after] = ['1', '2'].map(
      (value) =>
        JSON.parse(
          `{"__proto__":{"a":${value}},"constructor":${value},"operationalLayers":[{"id":"__proto__","__proto__":{"id":"q"},"title":"t${value}"}]}`,
        ) as unknown,
    );
    expect(
      compare(before, after).fields.map(({ path, before: then, after: now }) => [path, then, now]),
    ).toEqual([
      ['data.__proto__.a', '1', '2'],
      ['data.constructor', '1', '2'],
      ['data.operationalLayers[id=__proto__].title', 't1', 't2'],
    ]);
    expect(Object.hasOwn(Object.prototype, 'a')).toBe(false);
    const mapped = (text: string): string => text;
    expect(compareContent('Web Map', content(before), content(before), { mapped }).kind).toBe('same');
    expect(
      compareContent('Web Map', content(JSON.parse('{}')), content(before), { mapped }).fields,
    ).toHaveLength(3);
  });

  it('matches layers that have one identity, or none', () => {
    const list = (...titles: string[]) => ({
      operationalLayers: titles.map((title) => ({ id: 'same', title })),
    });
    expect(compare(list('a', 'b'), list('a', 'c', 'd')).fields.map(({ label }) => label)).toEqual([
      'layer "b" renamed',
      'layer "d" added',
    ]);
    const odd = { operationalLayers: [null, 7, 'x', [], {}] };
    expect(compare(odd, odd).kind).toBe('same');
    expect(compare(odd, { operationalLayers: { a: 1 } }).kind).toBe('changed');
    expect(compare(odd, { operationalLayers: [7, null, 'x', [], {}] }).kind).toBe('changed');
  });

  it('shows no secret, and short texts around the first difference', () => {
    const url = (path: string) => ({
      operationalLayers: [{ id: 'x', title: 'Roads', url: `https://a.example.com/${path}` }],
    });
    const secret = 'k'.repeat(300);
    const [tokens] = compare(url(`x?token=${secret}a`), url(`y?token=${secret}b`)).fields;
    expect(tokens).toMatchObject({
      before: 'https://a.example.com/x?token=***',
      after: 'https://a.example.com/y?token=***',
    });
    const filler = 'lorem '.repeat(10_000);
    const [long] = compare({ text: `${filler}one${filler}` }, { text: `${filler}two${filler}` }).fields;
    expect(long!.before).toMatch(/^….{0,40}one.*…$/);
    expect(long!.after).toMatch(/^….{0,40}two.*…$/);
    for (const text of [long!.before!, long!.after!]) expect(text.length).toBeLessThanOrEqual(202);
  });

  it('shows no member that is named after a secret', () => {
    const [before, after] = ['hunter1', 'hunter2'].map((password) => ({
      password,
      values: { apiKey: password },
    }));
    expect(compare(before, after).fields).toEqual([
      { path: 'data.password', label: 'data.password', before: '***', after: '***' },
      { path: 'data.values.apiKey', label: 'data.values.apiKey', before: '***', after: '***' },
    ]);
    expect(compare({}, after).fields[0]).toMatchObject({ after: '***' });
    expect(compare(before, before).kind).toBe('same');
  });

  it('fits the stored form of a change, however long names are', () => {
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

  it('covers by its sha256 what a short text leaves out, where an element was added, and what it replaces', () => {
    const long = 'a'.repeat(100_000);
    const hashes = [
      compare({ text: '' }, { text: `${long}x` }),
      compare({ text: '' }, { text: `${long}y` }),
      compare({ text: 'z' }, { text: `${long}y` }),
      compare(features(3, 1), { operationalLayers: [...features(3, 1).operationalLayers, { id: 'n' }] }),
      compare(features(3, 1), { operationalLayers: [{ id: 'n' }, ...features(3, 1).operationalLayers] }),
      compare({ text: `${long}x` }, { text: `${long}x` }),
    ].map(({ sha256 }) => sha256);
    expect(new Set(hashes).size).toBe(hashes.length);
  });

  it('has the sha256 of any other with the same differences, whatever the order of names', () => {
    const [before, after] = [documents.webMap(), documents.webMap()];
    after.operationalLayers[0]!.layerDefinition = {
      definitionExpression: 'x',
      drawingInfo: { renderer: { type: 'b', symbol: { type: 'c', color: [], width: 1 } } },
    };
    const forwards = compare(before, after);
    expect(forwards.kind).toBe('changed');
    expect(compare(before, reversed(after)).sha256).toBe(forwards.sha256);
  });

  it('rewrites each text once', () => {
    const data = {
      operationalLayers: Array.from({ length: 2_000 }, (_, id) => ({ id, title: `${id}`, url: 'https://a' })),
    };
    let texts = 0;
    const mapped = (text: string): string => {
      texts += 1;
      return text;
    };
    expect(compareContent('Web Map', content(data), content(data), { mapped }).kind).toBe('same');
    expect(texts).toBe(4_000);
  });
});

describe('the stored form', () => {
  it('keeps all that is compared', () => {
    const stored: ItemContent = content(documents.webMap(), {
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
});
