import { expect } from '@jest/globals';
import { releaseOrder } from '../../../src/domain/transfer/guards/portal';
import { listFolders } from '../../../src/portal/resources/folders';
import { importGroup } from '../../../src/portal/resources/group-import';
import { groupContentPages } from '../../../src/portal/resources/groups';
import { findItem, readItem } from '../../../src/portal/resources/items/items';
import type { Row } from '../row';
import { carried, exported, imported, importedBy, packageOf } from '../transfers';
import { csv, packed } from './packed';

const operation = 'group.import';

/** What an import does beyond its parameters. */
export const importBehavior: readonly Row[] = [
  {
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
    statement: 'After an import that failed as a whole the item of the package is still there (_relied on_).',
    wire: [{ operation }, { operation: 'item.read' }],
    check: async (world) => {
      const { to, ids, packageId, groupId } = await packed(world);
      to.simulator.settings.failing = ids.slice(0, 1);
      try {
        expect((await imported(to, groupId, packageId)).phase).toBe('failed');
      } finally {
        to.simulator.settings.failing = [];
      }
      expect(await findItem(to.as('owner'), packageId)).toBeDefined();
    },
  },
  {
    statement: 'A package is imported by a portal of the release that made it.',
    wire: { operation },
    check: async (world) => {
      const { from, to, packageId, groupId } = await packed(world, [csv], '11.1');
      expect((await imported(to, groupId, packageId)).phase).toBe('succeeded');
      expect(releaseOrder(await from.facts(), await to.facts()).verdict).toBe('pass');
    },
  },
  {
    statement: 'A package is imported by a portal of a later release than made it.',
    wire: { operation },
    check: async (world) => {
      const [from, to] = [await world.at('10.9.1'), await world.receiving('11.0')];
      expect((await carried(from, to, await from.plant([csv]))).job.phase).toBe('succeeded');
      expect(releaseOrder(await from.facts(), await to.facts()).verdict).toBe('pass');
    },
  },
  {
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
    statement: 'Import works for a group with shared updates as for any other.',
    wire: { operation },
    check: async (world) => {
      const { to, ids, packageId } = await packed(world);
      const { groupId } = await to.plant([], { capabilities: ['updateitemcontrol'] });
      expect(importedBy(await imported(to, groupId, packageId)).imported).toEqual(ids);
    },
  },
];
