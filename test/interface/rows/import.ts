import { expect } from '@jest/globals';
import { releaseOrder } from '../../../src/checks/guards/deployment';
import { createFolder, listFolders } from '../../../src/portal/folders';
import { importGroup } from '../../../src/portal/group-import';
import { groupContentPages } from '../../../src/portal/groups';
import { findItem, readItem } from '../../../src/portal/items';
import { formatRows } from '../formats';
import type { Row, Section } from '../row';
import type { Site } from '../site';
import {
  brought,
  carried,
  downloaded,
  exported,
  imported,
  importedBy,
  packageOf,
  uploaded,
} from '../transfers';
import type { World } from '../world';

const operation = 'group.import';
const path = '/community/groups/<groupId>/import';
const csv = { type: 'CSV' };
const existing = /^[0-9a-f]{32}$/;

const address = (groupId: string): string => `/community/groups/${groupId}/import`;

/** A package of some items, on a portal that holds none of them, and an empty group there. */
async function packed(
  world: World,
  items = [csv, csv],
  version?: string,
): Promise<{
  from: Site;
  to: Site;
  ids: readonly string[];
  packageId: string;
  groupId: string;
  title: string;
}> {
  const [from, to] = [await world.at(version), await world.receiving(version)];
  const holding = await from.plant(items);
  const packageId = await brought(from, to, holding);
  const { groupId, title } = await to.plant();
  return { from, to, ids: holding.ids, packageId, groupId, title };
}

const parameters: readonly Row[] = [
  {
    id: 'import.call',
    statement:
      'An import is a POST to the import address of a group, and brings the supported items of a package into it.',
    wire: { operation, method: 'POST', path },
    check: async (world) => {
      const { to, ids, packageId, groupId } = await packed(world);
      expect(importedBy(await imported(to, groupId, packageId)).imported).toEqual(ids);
    },
  },
  {
    id: 'import.postOnly',
    statement: 'A GET of the import address starts nothing.',
    wire: { operation: 'none', method: 'GET', path, errorCode: 404 },
    check: async (world) => {
      const { to, packageId, groupId } = await packed(world);
      const client = await to.raw('owner');
      const answer = await client.get(`${address(groupId)}?f=json&itemId=${packageId}`);
      expect(await answer.json()).toHaveProperty('error');
      expect(to.item(packageId)).toBeDefined();
    },
  },
  {
    id: 'import.multipart',
    statement: 'An import is sent as multipart form data.',
    wire: { operation, body: 'multipart/form-data' },
    check: async (world) => {
      const { to, packageId, groupId } = await packed(world);
      await imported(to, groupId, packageId);
    },
  },
  {
    id: 'import.itemId',
    statement: '`itemId` names the item of the package on the receiving portal, as `addItem` answered it.',
    wire: [{ operation: 'item.add' }, { operation, params: { itemId: existing } }],
    check: async (world) => {
      const { to, packageId, groupId } = await packed(world);
      expect((await imported(to, groupId, packageId)).definition).toMatchObject({ itemId: packageId });
    },
  },
  {
    id: 'import.itemId.required',
    statement: 'Without `itemId` there is no import; _relied on_: error 400.',
    wire: { operation, without: ['itemId'], errorCode: 400 },
    check: async (world) => {
      const site = await world.receiving();
      const { groupId } = await site.plant();
      const client = await site.raw('owner');
      expect(await client.call(address(groupId), { async: 'true' })).toMatchObject({ error: { code: 400 } });
    },
  },
  {
    id: 'import.itemIdList',
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
    id: 'import.itemIdList.absent',
    statement: 'Without `itemIdList` an import takes every supported item of the package.',
    wire: { operation, without: ['itemIdList'] },
    check: async (world) => {
      const { to, ids, packageId, groupId } = await packed(world, [csv, csv, csv]);
      expect(importedBy(await imported(to, groupId, packageId)).imported).toEqual(ids);
    },
  },
  {
    id: 'import.overwriteExistingItems',
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
    id: 'import.overwriteExistingItems.false',
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
    id: 'import.async',
    statement: 'With `async=true` an import goes on after its answer, as a job.',
    wire: [{ operation, params: { async: 'true' } }, { operation: 'job' }],
    check: async (world) => {
      const { to, packageId, groupId } = await packed(world);
      expect((await imported(to, groupId, packageId)).phase).toBe('succeeded');
    },
  },
  {
    id: 'import.defaults',
    statement:
      'What an import does without `previewOnly`, `overwriteExistingItems` and `async` is not told; _relied on_: nothing, since Portolan always sends all three.',
    wire: { operation, params: { previewOnly: 'false', overwriteExistingItems: 'false', async: 'true' } },
    check: async (world) => {
      const { to, packageId, groupId } = await packed(world);
      await imported(to, groupId, packageId);
    },
  },
  {
    id: 'import.folderId',
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
    id: 'import.folderId.before',
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
    id: 'import.folderOwnerUsername',
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
    id: 'import.folderOwnerUsername.before',
    statement: 'Below 10.9 there is no `folderOwnerUsername`, and Portolan leaves it out.',
    wire: { operation, without: ['folderOwnerUsername'], user: 'admin' },
    check: async (world) => {
      const { to, ids, packageId, groupId } = await packed(world, [csv], '10.8.1');
      await imported(to, groupId, packageId, { folderOwnerUsername: 'owner' }, 'admin');
      expect(to.item(ids[0] ?? '')?.owner).toBe('admin');
    },
  },
];

const behaviour: readonly Row[] = [
  {
    id: 'import.uploadsNothing',
    statement: 'An import uploads nothing: a package that is no item of the receiving portal is refused.',
    wire: { operation, errorCode: 400 },
    check: async (world) => {
      const [from, to] = [await world.at(), await world.receiving()];
      const onSource = packageOf(await exported(from, (await from.plant([csv])).groupId));
      const { groupId } = await to.plant();
      await expect(imported(to, groupId, onSource)).rejects.toMatchObject({ name: 'PortolanError' });
    },
  },
  {
    id: 'import.keepsIds',
    statement: 'Imported items have the ids that they had.',
    wire: [{ operation }, { operation: 'item.read' }],
    check: async (world) => {
      const { to, ids, packageId, groupId } = await packed(world);
      for (const id of ids) expect(await findItem(to.as('owner'), id)).toBeUndefined();
      await imported(to, groupId, packageId);
      for (const id of ids) expect(await readItem(to.as('owner'), id)).toMatchObject({ id });
    },
  },
  {
    id: 'import.removesPackage',
    statement: 'After an import that succeeded the item of the package is gone.',
    wire: [{ operation }, { operation: 'item.read', errorCode: 400 }],
    check: async (world) => {
      const { to, packageId, groupId } = await packed(world);
      expect(await findItem(to.as('owner'), packageId)).toBeDefined();
      await imported(to, groupId, packageId);
      expect(await findItem(to.as('owner'), packageId)).toBeUndefined();
    },
  },
  {
    id: 'import.failedKeepsPackage',
    statement: 'After an import that failed as a whole the item of the package is still there (_relied on_).',
    wire: [{ operation }, { operation: 'item.read' }],
    check: async (world) => {
      const { to, ids, packageId, groupId } = await packed(world);
      to.simulator.settings.poison = ids.slice(0, 1);
      try {
        expect((await imported(to, groupId, packageId)).phase).toBe('failed');
      } finally {
        to.simulator.settings.poison = [];
      }
      expect(await findItem(to.as('owner'), packageId)).toBeDefined();
    },
  },
  {
    id: 'import.sameRelease',
    statement: 'A package is imported by a portal of the release that made it.',
    wire: { operation },
    check: async (world) => {
      const { from, to, packageId, groupId } = await packed(world, [csv], '11.1');
      expect((await imported(to, groupId, packageId)).phase).toBe('succeeded');
      expect(releaseOrder(await from.facts(), await to.facts()).verdict).toBe('pass');
    },
  },
  {
    id: 'import.laterRelease',
    statement: 'A package is imported by a portal of a later release than made it.',
    wire: { operation },
    check: async (world) => {
      const [from, to] = [await world.at('10.9.1'), await world.receiving('11.0')];
      expect((await carried(from, to, await from.plant([csv]))).job.phase).toBe('succeeded');
      expect(releaseOrder(await from.facts(), await to.facts()).verdict).toBe('pass');
    },
  },
  {
    id: 'import.earlierRelease',
    statement:
      'A package of a later release is refused by the portal, and by Portolan before anything is exported.',
    wire: { operation, errorCode: 400 },
    check: async (world) => {
      const [from, to] = [await world.at('11.0'), await world.receiving('10.9')];
      await expect(carried(from, to, await from.plant([csv]))).rejects.toMatchObject({ code: 'BAD_REQUEST' });
      const order = releaseOrder(await from.facts(), await to.facts());
      expect(order).toMatchObject({ verdict: 'refuse', code: 'TARGET_OLDER' });
    },
  },
  {
    id: 'import.answer.lists',
    statement:
      'An import with `async=false` answers an object `result` with `itemsImported`, `itemsSkipped` and `itemsFailedImport`.',
    wire: { operation, params: { async: 'false' } },
    check: async (world) => {
      const { to, ids, packageId, groupId } = await packed(world);
      const request = { itemId: packageId, overwriteExistingItems: false, async: false, version: to.version };
      expect(await importGroup(to.as('owner'), groupId, request)).toMatchObject({
        kind: 'lists',
        imported: ids.map((itemId) => ({ itemId })),
        skipped: [],
        failed: [],
      });
      const again = await packed(world, [csv]);
      const client = await again.to.raw('owner');
      const params = { itemId: again.packageId, async: 'false', previewOnly: 'false' };
      expect(await client.call(address(again.groupId), params)).toEqual({
        result: { itemsImported: [{ itemId: again.ids[0] }], itemsSkipped: [], itemsFailedImport: [] },
      });
    },
  },
  {
    id: 'import.answer.job',
    statement: 'An import with `async=true` answers `jobId` and `key`, both of them texts.',
    wire: { operation, params: { async: 'true' } },
    check: async (world) => {
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
    id: 'import.folderOfGroup',
    statement: 'Imported items lie in a folder that is named after the group, in the content of who imports.',
    wire: [{ operation, without: ['folderId'], user: 'owner' }, { operation: 'user.content' }],
    check: async (world) => {
      const { to, ids, packageId, groupId, title } = await packed(world, [csv]);
      await imported(to, groupId, packageId);
      const { owner, ownerFolder } = await readItem(to.as('owner'), ids[0] ?? '');
      const folder = (await listFolders(to.as('owner'), 'owner')).find(({ id }) => id === ownerFolder);
      expect([owner, folder?.title]).toEqual(['owner', title]);
    },
  },
  {
    id: 'import.listedInGroup',
    statement: 'Imported items are listed in the content of the group.',
    wire: [{ operation }, { operation: 'group.content', path: '/content/groups/<groupId>' }],
    check: async (world) => {
      const { to, ids, packageId, groupId } = await packed(world);
      await imported(to, groupId, packageId);
      const listed: string[] = [];
      for await (const page of groupContentPages(to.as('owner'), groupId))
        listed.push(...page.map(({ id }) => id));
      expect(listed).toEqual(ids);
    },
  },
  {
    id: 'import.sharedUpdates',
    statement: 'Import works for a group with shared updates as for any other.',
    wire: { operation },
    check: async (world) => {
      const { to, ids, packageId } = await packed(world);
      const { groupId } = await to.plant([], { capabilities: ['updateitemcontrol'] });
      expect(importedBy(await imported(to, groupId, packageId)).imported).toEqual(ids);
    },
  },
];

export const importSection: Section = {
  title: 'Import',
  rows: [
    ...parameters,
    ...formatRows({
      id: 'import',
      name: 'Import',
      route: operation,
      call: async (world) => {
        const { to, packageId, groupId } = await packed(world, [csv]);
        return {
          site: to,
          user: 'owner',
          path: address(groupId),
          params: { itemId: packageId, async: 'true' },
        };
      },
    }),
    ...behaviour,
  ],
};
