import { expect } from '@jest/globals';
import { releaseOrder } from '../../../src/domain/transfer/guards/portal';
import { createFolder, listFolders } from '../../../src/portal/resources/folders';
import { importGroup } from '../../../src/portal/resources/group-import';
import { groupContentPages } from '../../../src/portal/resources/groups';
import { findItem, readItem } from '../../../src/portal/resources/items/items';
import type { Row, Section } from '../row';
import {
  carried,
  csv,
  downloaded,
  exported,
  imported,
  importedBy,
  packageOf,
  packed,
  uploaded,
} from '../transfers';
import type { World } from '../world';

const operation = 'group.import';
const id = /^[0-9a-f]{32}$/;

/** Imports a package twice, its item changed in between. */
async function importedTwice(world: World, overwriteExistingItems: boolean) {
  const { from, to, ids, packageId, groupId, bring } = await packed(world, [csv]);
  const itemId = ids[0] ?? '';
  const bytes = await downloaded(to, packageId);
  await bring();
  to.simulator.world.items.change(itemId, { title: 'Changed here' });
  const job = await imported(to, groupId, await uploaded(to, bytes), { overwriteExistingItems });
  return { lists: importedBy(job), itemId, title: to.item(itemId)?.title, was: from.item(itemId)?.title };
}

/** Imports into a folder. @returns where the item is, and the folders of the owner */
async function importedIntoFolder(world: World, release: string, user: 'owner' | 'admin') {
  const { to, ids, groupId, title, bring } = await packed(world, [csv], release);
  const { folder } = await createFolder(to.as('owner'), { username: 'owner', title: `Of ${groupId}` });
  const place = { folderId: folder.id, folderOwnerUsername: 'owner' };
  await bring(place, user);
  const { owner, ownerFolder } = to.item(ids[0] ?? '')!;
  const found = (await listFolders(to.as('admin'), owner)).find(({ id }) => id === ownerFolder);
  return { owner, folder: found?.title, wanted: folder.title, group: title };
}

const parameters: readonly Row[] = [
  {
    statement: 'Starts an import by a multipart POST, as a job with `jobId` and `key`.',
    wire: {
      operation,
      method: 'POST',
      path: '/community/groups/<groupId>/import',
      body: 'multipart/form-data',
      params: { itemId: id, previewOnly: 'false', overwriteExistingItems: 'false', async: 'true' },
    },
    check: async (_site, world) => {
      const { to, packageId, groupId } = await packed(world);
      const request = { itemId: packageId, overwriteExistingItems: false, async: true, version: to.version };
      expect(await importGroup(to.as('owner'), groupId, request)).toEqual({
        kind: 'job',
        jobId: expect.stringMatching(/./),
        key: expect.stringMatching(/./),
      });
    },
  },
  {
    statement: 'Imports the items in `itemIdList`.',
    wire: { operation, params: { itemIdList: /^[0-9a-f]{32},[0-9a-f]{32}$/ } },
    check: async (_site, world) => {
      const { to, ids, bring } = await packed(world, [csv, csv, csv]);
      const job = await bring({ itemIdList: ids.slice(1) });
      expect(importedBy(job).imported).toEqual(ids.slice(1));
      expect(await findItem(to.as('owner'), ids[0] ?? '')).toBeUndefined();
    },
  },
  {
    statement: 'Imports each item without `itemIdList`, under its ID, and lists it.',
    wire: [
      { operation, without: ['itemIdList'] },
      { operation: 'item.read' },
      { operation: 'group.content', path: '/content/groups/<groupId>' },
    ],
    check: async (_site, world) => {
      const { to, ids, groupId, bring } = await packed(world);
      for (const each of ids) expect(await findItem(to.as('owner'), each)).toBeUndefined();
      expect(importedBy(await bring()).imported).toEqual(ids);
      for (const each of ids) expect(await readItem(to.as('owner'), each)).toMatchObject({ id: each });
      const listed: string[] = [];
      for await (const page of groupContentPages(to.as('owner'), groupId))
        listed.push(...page.map((item) => item.id));
      expect(listed).toEqual(ids);
    },
  },
  {
    statement: 'Overwrites existing items with `overwriteExistingItems=true`.',
    wire: { operation, params: { overwriteExistingItems: 'true' } },
    check: async (_site, world) => {
      const { title, was } = await importedTwice(world, true);
      expect(title).toBe(was);
    },
  },
  {
    statement: 'Skips existing items with `overwriteExistingItems=false`.',
    wire: { operation, params: { overwriteExistingItems: 'false' } },
    check: async (_site, world) => {
      const { lists, itemId, title } = await importedTwice(world, false);
      expect([lists.skipped, title]).toEqual([[itemId], 'Changed here']);
    },
  },
  {
    statement: 'Imports into `folderId` of `folderOwnerUsername` from 10.9 on.',
    wire: { operation, params: { folderId: id, folderOwnerUsername: 'owner' }, user: 'admin' },
    check: async (_site, world) => {
      const { owner, folder, wanted } = await importedIntoFolder(world, '10.9', 'admin');
      expect([owner, folder]).toEqual(['owner', wanted]);
    },
  },
  {
    statement: "Imports into the importer's folder named after the group below 10.9.",
    wire: { operation, without: ['folderId', 'folderOwnerUsername'], user: 'admin' },
    check: async (_site, world) => {
      const { owner, folder, group } = await importedIntoFolder(world, '10.8.1', 'admin');
      expect([owner, folder]).toEqual(['admin', group]);
    },
  },
];

const behavior: readonly Row[] = [
  {
    statement: 'Refuses a package that is not an item of the target.',
    wire: { operation, errorCode: 400 },
    check: async (from, world) => {
      const to = await world.receiving();
      const onSource = packageOf(await exported(from, (await from.plant([csv])).groupId));
      const { groupId } = await to.plant();
      await expect(imported(to, groupId, onSource)).rejects.toMatchObject({ name: 'PortolanError' });
    },
  },
  {
    statement: 'Deletes the package after an import that succeeded, not one that failed.',
    wire: [{ operation }, { operation: 'item.read' }, { operation: 'item.read', errorCode: 400 }],
    check: async (_site, world) => {
      const { to, ids, packageId, bring } = await packed(world);
      const failing = ids.slice(0, 1);
      const job = await to.set({ failing }, () => bring());
      expect(job.phase).toBe('failed');
      expect(await findItem(to.as('owner'), packageId)).toBeDefined();
      await bring();
      expect(await findItem(to.as('owner'), packageId)).toBeUndefined();
    },
  },
  ...[
    ['11.1', '11.1'],
    ['10.9.1', '11.0'],
  ].map(([source, target]): Row => ({
    statement: `Imports a package of ${source} at ${target}.`,
    wire: { operation },
    check: async (_site, world) => {
      const [from, to] = [await world.at(source), await world.receiving(target)];
      expect((await carried(from, to, await from.plant([csv]))).phase).toBe('succeeded');
      expect(releaseOrder(await from.facts(), await to.facts()).verdict).toBe('pass');
    },
  })),
  {
    statement: 'Refuses a package of a later release, as **Portolan** does beforehand.',
    wire: { operation, errorCode: 400 },
    check: async (_site, world) => {
      const [from, to] = [await world.at('11.0'), await world.receiving('10.9')];
      await expect(carried(from, to, await from.plant([csv]))).rejects.toMatchObject({ code: 'BAD_REQUEST' });
      const order = releaseOrder(await from.facts(), await to.facts());
      expect(order).toMatchObject({ verdict: 'refuse', code: 'TARGET_OLDER' });
    },
  },
  {
    statement: 'Imports into a group with shared update like any other.',
    wire: { operation },
    check: async (_site, world) => {
      const { to, ids, packageId } = await packed(world);
      const { groupId } = await to.plant([], { capabilities: ['updateitemcontrol'] });
      expect(importedBy(await imported(to, groupId, packageId)).imported).toEqual(ids);
    },
  },
];

export const importSection: Section = { title: 'Import', rows: [...parameters, ...behavior] };
