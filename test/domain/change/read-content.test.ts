import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createHash } from 'node:crypto';
import { compareContent } from '../../../src/domain/change/compare-content';
import { ItemReader } from '../../../src/domain/change/item-reader';
import { itemContent, readContent, RESOURCE_BYTES_MAX } from '../../../src/domain/change/item-content';
import { readItem } from '../../../src/portal/resources/items/items';
import { DOCUMENT_BYTES_MAX } from '../../../src/domain/transfer/references/content';
import { changeItem } from '../../../src/portal/resources/items/item-files';
import { transportItems } from '../../../src/simulator/seed/transport';
import { hosting, json, jsonAt, RawPortal, words } from '../../portal/raw-portal';
import { TwoPortals } from '../transfer/two-portals';

const { map, scene, app, story, experience, csv, pdf, roads } = transportItems;

describe('content of portals', () => {
  const portals = new TwoPortals(beforeAll, afterAll);
  beforeAll(() => portals.carry([map, scene, app, story, experience, csv, pdf, roads]));

  const read = async (itemId: string) => {
    const [source, target] = [portals.connect('source', 'owner'), portals.connect('target', 'owner')];
    const [after, before] = await Promise.all([readContent(source, itemId), readContent(target, itemId)]);
    const { type = '' } = await readItem(source, itemId);
    const [from, to] = [portals.source.url, portals.target.url].map((url) => new URL(url).origin);
    const mapped = (text: string) => text.replaceAll(from!, to!);
    return { before, after, change: compareContent(type, before, after, { mapped }) };
  };

  it.each(Object.entries({ map, scene, app, story, experience, csv, pdf, roads }))(
    'is the same after an import (%s), and survives being stored',
    async (_, itemId) => {
      const { before, after, change } = await read(itemId);
      expect(change).toMatchObject({ kind: 'same', fields: [] });
      expect(after.details['title']).toBeDefined();
      expect(after.data ?? after.file ?? after.layers).toBeDefined();
      for (const content of [before, after])
        expect(itemContent.parse(JSON.parse(JSON.stringify(content)))).toEqual(
          JSON.parse(JSON.stringify(content)),
        );
    },
  );

  it('has fields and rows of hosted layers, and the sha256 of files', async () => {
    const { after } = await read(roads);
    expect(after.layers).toHaveLength(3);
    expect(after.layers![0]).toMatchObject({
      layerId: 0,
      name: 'Routes',
      count: 1200,
      schema: { geometryType: 'esriGeometryPolyline' },
    });
    expect((await read(csv)).after.file!.sha256).toMatch(/^[0-9a-f]{64}$/);
    expect((await read(experience)).after.resources).toContainEqual(
      expect.objectContaining({ name: 'config/config.json', json: expect.anything() }),
    );
  });

  it('shows an edit that leaves title and size as they are', async () => {
    const portal = portals.connect('source', 'owner');
    const { after } = await read(map);
    const owner = String(after.details['owner']);
    const data = structuredClone(after.data) as { operationalLayers: { title: string }[] };
    const [layer] = data.operationalLayers;
    const title = layer!.title;
    layer!.title = [...title].reverse().join('');
    await changeItem(
      portal,
      { owner, itemId: map },
      { name: 'update', params: { text: JSON.stringify(data) } },
    );
    const { change } = await read(map);
    expect(change).toMatchObject({ kind: 'changed', fields: [{ before: title, after: layer!.title }] });
    expect(change.fields[0]!.label).toBe(`layer "${title}" renamed`);
  });
});

describe('content that cannot be read', () => {
  const itemId = 'c'.repeat(32);
  const large = 'e'.repeat(32);
  const [longer, broken] = ['a'.repeat(32), 'b'.repeat(32)];
  const [whole, plain, lost, much] = ['1', '2', '3', '4'].map((each) => each.repeat(32)) as [
    string,
    string,
    string,
    string,
  ];
  let sent = 0;
  const path = `content/items/${itemId}`;
  const service = '/server/rest/services/Roads/FeatureServer';
  /** What a portal answers that has this item. */
  const held = (id: string, record: object, itsData = words(''), resources: object[] = []) => ({
    [`content/items/${id}`]: json({ id, ...record }),
    [`content/items/${id}/data`]: itsData,
    [`content/items/${id}/resources`]: json({ total: resources.length, resources }),
  });
  let raw: RawPortal;
  let data: string;
  beforeAll(async () => {
    raw = await RawPortal.start({
      ...hosting,
      [path]: jsonAt((origin) => ({
        id: itemId,
        type: 'Feature Service',
        typeKeywords: ['Hosted Service'],
        url: `${origin}${service}`,
      })),
      [`${path}/data`]: (_, response) => void response.end(data),
      ...held(large, { type: 'Web Experience' }, json({}), [
        { resource: 'plan.png', size: RESOURCE_BYTES_MAX + 1 },
      ]),
      ...held(longer, { type: 'PDF', size: 1_000 }, (_, response) => void response.end(Buffer.alloc(sent))),
      ...held(broken, { type: 'Web Map' }, json({ error: { code: 500, message: 'Broken.' } })),
      ...held(whole, { type: 'New type', thumbnail: 'thumbnail/t.png' }, words('\uFEFF{"a":1}'), [
        { resource: 'c.json' },
        { resource: 'd.png', size: 1 },
        { resource: 'b.json', size: 2 },
        { resource: 'a.json.png', size: RESOURCE_BYTES_MAX },
      ]),
      [`content/items/${whole}/resources/a.json.png`]: words('abc'),
      [`content/items/${whole}/resources/b.json`]: words('[]'),
      [`content/items/${whole}/resources/c.json`]: words('no'),
      [`content/items/${whole}/info/thumbnail/t.png`]: words('abc'),
      ...held(lost, { type: 'Feature Service', typeKeywords: ['Hosted Service'] }),
      ...held(
        much,
        { type: 'Web Map' },
        json({}),
        ['a.json', 'b.json'].map((resource) => ({ resource, size: DOCUMENT_BYTES_MAX })),
      ),
      ...held(plain, { size: -1 }, words('abc')),
      [`${path}/resources`]: json({ error: { code: 403, message: 'You do not have permissions.' } }),
      [service]: json({ layers: [{ id: 0, name: 'Roads' }], tables: [] }),
      [`${service}/0`]: json({ id: 0, name: 'Roads' }),
      [`${service}/0/query`]: json({ error: { code: 400, message: 'Cannot count.' } }),
    });
  });
  afterAll(() => raw.stop());

  it('is named and never the same', async () => {
    data = `${'['.repeat(24_000)}${']'.repeat(24_000)}`;
    const content = await readContent(raw.client(), itemId);
    expect(content.unread).toBe(
      'its data: it is nested 24000 levels deep (limit 100); its layer 0: it does not tell its fields; its layer 0: staging answered layer.count: Cannot count.; its resources: staging answered item.resources: You do not have permissions.',
    );
    expect(content.data).toBeUndefined();
    expect(compareContent('Feature Service', content, content)).toMatchObject({
      kind: 'unknown',
      why: content.unread,
    });
  });

  it('includes a resource over the limit', async () => {
    const content = await readContent(raw.client(), large);
    expect(compareContent('Web Experience', content, content)).toMatchObject({
      kind: 'unknown',
      why: expect.stringMatching(/its resource plan\.png: only 16\S* MB of resources are read/),
    });
  });

  it('includes a file that is more than 1 MB longer than its item says', async () => {
    const most = 1_000 + 1024 ** 2;
    for (const [bytes, kind] of [
      [most, 'same'],
      [most + 1, 'unknown'],
    ] as const) {
      sent = bytes;
      const content = await readContent(raw.client(), longer);
      expect(content.unread?.includes('its data: The file is longer than') ?? false).toBe(kind === 'unknown');
      expect(compareContent('PDF', content, content).kind).toBe(kind);
    }
  });

  it('holds up no other item while the portal shows others', async () => {
    const failures: unknown[] = [];
    const onFailed = (thrown: unknown) => void failures.push(thrown);
    const first = await new ItemReader(raw.client(), { onFailed }).read(broken);
    expect([failures.length, first.unread]).toEqual([1, expect.stringMatching(/its data: .*Broken/)]);
    const reader = new ItemReader(raw.client(), { onFailed });
    expect((await reader.read(large)).unread).toBeDefined();
    expect((await reader.read(broken)).unread).toBe(first.unread);
    expect(failures).toHaveLength(1);
  });

  it('is not what can be read: data of any kind, files of its resources, its thumbnail', async () => {
    const files = { size: 3, sha256: createHash('sha256').update('abc').digest('hex') };
    expect(await readContent(raw.client(), whole)).toEqual({
      details: expect.objectContaining({ id: whole }),
      data: { a: 1 },
      resources: [
        { name: 'a.json.png', ...files },
        { name: 'b.json', size: 2, json: [] },
        { name: 'c.json', size: 0 },
        { name: 'd.png', size: 1 },
      ],
      thumbnail: files.sha256,
      unread: 'its resource c.json: it is not JSON; its resource d.png: only 16 MB of resources are read',
    });
    expect((await readContent(raw.client(), plain)).file).toEqual(files);
  });

  it('includes a file over its limit, which is not asked for', async () => {
    const asked = () => raw.at(`content/items/${longer}/data`).length;
    const before = asked();
    const { unread } = await readContent(raw.client(), longer, { fileBytes: 999 });
    expect([unread, asked()]).toEqual([
      'its data: The file is longer than 999 bytes, up to which it is compared.',
      before,
    ]);
    sent = 0;
    expect(await readContent(raw.client(), longer, { fileBytes: 1_000 })).not.toHaveProperty('file');
  });

  it('includes JSON of resources over its limit, which is not asked for', async () => {
    const { unread } = await readContent(raw.client(), much);
    expect(unread).toContain('its resources: The JSON of its resources is longer than');
    expect(raw.at(`content/items/${much}/resources/a.json`)).toEqual([]);
  });

  it('includes a service that does not respond', async () => {
    const why = 'its layers: the service does not respond, or does not tell all of them';
    expect((await readContent(raw.client(), lost)).unread).toContain(why);
  });

  it('includes a missing item', async () => {
    const content = await readContent(raw.client(), 'd'.repeat(32));
    expect(content).toMatchObject({ details: {}, unread: expect.stringMatching(/^the item: /) });
  });
});
