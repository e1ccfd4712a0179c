import { expect } from '@jest/globals';
import { mayTransfer } from '../../../src/domain/transfer/guards/group';
import { addItem } from '../../../src/portal/resources/items/add-item';
import {
  assignCategorySchema,
  deleteCategorySchema,
  readCategorySchema,
} from '../../../src/portal/resources/category-schema';
import { Portal } from '../../../src/portal/client';
import { readJob } from '../../../src/portal/resources/jobs';
import { whoIsSignedIn } from '../../../src/portal/auth/signed-in';
import { updateTaskRun } from '../../../src/portal/resources/tasks';
import type { Row, Section } from '../row';
import type { Site, User } from '../site';
import { brought, exported, imported, startExport } from '../transfers';
import type { World } from '../world';
import { banner } from './settings';
import { writeSettings } from '../../../src/portal/resources/settings';

const who: Readonly<Record<User, string>> = {
  admin: 'an administrator',
  owner: 'the owner of the group',
  viewer: 'a member of the group who does not own it',
  other: 'somebody who is not in the group',
  custom: 'an administrator by a role of the organization',
};

const verdictOn = async (site: Site, groupId: string, user: User): Promise<string> =>
  mayTransfer(await site.facts(user), { id: groupId, owner: 'owner' }).verdict;

/** Who may export and import, and what Portolan says of it beforehand. */
const allowed: readonly (readonly [user: User, expected: string])[] = [
  ['admin', 'pass'],
  ['owner', 'pass'],
];
const denied: readonly (readonly [user: User, expected: string, errorCode: number])[] = [
  ['viewer', 'refuse', 403],
  ['other', 'refuse', 400],
];

async function packageAndGroup(world: World) {
  const [from, site] = [await world.at(), await world.receiving()];
  const packageId = await brought(from, site, await from.plant([{ type: 'CSV' }]));
  // The package is theirs to read, so that only the right to import is in question.
  site.simulator.world.items.change(packageId, { access: 'org' });
  return { site, packageId, groupId: (await site.plant()).groupId };
}

const transfers: readonly Row[] = [
  ...allowed.map(([user, expected]): Row => ({
    statement: `Export is for ${who[user]}.`,
    wire: { operation: 'group.export', user },
    check: async (world) => {
      const site = await world.at();
      const { groupId } = await site.plant([{ type: 'CSV' }]);
      expect((await exported(site, groupId, {}, user)).phase).toBe('succeeded');
      expect(await verdictOn(site, groupId, user)).toBe(expected);
    },
  })),
  ...denied.map(([user, expected, errorCode]): Row => ({
    statement: `Export is not for ${who[user]}; Portolan refuses it before it asks.`,
    wire: { operation: 'group.export', user, errorCode },
    check: async (world) => {
      const site = await world.at();
      const { groupId } = await site.plant([{ type: 'CSV' }]);
      await expect(exported(site, groupId, {}, user)).rejects.toMatchObject({ name: 'PortolanError' });
      expect(await verdictOn(site, groupId, user)).toBe(expected);
    },
  })),
  ...allowed.map(([user, expected]): Row => ({
    statement: `Import is for ${who[user]}.`,
    wire: { operation: 'group.import', user },
    check: async (world) => {
      const { site, packageId, groupId } = await packageAndGroup(world);
      expect((await imported(site, groupId, packageId, {}, user)).phase).toBe('succeeded');
      expect(await verdictOn(site, groupId, user)).toBe(expected);
    },
  })),
  ...denied.map(([user, expected, errorCode]): Row => ({
    statement: `Import is not for ${who[user]}; Portolan refuses it before it asks.`,
    wire: { operation: 'group.import', user, errorCode },
    check: async (world) => {
      const { site, packageId, groupId } = await packageAndGroup(world);
      await expect(imported(site, groupId, packageId, {}, user)).rejects.toMatchObject({
        name: 'PortolanError',
      });
      expect(await verdictOn(site, groupId, user)).toBe(expected);
    },
  })),
  {
    statement: `Whether ${who.custom} counts is not told; _relied on_: the portal decides, and Portolan says so beforehand.`,
    wire: { operation: 'group.export', user: 'custom', errorCode: 403 },
    check: async (world) => {
      const site = await world.at();
      const { groupId } = await site.plant([{ type: 'CSV' }]);
      await expect(exported(site, groupId, {}, 'custom')).rejects.toMatchObject({
        code: 'PERMISSION_DENIED',
      });
      expect(await verdictOn(site, groupId, 'custom')).toBe('unknown');
    },
  },
];

const jobs: readonly Row[] = [
  {
    statement: 'An administrator looks a job up by its id alone.',
    wire: { operation: 'job', user: 'admin', without: ['key'] },
    check: async (world) => {
      const site = await world.at();
      const { jobId } = await startExport(site, (await site.plant([{ type: 'CSV' }])).groupId);
      expect((await readJob(site.as('admin'), site.orgId, jobId, {})).id).toBe(jobId);
    },
  },
  {
    statement:
      'A group owner who is no administrator adds the query parameter `key`, which the start of the job answered.',
    wire: { operation: 'job', method: 'GET', user: 'owner', params: { key: '***' } },
    check: async (world) => {
      const site = await world.at();
      const { jobId, key } = await startExport(site, (await site.plant([{ type: 'CSV' }])).groupId);
      expect((await readJob(site.as('owner'), site.orgId, jobId, { key })).id).toBe(jobId);
    },
  },
  {
    statement: 'Without this key such an owner is refused.',
    wire: { operation: 'job', user: 'owner', without: ['key'], errorCode: 403 },
    check: async (world) => {
      const site = await world.at();
      const { jobId } = await startExport(site, (await site.plant([{ type: 'CSV' }])).groupId);
      await expect(readJob(site.as('owner'), site.orgId, jobId, {})).rejects.toMatchObject({
        code: 'PERMISSION_DENIED',
      });
    },
  },
  {
    statement: 'The key of another job does not do.',
    wire: { operation: 'job', user: 'owner', params: { key: '***' }, errorCode: 403 },
    check: async (world) => {
      const site = await world.at();
      const { groupId } = await site.plant([{ type: 'CSV' }]);
      const [one, two] = [await startExport(site, groupId), await startExport(site, groupId)];
      await expect(readJob(site.as('owner'), site.orgId, one.jobId, { key: two.key })).rejects.toMatchObject({
        code: 'PERMISSION_DENIED',
      });
    },
  },
];

async function schemaSurvives(world: World, user: User): Promise<void> {
  const site = await world.at();
  const trees = [{ title: 'Categories' }];
  await assignCategorySchema(site.as('admin'), site.orgId, trees);
  await expect(deleteCategorySchema(site.as(user), site.orgId)).rejects.toMatchObject({ code: 'NOT_FOUND' });
  expect(await readCategorySchema(site.as('admin'), site.orgId)).toEqual(trees);
}

const administration: readonly Row[] = [
  {
    statement: 'A full administrator of the organization removes its category schema.',
    wire: { operation: 'categorySchema.delete', user: 'admin' },
    check: async (world) => {
      const site = await world.at();
      await assignCategorySchema(site.as('admin'), site.orgId, [{ title: 'Categories' }]);
      await deleteCategorySchema(site.as('admin'), site.orgId);
    },
  },
  ...(['custom', 'owner', 'viewer'] as const).map((user): Row => ({
    statement: `The category schema is not removed for ${{ custom: who.custom, owner: 'a publisher', viewer: 'a viewer' }[user]}: to them it is inaccessible.`,
    wire: { operation: 'categorySchema.delete', user, errorCode: 404 },
    check: (world) => schemaSurvives(world, user),
  })),
  {
    statement: 'Which right the settings need is not told; _relied on_: that of an administrator.',
    wire: [
      { operation: 'settings.update', user: 'admin' },
      { operation: 'settings.update', user: 'owner', errorCode: 403 },
    ],
    check: async (world) => {
      const site = await world.at();
      const objects = { informationalBanner: banner };
      const holder = { version: site.version, isPortal: true };
      await writeSettings(site.as('admin'), site.orgId, objects, holder);
      await expect(writeSettings(site.as('owner'), site.orgId, objects, holder)).rejects.toMatchObject({
        code: 'PERMISSION_DENIED',
      });
    },
  },
  {
    statement:
      'Which right a task run needs is not told; _relied on_: its user and administrators may change it.',
    wire: [
      { operation: 'taskRun.update', user: 'owner' },
      { operation: 'taskRun.update', user: 'admin' },
      { operation: 'taskRun.update', user: 'other', errorCode: 403 },
    ],
    check: async (world) => {
      const site = await world.at();
      const request = { ...site.task(), status: 'succeeded', result: '' } as const;
      await updateTaskRun(site.as('owner'), request);
      await updateTaskRun(site.as('admin'), request);
      await expect(updateTaskRun(site.as('other'), request)).rejects.toMatchObject({
        code: 'PERMISSION_DENIED',
      });
    },
  },
  {
    statement:
      'Which right `addItem` needs is not told; _relied on_: everybody adds to their own content, administrators to that of others.',
    wire: [
      { operation: 'item.add', user: 'owner' },
      { operation: 'item.add', user: 'admin' },
      { operation: 'item.add', user: 'other', errorCode: 403 },
    ],
    check: async (world) => {
      const site = await world.at();
      const item = { username: 'owner', params: { title: 'x', type: 'CSV', text: '1' } };
      await addItem(site.as('owner'), item);
      await addItem(site.as('admin'), item);
      await expect(addItem(site.as('other'), item)).rejects.toMatchObject({ code: 'PERMISSION_DENIED' });
    },
  },
];

const identity: readonly Row[] = [
  {
    statement:
      'How a request proves who sends it is not told; _relied on_: by a token for name and password, in a header and never in an address.',
    wire: [
      { operation: 'token.generate', method: 'POST', params: { password: '***' } },
      { operation: 'community.self', tokenBy: 'header', user: 'other' },
    ],
    check: async (world) => {
      const site = await world.at();
      const secret = () => Promise.resolve('other-pw');
      const auth = { type: 'password', username: 'other', secret } as const;
      const portal = new Portal({ name: 'fresh', url: site.simulator.url, auth });
      try {
        expect(await whoIsSignedIn(portal)).toBe('other');
      } finally {
        await portal.close();
      }
    },
  },
  {
    statement: 'A token that does not hold is refused; _relied on_: error 498, which Portolan tells as such.',
    wire: { operation: 'community.self', errorCode: 498 },
    check: async (world) => {
      const site = await world.at();
      const auth = { type: 'token', secret: () => Promise.resolve('made-up') } as const;
      const portal = new Portal({ name: 'fresh', url: site.simulator.url, auth });
      try {
        await expect(whoIsSignedIn(portal)).rejects.toMatchObject({ code: 'TOKEN_REFUSED' });
      } finally {
        await portal.close();
      }
    },
  },
];

export const authenticationSection: Section = {
  title: 'Who may do what',
  rows: [...transfers, ...jobs, ...administration, ...identity],
};
