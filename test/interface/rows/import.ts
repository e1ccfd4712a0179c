import { expect } from '@jest/globals';
import { createFolder, listFolders } from '../../../src/portal/resources/folders';
import { findItem, readItem } from '../../../src/portal/resources/items/items';
import type { Row, Section } from '../row';
import { downloaded, imported, importedBy, uploaded } from '../transfers';
import { importBehavior } from './import-behavior';
import { csv, packed } from './packed';

const operation = 'group.import';
const path = '/community/groups/<groupId>/import';
const existing = /^[0-9a-f]{32}$/;

const parameters: readonly Row[] = [
  {
    statement:
      'An import is a POST to the import address of a group, and brings the supported items of a package into it.',
    wire: { operation, method: 'POST', path },
    check: async (world) => {
      const { to, ids, packageId, groupId } = await packed(world);
      expect(importedBy(await imported(to, groupId, packageId)).imported).toEqual(ids);
    },
  },
  {
    statement: 'An import is sent as multipart form data.',
    wire: { operation, body: 'multipart/form-data' },
    check: async (world) => {
      const { to, packageId, groupId } = await packed(world);
      await imported(to, groupId, packageId);
    },
  },
  {
    statement: '`itemId` names the item of the package on the receiving portal, as `addItem` answered it.',
    wire: [{ operation: 'item.add' }, { operation, params: { itemId: existing } }],
    check: async (world) => {
      const { to, ids, packageId, groupId } = await packed(world);
      expect(importedBy(await imported(to, groupId, packageId)).imported).toEqual(ids);
    },
  },
  {
    statement:
      '`itemIdList` names, with commas, the items of the package that an import takes; the others stay out.',
    wire: { operation, params: { itemIdList: /^[0-9a-f]{32},[0-9a-f]{32}$/ } },
    check: async (world) => {
      const { to, ids, packageId, groupId } = await packed(world, [csv, csv, csv]);
      const job = await imported(to, groupId, packageId, { itemIdList: ids.slice(1) });
      expect(importedBy(job).imported).toEqual(ids.slice(1));
      expect(await findItem(to.as('owner'), ids[0] ?? '')).toBeUndefined();
    },
  },
  {
    statement: 'Without `itemIdList` an import takes every supported item of the package.',
    wire: { operation, without: ['itemIdList'] },
    check: async (world) => {
      const { to, ids, packageId, groupId } = await packed(world, [csv, csv, csv]);
      expect(importedBy(await imported(to, groupId, packageId)).imported).toEqual(ids);
    },
  },
  {
    statement: 'With `overwriteExistingItems=true` what exists already becomes what the package holds.',
    wire: { operation, params: { overwriteExistingItems: 'true' } },
    check: async (world) => {
      const { from, to, ids, packageId, groupId } = await packed(world, [csv]);
      const bytes = await downloaded(to, packageId);
      await imported(to, groupId, packageId);
      to.simulator.world.items.change(ids[0] ?? '', { title: 'Changed here' });
      await imported(to, groupId, await uploaded(to, bytes), { overwriteExistingItems: true });
      expect(to.item(ids[0] ?? '')?.title).toBe(from.item(ids[0] ?? '')?.title);
    },
  },
  {
    statement:
      'With `overwriteExistingItems=false` what exists already stays as it is; _relied on_: it is listed as skipped.',
    wire: { operation, params: { overwriteExistingItems: 'false' } },
    check: async (world) => {
      const { to, ids, packageId, groupId } = await packed(world, [csv]);
      const bytes = await downloaded(to, packageId);
      await imported(to, groupId, packageId);
      to.simulator.world.items.change(ids[0] ?? '', { title: 'Changed here' });
      expect(importedBy(await imported(to, groupId, await uploaded(to, bytes))).skipped).toEqual(ids);
      expect(to.item(ids[0] ?? '')?.title).toBe('Changed here');
    },
  },
  {
    statement: 'With `async=true` an import goes on after its answer, as a job.',
    wire: [{ operation, params: { async: 'true' } }, { operation: 'job' }],
    check: async (world) => {
      const { to, packageId, groupId } = await packed(world);
      expect((await imported(to, groupId, packageId)).phase).toBe('succeeded');
    },
  },
  {
    statement:
      'What an import does without `previewOnly`, `overwriteExistingItems` and `async` is not told; _relied on_: nothing, since Portolan always sends all three.',
    wire: { operation, params: { previewOnly: 'false', overwriteExistingItems: 'false', async: 'true' } },
    check: async (world) => {
      const { to, packageId, groupId } = await packed(world);
      await imported(to, groupId, packageId);
    },
  },
  {
    statement: 'From 10.9 on `folderId` names the folder that imported items lie in.',
    wire: { operation, params: { folderId: existing } },
    check: async (world) => {
      const { to, ids, packageId, groupId } = await packed(world, [csv], '10.9');
      const { folder } = await createFolder(to.as('owner'), {
        username: 'owner',
        title: `Folder of ${groupId}`,
      });
      await imported(to, groupId, packageId, { folderId: folder.id });
      expect((await readItem(to.as('owner'), ids[0] ?? '')).ownerFolder).toBe(folder.id);
    },
  },
  {
    statement: 'Below 10.9 there is no `folderId`, and Portolan leaves it out.',
    wire: { operation, without: ['folderId'] },
    check: async (world) => {
      const { to, ids, packageId, groupId, title } = await packed(world, [csv], '10.8.1');
      const { folder } = await createFolder(to.as('owner'), {
        username: 'owner',
        title: `Folder of ${groupId}`,
      });
      await imported(to, groupId, packageId, { folderId: folder.id });
      const lies = (await listFolders(to.as('owner'), 'owner')).find(
        ({ id }) => id === to.item(ids[0] ?? '')?.ownerFolder,
      );
      expect(lies?.title).toBe(title);
    },
  },
  {
    statement:
      'From 10.9 on `folderOwnerUsername` says whose folder it is, for an administrator who imports for others.',
    wire: { operation, params: { folderId: existing, folderOwnerUsername: 'owner' }, user: 'admin' },
    check: async (world) => {
      const { to, ids, packageId, groupId } = await packed(world, [csv], '10.9');
      const { folder } = await createFolder(to.as('owner'), {
        username: 'owner',
        title: `Folder of ${groupId}`,
      });
      await imported(to, groupId, packageId, { folderId: folder.id, folderOwnerUsername: 'owner' }, 'admin');
      expect(to.item(ids[0] ?? '')).toMatchObject({ owner: 'owner', ownerFolder: folder.id });
    },
  },
  {
    statement: 'Below 10.9 there is no `folderOwnerUsername`, and Portolan leaves it out.',
    wire: { operation, without: ['folderOwnerUsername'], user: 'admin' },
    check: async (world) => {
      const { to, ids, packageId, groupId } = await packed(world, [csv], '10.8.1');
      await imported(to, groupId, packageId, { folderOwnerUsername: 'owner' }, 'admin');
      expect(to.item(ids[0] ?? '')?.owner).toBe('admin');
    },
  },
];

export const importSection: Section = {
  title: 'Import',
  rows: [...parameters, ...importBehavior],
};
