import { expect, it } from '@jest/globals';
import fc from 'fast-check';
import { mapTexts, MappedTargets, ReferenceMapper } from '../../../../src/domain/transfer/references/map';

const dev = 'd'.repeat(32);
const live = 'e'.repeat(32);
const map = {
  urls: {
    'https://dev-gis.example.com': 'https://gis.example.com',
    'https://dev-gis.example.com/server': 'https://gis.example.com/maps/',
    'HTTP://Tiles.Example.com:80/Cache': 'https://tiles.example.com/live',
    'https://one.example.com:6443': 'https://two.example.com',
  },
  items: { [dev]: live },
};
const mapper = new ReferenceMapper(map);

it.each([
  ['what lies below it', 'https://dev-gis.example.com/a/b?c=d#e', 'https://gis.example.com/a/b?c=d#e'],
  [
    'the longest that is known',
    'https://dev-gis.example.com/server/rest',
    'https://gis.example.com/maps/rest',
  ],
  ['no part of a name in a path', 'https://dev-gis.example.com/server2', 'https://gis.example.com/server2'],
  [
    'nor one before a full stop',
    'https://dev-gis.example.com/server.x/y',
    'https://gis.example.com/server.x/y',
  ],
  ['scheme and host in any case', 'HTTPS://DEV-GIS.Example.com/A', 'https://gis.example.com/A'],
  ['a path in its own case alone', 'http://tiles.example.com/cache', 'http://tiles.example.com/cache'],
  [
    'the port that is the scheme’s own',
    'http://tiles.example.com/Cache/1',
    'https://tiles.example.com/live/1',
  ],
  ['the same port as it is written', 'https://dev-gis.example.com:443/x', 'https://gis.example.com/x'],
  ['no other port', 'https://dev-gis.example.com:8443/x', 'https://dev-gis.example.com:8443/x'],
  ['another port where that is named', 'https://one.example.com:6443/x', 'https://two.example.com/x'],
  ['no other scheme', 'http://dev-gis.example.com/x', 'http://dev-gis.example.com/x'],
  ['no longer host', 'https://dev-gis.example.com.evil/x', 'https://dev-gis.example.com.evil/x'],
  ['no host behind a name', 'https://me@dev-gis.example.com/x', 'https://me@dev-gis.example.com/x'],
  [
    'an address in an address',
    'https://p/?https://dev-gis.example.com/x',
    'https://p/?https://gis.example.com/x',
  ],
  [
    'the end of a sentence',
    'See https://dev-gis.example.com/server. Or',
    'See https://gis.example.com/maps. Or',
  ],
  ['a host there', 'See https://dev-gis.example.com.', 'See https://gis.example.com.'],
  [
    'HTML',
    '<a href="https://dev-gis.example.com/server">(https://dev-gis.example.com)</a>',
    '<a href="https://gis.example.com/maps">(https://gis.example.com)</a>',
  ],
  [
    'Arcade',
    `var u = 'https://dev-gis.example.com/portal'; FeatureSetByPortalItem(Portal(u), '${dev}', 0)`,
    `var u = 'https://gis.example.com/portal'; FeatureSetByPortalItem(Portal(u), '${live}', 0)`,
  ],
  ['an id in capital letters', dev.toUpperCase(), live],
  [
    'an id in an address',
    `https://dev-gis.example.com/items/${dev}?f=json`,
    `https://gis.example.com/items/${live}?f=json`,
  ],
  ['several ids', `${dev},${dev}`, `${live},${live}`],
  ['no part of a longer word', `x${dev} ${dev}0 ${dev}_1`, `x${dev} ${dev}0 ${dev}_1`],
])('of a text is mapped: %s', (_title, before, after) => {
  expect(mapper.mapped(before)).toBe(after);
  expect(mapper.mapped(after)).toBe(after);
});

it('texts of a document are mapped where they stand, and each is named by its path', () => {
  const before = `{ "operationalLayers":[ {"url":"https:\\/\\/dev-gis.example.com\\/server\\/0", "opacity": 1.0},
    {"itemId" : "${dev}"}], "big": 12345678901234567890, "https://dev-gis.example.com": 1e3, "big": -0,
    "popupInfo": {"description": "<img src='https://dev-gis.example.com/a.png'>"}, "title": "D\\u00e4mme"}\n`;
  const mapped = mapTexts({ data: before, url: 'https://dev-gis.example.com/apps' }, mapper);
  expect(mapped.data).toBe(
    before
      .replace('https:\\/\\/dev-gis.example.com\\/server\\/0', 'https://gis.example.com/maps/0')
      .replace(dev, live)
      .replace("'https://dev-gis.example.com/a.png'", "'https://gis.example.com/a.png'"),
  );
  expect(mapped).toMatchObject({ url: 'https://gis.example.com/apps', places: 4 });
  expect(mapped.examples).toEqual([
    { path: 'item.url', before: 'https://dev-gis.example.com/apps', after: 'https://gis.example.com/apps' },
    {
      path: 'data.operationalLayers[0].url',
      before: 'https://dev-gis.example.com/server/0',
      after: 'https://gis.example.com/maps/0',
    },
    { path: 'data.operationalLayers[1].itemId', before: dev, after: live },
  ]);
});

it.each([
  ['no data', undefined],
  ['empty data', ' '],
  ['no JSON', 'id,https://dev-gis.example.com'],
  ['JSON that is cut', '{"url":"https://dev-gis.example.com"'],
])('%s is left as it is', (_title, data) => {
  expect(mapTexts({ data }, mapper)).toMatchObject({ data, places: 0 });
});

it('what is nested deeper than anybody nests is left, and why', () => {
  const data = `${'['.repeat(101)}"https://dev-gis.example.com"${']'.repeat(101)}`;
  expect(mapTexts({ data }, mapper)).toMatchObject({
    data,
    places: 0,
    why: 'it is nested 101 levels deep (limit 100)',
  });
});

it('a long text is shown around its first change', () => {
  const [text = ''] = mapTexts(
    { data: JSON.stringify(`${'a '.repeat(500)}${dev}${' b'.repeat(500)}`) },
    mapper,
  ).examples.map(({ before }) => before);
  expect(text.length).toBeLessThan(250);
  expect(text).toContain(dev);
});

const piece = fc.oneof(
  fc.constantFrom(
    ...Object.keys(map.urls),
    ...Object.values(map.urls),
    dev,
    live,
    '/',
    '.',
    ' ',
    '"',
    '\\',
    ':',
  ),
  fc.string(),
);
const text = fc.array(piece, { maxLength: 6 }).map((pieces) => pieces.join(''));
const { json } = fc.letrec((tie) => ({
  json: fc.oneof(
    { maxDepth: 4 },
    text,
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    fc.constantFrom(true, false, null),
    fc.array(tie('json'), { maxLength: 4 }),
    fc.dictionary(text, tie('json'), { maxKeys: 4 }),
  ),
}));

/** The same, reckoned by parsing. */
const mappedValue = (value: unknown): unknown => {
  if (typeof value === 'string') return mapper.mapped(value);
  if (Array.isArray(value)) return value.map(mappedValue);
  if (typeof value !== 'object' || value === null) return value;
  // A member called __proto__ would be none of an object that is put together by assignments.
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, mappedValue(each)]));
};

it('of any document only values change, and mapping twice is mapping once', () => {
  fc.assert(
    fc.property(json, fc.constantFrom(undefined, 1, '\t'), (value, space) => {
      const data = JSON.stringify(value, undefined, space);
      const once = mapTexts({ data }, mapper);
      expect(once.data).toBe(JSON.stringify(mappedValue(JSON.parse(data)), undefined, space));
      expect(mapTexts({ data: once.data }, mapper)).toMatchObject({ data: once.data, places: 0 });
      expect(once.places === 0).toBe(once.data === data);
    }),
    { numRuns: 300 },
  );
});

it('what a map leads to is told from all else', () => {
  const targets = new MappedTargets(map);
  const asked = [
    'https://GIS.example.com/maps/rest/services/A/MapServer/0?f=json',
    'https://gis.example.com',
    'https://tiles.example.com/livelier',
    'https://dev-gis.example.com/server',
    'no address',
  ];
  expect(asked.map((address) => targets.holdsAddress(address))).toEqual([true, true, false, false, false]);
  expect([live, dev].map((id) => targets.holdsItem(id))).toEqual([true, false]);
});
