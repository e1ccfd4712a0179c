import { expect } from '@jest/globals';
import { addItem, addPackageItem } from '../../../src/portal/resources/items/add-item';
import { createFolder } from '../../../src/portal/resources/folders';
import { readItem } from '../../../src/portal/resources/items/items';
import type { Item } from '../../../src/portal/resources/items/item';
import { formatRows } from '../formats';
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
    id: 'addItem.call',
    statement: 'A package becomes an item by a POST to the `addItem` address of a user.',
    wire: { operation, method: 'POST', path },
    check: async (world) => {
      const site = await world.at();
      expect(await readItem(site.as('owner'), await added(site))).toMatchObject({ owner: 'owner' });
    },
  },
  {
    id: 'addItem.multipart',
    statement: 'A package is sent as multipart form data, its bytes in the field `file`.',
    wire: { operation, body: 'multipart/form-data', params: { file: /^\(file a\.epk, 18 bytes\)$/ } },
    check: async (world) => {
      const site = await world.at();
      expect(await downloaded(site, await added(site))).toEqual(bytes);
    },
  },
  {
    id: 'addItem.title',
    statement: '`title` is the title of the item.',
    wire: { operation, params: { title: 'Group A' } },
    check: async (world) => {
      const site = await world.at();
      expect((await readItem(site.as('owner'), await added(site))).title).toBe('Group A');
    },
  },
  {
    id: 'addItem.type',
    statement: '`type` of a package is `Export Package`.',
    wire: { operation, params: { type: 'Export Package' } },
    check: async (world) => {
      const site = await world.at();
      expect((await readItem(site.as('owner'), await added(site))).type).toBe('Export Package');
    },
  },
  {
    id: 'addItem.typeKeywords',
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
    id: 'addItem.tags',
    statement: '`tags` are sent with the package, such as `epk`.',
    wire: { operation, params: { tags: 'epk' } },
    check: async (world) => {
      const site = await world.at();
      expect((await readItem(site.as('owner'), await added(site))).tags).toEqual(['epk']);
    },
  },
  {
    id: 'addItem.required',
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
    id: 'addItem.answer',
    statement: '`addItem` answers `success`, a boolean, and `id`, a text that the import takes as `itemId`.',
    wire: { operation },
    check: async (world) => {
      const site = await world.at();
      const client = await site.raw('owner');
      const answer = await client.upload<{ id: string }>('/content/users/owner/addItem', bytes, {
        title: 'Package',
        type: 'Export Package',
        typeKeywords: 'Export Package,epk',
        tags: 'epk',
      });
      expect(answer).toMatchObject({ success: true, id: expect.stringMatching(/./) });
      expect(await readItem(site.as('owner'), answer.id)).toMatchObject({ id: answer.id });
    },
  },
  {
    id: 'addItem.answer.root',
    statement: '`folder` of the answer is null where the item lies in no folder.',
    wire: { operation, path },
    check: async (world) => {
      const client = await (await world.at()).raw('owner');
      const params = { title: 'x', type: 'CSV', text: '1' };
      expect(await client.call('/content/users/owner/addItem', params)).toMatchObject({ folder: null });
    },
  },
  {
    id: 'addItem.answer.folder',
    statement: '`folder` of the answer is a text where the item was added to a folder.',
    wire: { operation, path: '/content/users/<userName>/<folderId>/addItem' },
    check: async (world) => {
      const site = await world.at();
      const { folder } = await createFolder(site.as('owner'), { username: 'owner', title: 'Packages' });
      const params = { title: 'x', type: 'CSV', text: '1' };
      const client = await site.raw('owner');
      const answer = await client.call(`/content/users/owner/${folder.id}/addItem`, params);
      expect(answer).toMatchObject({ folder: folder.id });
    },
  },
];

/** Form fields beside the four of a package and `file`, with a value and, where records hold them, what is read back. */
const fields: readonly (readonly [name: string, value: string, read?: Partial<Item>])[] = [
  ['url', 'https://www.example.com/app', { url: 'https://www.example.com/app' }],
  ['text', 'a,b', { size: 3 }],
  ['thumbnail', 'thumbnail.png'],
  ['thumbnailUrl', 'https://www.example.com/t.png'],
  ['metadata', '<metadata/>'],
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
  ['callback.html', 'https://www.example.com/done'],
  ['originItemId', '0'.repeat(32)],
  ['destinationItemId', '0'.repeat(32)],
  ['relationshipTypes', 'Map2Service'],
  ['serviceUsername', 'reader'],
  ['serviceCredentialsType', 'userPassword'],
  ['serviceProxyParams', '{}'],
  ['serviceProxyFilter', '{}'],
  ['appCategories', 'roads'],
];

const fieldRows: readonly Row[] = fields.map(([name, value, read]) => ({
  id: `addItem.field.${name}`,
  statement: `\`addItem\` takes a form field \`${name}\`${read ? ', and the item has it' : ''}.`,
  wire: { operation, params: { [name]: value } },
  check: async (world) => {
    const site = await world.at();
    const params = { title: 'x', type: 'CSV', [name]: value };
    const { id } = await addItem(site.as('owner'), { username: 'owner', params });
    expect(await readItem(site.as('owner'), id)).toMatchObject({ id, ...read });
  },
}));

const odd: readonly Row[] = [
  {
    id: 'addItem.field.servicePassword',
    statement:
      '`addItem` takes a form field `servicePassword`; Portolan never sends it, and the simulated portal shows it in no log.',
    wire: { operation, params: { servicePassword: '***' } },
    check: async (world) => {
      const site = await world.at();
      const params = { title: 'x', type: 'CSV', servicePassword: 'hush-hush' };
      const client = await site.raw('owner');
      const { id } = await client.call<{ id: string }>('/content/users/owner/addItem', params);
      expect(await readItem(site.as('owner'), id)).toMatchObject({ id });
      expect(JSON.stringify(site.simulator.requests())).not.toContain('hush-hush');
    },
  },
  {
    id: 'addItem.field.dataUrl',
    statement:
      'The form field `dataUrl` is known; Portolan never sends it, and the simulated portal fetches from nowhere and says so.',
    wire: { operation, params: { dataUrl: 'https://www.example.com/a.csv' }, errorCode: 400 },
    check: async (world) => {
      const site = await world.at();
      const params = { title: 'x', type: 'CSV', dataUrl: 'https://www.example.com/a.csv' };
      await expect(addItem(site.as('owner'), { username: 'owner', params })).rejects.toMatchObject({
        code: 'BAD_REQUEST',
      });
    },
  },
];

export const uploadSection: Section = {
  title: 'Upload of a package',
  rows: [
    ...call,
    ...formatRows({
      id: 'addItem',
      name: '`addItem`',
      route: operation,
      call: async (world) => ({
        site: await world.at(),
        user: 'owner',
        path: '/content/users/owner/addItem',
        params: { title: 'x', type: 'CSV', text: '1' },
      }),
    }),
    ...fieldRows,
    ...odd,
  ],
};
