import { expect } from '@jest/globals';
import { classifyItem } from '../../../src/domain/transfer/classify-item';
import { readItem } from '../../../src/portal/resources/items/items';
import { layer } from '../../../src/simulator/seed/build';
import type { Row, Section } from '../row';
import type { Planted } from '../site';
import { exported, listsOf } from '../transfers';

interface Fate {
  readonly item: Planted;
  readonly portal: 'exported' | 'skipped';
  readonly expected: 'exportable' | 'skipped' | 'unknown';
  readonly reason?: string;
}

/** What a portal does with items, and what Portolan expects of it. */
const fates = (statement: string, release: string, table: readonly Fate[]): Row => ({
  statement,
  wire: { operation: 'group.export' },
  check: async (_site, world) => {
    const site = await world.at(release);
    const { groupId, ids } = await site.plant([...table.map(({ item }) => item), { type: 'PDF' }]);
    const lists = listsOf(await exported(site, groupId));
    const seen = await Promise.all(
      table.map(async ({ item }, at) => {
        const record = await readItem(site.as('owner'), ids[at] ?? '');
        const data = typeof item.data === 'object' ? item.data : undefined;
        const { verdict, ...judged } = classifyItem(record, site.version, data);
        const portal = (['exported', 'skipped'] as const).find((list) => lists[list].includes(record.id));
        return { item, portal, expected: verdict, ...('reason' in judged && { reason: judged.reason }) };
      }),
    );
    expect(seen).toMatchObject(
      table.map(({ reason, ...fate }) => ({
        ...fate,
        ...(reason !== undefined && { reason: expect.stringContaining(reason) }),
      })),
    );
  },
});

const taken = (item: Planted): Fate => ({ item, portal: 'exported', expected: 'exportable' });
const skipped = (item: Planted, reason: string): Fate => ({
  item,
  portal: 'skipped',
  expected: 'skipped',
  reason,
});
const unknown = (item: Planted, reason: string): Fate => ({
  item,
  portal: 'skipped',
  expected: 'unknown',
  reason,
});
const ofType = (type: string): Planted => ({ type });

const listed = [
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
  'Microsoft Excel',
  'Microsoft Powerpoint',
  'Microsoft Word',
  'PDF',
  'Shapefile',
  'SQLite Geodatabase',
  'Visio Document',
  'Web Map',
  'Web Mapping Application',
  'Web Scene',
];

const stories = ['StoryMap', 'StoryMap Theme'];
const experiences = ['Web Experience', 'Web Experience Template'];
const before = (type: string, since: string, release: string): Fate =>
  skipped(ofType(type), `${type} is exported from version ${since}; this portal runs ${release}`);

const instantApp: Planted = {
  type: 'Web Mapping Application',
  keywords: ['Web Map', 'Instant Apps', 'Online Map'],
};
const service = { type: 'Feature Service', layers: [layer(0, 'Roads', 4)] };
const groupApp = {
  type: 'Web Mapping Application',
  keywords: ['Group Template'],
  data: { values: { group: 'a'.repeat(32) } },
};
const referenced = {
  type: 'Feature Service',
  fields: { url: 'https://gis.example.com/rest/services/R/FeatureServer' },
};

const rows: readonly Row[] = [
  // 10.8.1 is the first release that exports.
  fates('Exports the listed types from 10.8.1 on.', '10.8.1', listed.map(ofType).map(taken)),
  fates('Skips instant apps at 10.9.', '10.9', [unknown(instantApp, 'exported from 10.9.1;')]),
  fates('Exports instant apps from 10.9.1 on, and skips stories.', '10.9.1', [
    taken(instantApp),
    ...stories.map((type) => before(type, '11.0', '10.9.1')),
  ]),
  fates('Exports stories from 11.0 on, and skips experiences.', '11.0', [
    ...stories.map(ofType).map(taken),
    ...experiences.map((type) => before(type, '11.1', '11.0')),
  ]),
  fates('Exports experiences from 11.1 on.', '11.1', experiences.map(ofType).map(taken)),
  fates('Exports hosted feature services only, and neither views nor group apps.', '11.2', [
    taken(service),
    skipped(referenced, 'this portal does not host the service, so it cannot be exported'),
    skipped({ ...service, keywords: ['View Service'] }, 'a hosted feature service view cannot be exported'),
    unknown({ ...service, keywords: ['Spatiotemporal'] }, 'a spatiotemporal feature service'),
    unknown({ ...service, keywords: ['Service Proxy'] }, 'a proxied feature service'),
    skipped(groupApp, 'an app configured by a group cannot be exported'),
    unknown(ofType('Notebook'), ''),
  ]),
];

export const itemTypeSection: Section = { title: 'Item types', rows };
