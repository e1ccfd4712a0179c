import { expect } from '@jest/globals';
import { addItem, addPackageItem } from '../../../src/portal/resources/items/add-item';
import type { Item } from '../../../src/portal/resources/items/item';
import { readItem } from '../../../src/portal/resources/items/items';
import { restoreItemCopy } from '../../../src/portal/resources/items/restore-item';
import type { Row, Section } from '../row';
import type { Site } from '../site';
import { downloaded, fileOf } from '../transfers';

const operation = 'item.add';
const bytes = Buffer.from('bytes of a package');

/** Fields of a deleted item that Portolan recreates: as sent, and as its record has them. */
const fields: readonly (readonly [name: string, value: string, record: Partial<Item>])[] = [
  ['url', 'https://www.example.com/app', { url: 'https://www.example.com/app' }],
  ['categories', '/Categories/Roads', { categories: ['/Categories/Roads'] }],
  ['description', 'What it is', { description: 'What it is' }],
  ['snippet', 'In short', { snippet: 'In short' }],
  ['licenseinfo', 'For all', { licenseInfo: 'For all' }],
  ['culture', 'de-de', { culture: 'de-de' }],
  ['properties', '{"a":1}', { properties: { a: 1 } }],
  // prettier-ignore
  ['extent', '-1,-2,3,4', { extent: [[-1, -2], [3, 4]] }],
  ['itemIdToCreate', 'c'.repeat(32), { id: 'c'.repeat(32) }],
];

async function recreated(site: Site, record: Partial<Item>, data?: Buffer) {
  const whole = { id: site.simulator.world.newId(), type: 'CSV', title: 'x', ...record };
  await restoreItemCopy(site.as('owner'), { record: whole, owner: 'owner', data: data && fileOf(data) });
  return readItem(site.as('owner'), whole.id);
}

const rows: readonly Row[] = [
  {
    statement: 'Adds a package by a multipart POST with its bytes in `file`.',
    wire: {
      operation,
      method: 'POST',
      path: '/content/users/<userName>/addItem',
      body: 'multipart/form-data',
      params: {
        title: 'Group A',
        type: 'Export Package',
        typeKeywords: 'Export Package,epk',
        tags: 'epk',
        file: /^\(file a\.epk, 18 bytes\)$/,
      },
    },
    check: async (site) => {
      const { version } = site;
      const item = { username: 'owner', title: 'Group A', tags: ['epk'], filename: 'a.epk', version };
      const { id } = await addPackageItem(site.as('owner'), { ...item, file: fileOf(bytes) });
      expect(await readItem(site.as('owner'), id)).toMatchObject({
        id,
        owner: 'owner',
        title: 'Group A',
        type: 'Export Package',
        typeKeywords: ['Export Package', 'epk'],
        tags: ['epk'],
      });
      expect(await downloaded(site, id)).toEqual(bytes);
    },
  },
  {
    statement: 'Adds no item without a title.',
    wire: { operation, without: ['title'], errorCode: 400 },
    check: async (site) => {
      const item = { username: 'owner', params: { type: 'CSV', text: '1' } };
      const added = addItem(site.as('owner'), item);
      await expect(added).rejects.toMatchObject({ code: 'BAD_REQUEST' });
    },
  },
  ...fields.map(([name, value, record]): Row => ({
    statement: `Adds an item with \`${name}\`.`,
    wire: { operation, params: { [name]: value } },
    check: async (site) => expect(await recreated(site, record)).toMatchObject(record),
  })),
  {
    statement: 'Adds an item with `text`.',
    wire: { operation, params: { text: 'a,b' } },
    check: async (site) => {
      const { id } = await recreated(site, {}, Buffer.from('a,b'));
      expect((await downloaded(site, id)).toString()).toBe('a,b');
    },
  },
];

export const uploadSection: Section = { title: 'Upload of a package', rows };
