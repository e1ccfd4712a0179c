import { afterEach, describe, expect, it } from '@jest/globals';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import type { Portal } from '../../../../src/portal/client';
import { downloadItemData } from '../../../../src/portal/resources/items/download';
import type { Item } from '../../../../src/portal/resources/items/item';
import {
  type ItemFile,
  listItemFiles,
  openItemFile,
} from '../../../../src/portal/resources/items/item-files';
import { deleteItem, readItem } from '../../../../src/portal/resources/items/items';
import { type ItemCopy, restoreItemCopy } from '../../../../src/portal/resources/items/restore-item';
import type { SimulatorOptions } from '../../../../src/simulator/options';
import { transportGroupId, transportItems } from '../../../../src/simulator/seed/transport';
import { type Client, connect, signIn, start, stopAll } from '../../../simulator/harness';
import { codeOf, failureOf } from '../../raw-portal';

const { csv, map, pdf } = transportItems;
afterEach(stopAll);

const remove = (portal: Portal, permanent = true) =>
  deleteItem(portal, { owner: 'owner', itemId: csv, permanent });

async function setUp(options: Partial<SimulatorOptions> = {}) {
  const simulator = await start({ seed: 'transport', ...options });
  return { simulator, portal: connect(simulator, 'owner'), client: await signIn(simulator, 'owner') };
}

const bytesOf = async (portal: Portal, itemId: string): Promise<Buffer> =>
  buffer((await downloadItemData(portal, itemId, { from: 0 })).body);

/** A copy as a safeguard takes it: its record goes through JSON. */
async function copyOf(portal: Portal, itemId: string): Promise<ItemCopy & { readonly bytes: Buffer }> {
  const record = JSON.parse(JSON.stringify(await readItem(portal, itemId))) as Item;
  const bytes = await bytesOf(portal, itemId);
  const data = {
    size: bytes.length,
    open: (from: number, to: number) => Readable.from([bytes.subarray(from, to)]),
  };
  return { record, data, owner: 'owner', groups: [transportGroupId], bytes };
}

/** Everything about an item but what only a portal sets. */
async function stateOf(portal: Portal, itemId: string) {
  const { created: _, modified: __, lastModified: ___, ...fields } = await readItem(portal, itemId);
  return { ...fields, bytes: (await bytesOf(portal, itemId)).toString('base64') };
}

const item = (itemId: string, verb: string) => `/content/users/owner/items/${itemId}/${verb}`;

/** What an overwriting import may leave of an item. */
async function spoil(client: Client, itemId: string) {
  const path = item(itemId, 'update');
  const fields = {
    title: 'Other',
    type: 'PDF',
    tags: 'x,y',
    typeKeywords: 'k',
    snippet: 's',
    description: 'd',
    licenseInfo: 'l',
    accessInformation: 'a',
    url: 'https://example.com',
    extent: '1,2,3,4.5',
    properties: '{"a":1}',
    categories: '/Categories/A',
  };
  if (itemId === map) await client.call(path, { ...fields, text: 'other' });
  else await client.upload(path, Buffer.from('other'), fields);
}

describe('a saved item', () => {
  it.each([
    ['of text', map],
    ['with a file', csv],
  ])('is restored whole, %s', async (_, itemId) => {
    const { portal, client } = await setUp();
    const before = await stateOf(portal, itemId);
    const copy = await copyOf(portal, itemId);
    await spoil(client, itemId);
    expect(await stateOf(portal, itemId)).toMatchObject({
      title: 'Other',
      type: 'PDF',
      properties: { a: 1 },
    });
    expect(await restoreItemCopy(portal, copy)).toEqual({ how: 'updated' });
    expect(await stateOf(portal, itemId)).toEqual(before);
  });

  it('gets cleared fields back', async () => {
    const { portal, client } = await setUp();
    const set = { snippet: 's', extent: '1,2,3,4.5', properties: '{"a":[1]}', tags: 'a,b', licenseInfo: 'l' };
    await client.call(item(pdf, 'update'), { ...set, text: ' kept, blanks and all\r\n' });
    const before = await stateOf(portal, pdf);
    const copy = await copyOf(portal, pdf);
    const cleared = Object.fromEntries(Object.keys(set).map((name) => [name, '']));
    await client.call(item(pdf, 'update'), { ...cleared, clearEmptyFields: 'true' });
    expect(await stateOf(portal, pdf)).not.toEqual(before);
    await restoreItemCopy(portal, copy);
    expect(await stateOf(portal, pdf)).toEqual(before);
  });

  it.each([
    ['', {}],
    [', on a portal that takes calls only at the item’s folder', { itemCallsInFolder: true }],
  ])('is recreated under its ID, in its folder and groups%s', async (_, options) => {
    const { portal, client, simulator } = await setUp(options);
    await client.call('/content/users/owner/createFolder', { title: 'Kept' });
    const folderId = simulator.world.folders.find(({ title }) => title === 'Kept')!.id;
    simulator.world.items.change(map, { ownerFolder: folderId, access: 'org' });
    const before = await stateOf(portal, map);
    const copy = { ...(await copyOf(portal, map)), folderId };
    const removal = { owner: 'owner', itemId: map, folderId, permanent: true };
    expect(await deleteItem(portal, removal)).toBe('deleted');
    // The portal shares nothing at first: a repeat finds the item there, and goes on.
    const closed = { code: 500, message: 'Not now.' };
    simulator.faults.add({ match: { operation: 'item.share' }, nth: 1, do: { error: closed } });
    expect(await codeOf(restoreItemCopy(portal, copy))).toBe('SERVER_ERROR');
    expect(await restoreItemCopy(portal, copy)).toEqual({ how: 'updated' });
    expect(await stateOf(portal, map)).toEqual(before);
    expect(simulator.world.items.get(map)?.groups).toEqual([transportGroupId]);
    await spoilTitle(client, map, folderId);
    expect(await restoreItemCopy(portal, copy)).toEqual({ how: 'updated' });
    expect(await stateOf(portal, map)).toEqual(before);
    expect(
      await restoreItemCopy(portal, { ...copy, record: { ...copy.record, id: 'e'.repeat(32) } }),
    ).toEqual({ how: 'added' });
  });

  it('is recreated under a free file name when its own is taken', async () => {
    const { portal, client, simulator } = await setUp({ uniqueFileNames: true });
    const { items } = simulator.world;
    const copy = await copyOf(portal, csv);
    const { name = '' } = copy.record;
    await remove(portal);
    for (const filename of [name, name.replace('.csv', '_1.csv')])
      await client.upload('/content/users/owner/addItem', Buffer.from('x'), {
        title: 'Other',
        type: 'CSV',
        filename,
      });
    const renamed = name.replace('.csv', '_2.csv');
    expect(await restoreItemCopy(portal, copy)).toEqual({ how: 'added', renamed });
    // An answer that was lost has the copy sent again.
    expect(await restoreItemCopy(portal, copy)).toEqual({ how: 'updated', renamed });
    expect(items.get(csv)).toMatchObject({ name: renamed, title: copy.record.title });
    expect([...items.values()].filter(({ title }) => title === 'Other')).toHaveLength(2);
  });

  it('is recreated in the root when its folder is gone', async () => {
    const { portal, simulator } = await setUp();
    const copy = { ...(await copyOf(portal, csv)), folderId: 'f'.repeat(32) };
    await remove(portal);
    expect(await restoreItemCopy(portal, copy)).toEqual({ how: 'added' });
    expect(simulator.world.items.get(csv)?.ownerFolder).toBeNull();
  });

  it('is unchanged without the right, and keeps its delete protection', async () => {
    const { portal, client, simulator } = await setUp();
    const copy = await copyOf(portal, csv);
    await client.call(item(csv, 'protect'));
    await client.call(item(csv, 'update'), { title: 'Other' });
    const stranger = await failureOf(restoreItemCopy(connect(simulator, 'viewer'), copy));
    expect(stranger).toMatchObject({ code: 'PERMISSION_DENIED' });
    expect(await restoreItemCopy(connect(simulator, 'admin'), copy)).toEqual({ how: 'updated' });
    expect(await readItem(portal, csv)).toMatchObject({
      title: copy.record.title,
      owner: 'owner',
      protected: false,
    });
  });

  it('gets its resources and thumbnail back, and loses later ones', async () => {
    const { portal, client, simulator } = await setUp();
    const files: ItemFile[] = [];
    await client.call(item(csv, 'addResources'), { fileName: 'a.json', resourcesPrefix: 'x/y', text: '{}' });
    const picture = { field: 'thumbnail', name: 'p.gif' };
    await client.upload(item(csv, 'update'), Buffer.from('picture'), {}, picture);
    await client.call(item(csv, 'protect'));
    files.push(...(await listItemFiles(portal, await readItem(portal, csv))));
    expect(files).toEqual([
      { kind: 'resource', path: 'x/y/a.json' },
      { kind: 'thumbnail', path: 'thumbnail/p.gif' },
    ]);
    const saved = await Promise.all(
      files.map(async (file) => {
        const bytes = await buffer((await openItemFile(portal, csv, file))!.body);
        const open = (from: number, to: number) => Readable.from([bytes.subarray(from, to)]);
        return { ...file, bytes, source: { size: bytes.length, open } };
      }),
    );
    const copy = { ...(await copyOf(portal, csv)), files: saved };
    await client.call(item(csv, 'unprotect'));
    await remove(portal);
    for (const end of ['added', 'updated']) {
      expect(await restoreItemCopy(portal, copy)).toEqual({ how: end });
      const now = await readItem(portal, csv);
      expect(now).toMatchObject({ protected: true, thumbnail: 'thumbnail/p.gif' });
      expect(await listItemFiles(portal, now)).toEqual(files);
      for (const { bytes, ...file } of saved)
        expect(await buffer((await openItemFile(portal, csv, file))!.body)).toEqual(bytes);
      await client.call(item(csv, 'addResources'), { fileName: 'later.txt', text: 'later' });
      await client.call(item(csv, 'updateResources'), {
        fileName: 'a.json',
        resourcesPrefix: 'x/y',
        text: '[]',
      });
    }
    await restoreItemCopy(portal, { ...copy, files: [] });
    expect(await listItemFiles(portal, await readItem(portal, csv))).toEqual([]);
    expect(simulator.world.resourcesOf(csv)).toEqual([]);
  });

  it('is not recreated when it is in the recycle bin', async () => {
    const { portal } = await setUp();
    const copy = await copyOf(portal, csv);
    await remove(portal, false);
    expect(await failureOf(restoreItemCopy(portal, copy))).toMatchObject({
      code: 'BAD_REQUEST',
      message: expect.stringContaining('already exists'),
    });
  });

  it.each([
    ['that did not hold it, and of no other', []],
    ["that did not hold it, though the item's own list lacks the group", [transportGroupId]],
  ])('is removed from a group %s', async (_, unlistedGroups) => {
    const { portal, simulator } = await setUp({ unlistedGroups });
    const { items, groups } = simulator.world;
    const other = 'd'.repeat(32);
    groups.put(other, { ...groups.get(transportGroupId)!, id: other });
    items.change(csv, { groups: [other] });
    const copy = { ...(await copyOf(portal, csv)), groups: undefined, notGroups: [transportGroupId] };
    items.change(csv, { groups: [other, transportGroupId], title: 'Other' });
    for (let time = 1; time <= 2; time++) {
      expect(await restoreItemCopy(portal, copy)).toEqual({ how: 'updated' });
      expect(items.get(csv)).toMatchObject({ groups: [other], title: copy.record.title });
    }
    expect(simulator.requests().filter(({ operation }) => operation === 'item.unshare')).toHaveLength(1);
  });

  it('is not added to a group that the portal refuses', async () => {
    const { portal, simulator } = await setUp();
    const groups = ['d'.repeat(32)];
    const copy = { ...(await copyOf(portal, csv)), groups };
    expect(await codeOf(restoreItemCopy(portal, copy))).toBe('PERMISSION_DENIED');
    expect(simulator.world.items.get(csv)?.groups).toEqual([transportGroupId]);
  });
});

const spoilTitle = (client: Client, itemId: string, folderId: string) =>
  client.call(`/content/users/owner/${folderId}/items/${itemId}/update`, { title: 'Other' });
