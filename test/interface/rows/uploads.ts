import { expect } from '@jest/globals';
import { addItem, addPackageItem } from '../../../src/portal/resources/items/add-item';
import { restoreItemCopy } from '../../../src/portal/resources/items/restore-item';
import { readItem } from '../../../src/portal/resources/items/items';
import type { Item } from '../../../src/portal/resources/items/item';
import type { Row, Section } from '../row';
import type { Site } from '../site';
import { downloaded, fileOf } from '../transfers';

const operation = 'item.add';
const path = '/content/users/<userName>/addItem';
const bytes = Buffer.from('bytes of a package');

/** Adds a package as Portolan does. @returns its id */
async function added(site: Site): Promise<string> {
  const request = {
    username: 'owner',
    title: 'Group A',
    tags: ['epk'],
    filename: 'a.epk',
    version: site.version,
  };
  return (await addPackageItem(site.as('owner'), { ...request, file: fileOf(bytes) })).id;
}

const call: readonly Row[] = [
  {
    statement: 'A package becomes an item by a POST to the `addItem` address of a user.',
    wire: { operation, method: 'POST', path },
    check: async (world) => {
      const site = await world.at();
      expect(await readItem(site.as('owner'), await added(site))).toMatchObject({ owner: 'owner' });
    },
  },
  {
    statement: 'A package is sent as multipart form data, its bytes in the field `file`.',
    wire: { operation, body: 'multipart/form-data', params: { file: /^\(file a\.epk, 18 bytes\)$/ } },
    check: async (world) => {
      const site = await world.at();
      expect(await downloaded(site, await added(site))).toEqual(bytes);
    },
  },
  {
    statement: '`title` is the title of the item.',
    wire: { operation, params: { title: 'Group A' } },
    check: async (world) => {
      const site = await world.at();
      expect((await readItem(site.as('owner'), await added(site))).title).toBe('Group A');
    },
  },
  {
    statement: '`type` of a package is `Export Package`.',
    wire: { operation, params: { type: 'Export Package' } },
    check: async (world) => {
      const site = await world.at();
      expect((await readItem(site.as('owner'), await added(site))).type).toBe('Export Package');
    },
  },
  {
    statement: '`typeKeywords` of a package are `Export Package` and `epk`, with a comma between them.',
    wire: { operation, params: { typeKeywords: 'Export Package,epk' } },
    check: async (world) => {
      const site = await world.at();
      expect((await readItem(site.as('owner'), await added(site))).typeKeywords).toEqual([
        'Export Package',
        'epk',
      ]);
    },
  },
  {
    statement: '`tags` are sent with the package, such as `epk`.',
    wire: { operation, params: { tags: 'epk' } },
    check: async (world) => {
      const site = await world.at();
      expect((await readItem(site.as('owner'), await added(site))).tags).toEqual(['epk']);
    },
  },
  {
    statement: 'Without `type` or `title` nothing is added; _relied on_: error 400.',
    wire: { operation, without: ['title'], errorCode: 400 },
    check: async (world) => {
      const site = await world.at();
      const params = { type: 'CSV', text: '1' };
      await expect(addItem(site.as('owner'), { username: 'owner', params })).rejects.toMatchObject({
        code: 'BAD_REQUEST',
      });
    },
  },
  {
    statement:
      '`addItem` answers `id`, a text, under which the item is read and that the import takes as `itemId`.',
    wire: { operation },
    check: async (world) => {
      const site = await world.at();
      const id = await added(site);
      expect(await readItem(site.as('owner'), id)).toMatchObject({ id });
    },
  },
];

/** Fields with which Portolan makes an item anew that is gone: as sent, and as its record has them. */
const fields: readonly (readonly [name: string, value: string, record: Partial<Item>])[] = [
  ['url', 'https://www.example.com/app', { url: 'https://www.example.com/app' }],
  ['categories', '/Categories/Roads', { categories: ['/Categories/Roads'] }],
  ['description', 'What it is', { description: 'What it is' }],
  ['snippet', 'In short', { snippet: 'In short' }],
  ['licenseinfo', 'For all', { licenseInfo: 'For all' }],
  ['culture', 'de-de', { culture: 'de-de' }],
  ['properties', '{"a":1}', { properties: { a: 1 } }],
  [
    'extent',
    '-1,-2,3,4',
    {
      extent: [
        [-1, -2],
        [3, 4],
      ],
    },
  ],
  ['itemIdToCreate', 'c'.repeat(32), { id: 'c'.repeat(32) }],
];

/** Makes an item anew as a restore does. */
async function madeAnew(site: Site, record: Partial<Item>, data?: Buffer): Promise<Item> {
  const whole = { id: site.simulator.world.newId(), type: 'CSV', title: 'x', ...record };
  await restoreItemCopy(site.as('owner'), { record: whole, owner: 'owner', data: data && fileOf(data) });
  return readItem(site.as('owner'), whole.id);
}

const fieldRows: readonly Row[] = [
  ...fields.map(([name, value, record]): Row => ({
    statement: `\`addItem\` takes a form field \`${name}\`, and an item that was gone has it again.`,
    wire: { operation, params: { [name]: value } },
    check: async (world) => expect(await madeAnew(await world.at(), record)).toMatchObject(record),
  })),
  {
    statement: '`addItem` takes a form field `text`, and an item that was made of text has it again.',
    wire: { operation, params: { text: 'a,b' } },
    check: async (world) => {
      const site = await world.at();
      const { id } = await madeAnew(site, {}, Buffer.from('a,b'));
      expect((await downloaded(site, id)).toString()).toBe('a,b');
    },
  },
];

export const uploadSection: Section = {
  title: 'Upload of a package',
  rows: [...call, ...fieldRows],
};
