import { expect } from '@jest/globals';
import { layer } from '../../../src/simulator/seed/build';
import { classifyItem } from '../../../src/domain/transfer/classify-item';
import { exportableItems } from '../../../src/domain/transfer/guards/group';
import { readItem } from '../../../src/portal/resources/items/items';
import type { Row, Section } from '../row';
import type { Planted, Site } from '../site';
import { exported, listsOf } from '../transfers';
import { exportGroup } from '../../../src/portal/resources/group-export';

const operation = 'group.export';

/** What became of one item: by the portal's lists, and by what Portolan expects beforehand. */
async function fate(
  site: Site,
  item: Planted,
): Promise<{ readonly portal: 'exported' | 'skipped'; readonly expected: string; readonly reason?: string }> {
  const { groupId, ids } = await site.plant([item, { type: 'PDF' }]);
  const id = ids[0] ?? '';
  const record = await readItem(site.as('owner'), id);
  const judged = classifyItem(record, site.version, typeof item.data === 'object' ? item.data : undefined);
  const lists = listsOf(await exported(site, groupId));
  const portal = lists.exported.includes(id) ? 'exported' : 'skipped';
  expect(lists[portal]).toContain(id);
  return { portal, expected: judged.verdict, ...('reason' in judged && { reason: judged.reason }) };
}

const listed: readonly string[] = [
  'CAD Drawing',
  'Code Attachment',
  'CSV',
  'CSV Collection',
  'Deep Learning Package',
  'Desktop Application Template',
  'File Geodatabase',
  'GeoJson',
  'GeoPackage',
  'Image',
  'Image Collection',
  'KML',
  'KML Collection',
  'Map Template',
  'PDF',
  'Shapefile',
  'SQLite Geodatabase',
  'Visio Document',
  'Web Map',
  'Web Mapping Application',
  'Web Scene',
];

const office: readonly string[] = ['Microsoft Excel', 'Microsoft Powerpoint', 'Microsoft Word'];

const taken = (type: string, statement: string): Row => ({
  statement,
  wire: { operation },
  check: async (world) => {
    // The first release that exports at all: what it takes has no later beginning.
    const site = await world.at('10.8.1');
    expect(await fate(site, { type })).toEqual({ portal: 'exported', expected: 'exportable' });
  },
});

const later: readonly (readonly [type: string, since: string, before: string])[] = [
  ['StoryMap', '11.0', '10.9.1'],
  ['StoryMap Theme', '11.0', '10.9.1'],
  ['Web Experience', '11.1', '11.0'],
  ['Web Experience Template', '11.1', '11.0'],
];

const sinceRows = ([type, since, before]: (typeof later)[number]): Row[] => [
  {
    statement: `Items of the type \`${type}\` are exported from ${since} on.`,
    wire: { operation },
    check: async (world) => {
      expect(await fate(await world.at(since), { type })).toEqual({
        portal: 'exported',
        expected: 'exportable',
      });
    },
  },
  {
    statement: `Items of the type \`${type}\` are left out by ${before}, and Portolan says so beforehand.`,
    wire: { operation },
    check: async (world) => {
      expect(await fate(await world.at(before), { type })).toEqual({
        portal: 'skipped',
        expected: 'skipped',
        reason: `${type} is exported from version ${since}; this portal runs ${before}`,
      });
    },
  },
];

const instantApp: Planted = {
  type: 'Web Mapping Application',
  keywords: ['Web Map', 'Instant Apps', 'Online Map'],
};

const service = { type: 'Feature Service', layers: [layer(0, 'Roads', 4)] };

const services: readonly Row[] = [
  {
    statement: 'Hosted feature services are exported.',
    wire: { operation },
    check: async (world) => {
      expect(await fate(await world.at(), service)).toEqual({ portal: 'exported', expected: 'exportable' });
    },
  },
  {
    statement:
      'Of feature services only hosted ones are supported: one that the portal only refers to is left out.',
    wire: { operation },
    check: async (world) => {
      const item = {
        type: 'Feature Service',
        fields: { url: 'https://gis.example.com/rest/services/R/FeatureServer' },
      };
      expect(await fate(await world.at(), item)).toEqual({
        portal: 'skipped',
        expected: 'skipped',
        reason: 'this portal does not host the service, so it cannot be exported',
      });
    },
  },
  {
    statement: 'Views of hosted feature services are left out.',
    wire: { operation },
    check: async (world) => {
      expect(await fate(await world.at(), { ...service, keywords: ['View Service'] })).toEqual({
        portal: 'skipped',
        expected: 'skipped',
        reason: 'a hosted feature service view cannot be exported',
      });
    },
  },
  {
    statement:
      'Hosted services of a spatiotemporal store are left out; the keyword that marks them is _relied on_, and so Portolan only expects it.',
    wire: { operation },
    check: async (world) => {
      expect(await fate(await world.at(), { ...service, keywords: ['Spatiotemporal'] })).toEqual({
        portal: 'skipped',
        expected: 'unknown',
        reason: expect.stringContaining('a spatiotemporal feature service'),
      });
    },
  },
  {
    statement:
      'Proxied feature services are left out; the keyword that marks them is _relied on_, and so Portolan only expects it.',
    wire: { operation },
    check: async (world) => {
      expect(await fate(await world.at(), { ...service, keywords: ['Service Proxy'] })).toEqual({
        portal: 'skipped',
        expected: 'unknown',
        reason: expect.stringContaining('a proxied feature service'),
      });
    },
  },
];

const others: readonly Row[] = [
  {
    statement: 'Configurable app templates that belong to a group are left out.',
    wire: { operation },
    check: async (world) => {
      const item = {
        type: 'Web Mapping Application',
        keywords: ['Group Template'],
        data: { values: { group: 'a'.repeat(32) } },
      };
      expect(await fate(await world.at(), item)).toEqual({
        portal: 'skipped',
        expected: 'skipped',
        reason: 'an app configured by a group cannot be exported',
      });
    },
  },
  {
    statement: 'Instant apps are exported from 10.9.1 on.',
    wire: { operation },
    check: async (world) => {
      expect(await fate(await world.at('10.9.1'), instantApp)).toEqual({
        portal: 'exported',
        expected: 'exportable',
      });
    },
  },
  {
    statement:
      'Instant apps are left out by 10.9; their marks are _relied on_, and so Portolan only expects it.',
    wire: { operation },
    check: async (world) => {
      expect(await fate(await world.at('10.9'), instantApp)).toEqual({
        portal: 'skipped',
        expected: 'unknown',
        reason: expect.stringContaining('exported from 10.9.1;'),
      });
    },
  },
  {
    statement: 'A type that is in no list is left out, and the export of the others goes on.',
    wire: { operation },
    check: async (world) => {
      expect(await fate(await world.at(), { type: 'Notebook' })).toMatchObject({
        portal: 'skipped',
        expected: 'unknown',
      });
    },
  },
  {
    statement: 'A group with items of unsupported types alone is a group with nothing to export.',
    wire: { operation },
    check: async (world) => {
      const site = await world.at();
      const { groupId, ids } = await site.plant([{ type: 'Notebook' }]);
      const answer = await exportGroup(site.as('owner'), groupId, { async: true, version: site.version });
      expect(answer).toMatchObject({ kind: 'lists', done: [], skipped: [{ itemId: ids[0] }] });
    },
  },
  {
    statement:
      'Portolan names what an export will leave out before it asks for it, and refuses nothing for it.',
    check: () => {
      const item = { id: 'a', type: 'Feature Service', title: 'Open roads', typeKeywords: ['View Service'] };
      const classified = [{ item, classification: classifyItem(item, undefined) }];
      expect(exportableItems(classified)).toEqual({
        name: 'item types',
        verdict: 'pass',
        saw: '0 of 1 item; skipped: a hosted feature service view cannot be exported ("Open roads")',
      });
    },
  },
];

export const itemTypeSection: Section = {
  title: 'Item types',
  rows: [
    ...listed.map((type) => taken(type, `Items of the type \`${type}\` are exported.`)),
    ...office.map((type) =>
      taken(
        type,
        `Documents of office programs are exported; \`${type}\` as the word for one kind is _relied on_.`,
      ),
    ),
    ...services,
    ...later.flatMap(sinceRows),
    ...others,
  ],
};
