import { expect } from '@jest/globals';
import { mayTransfer } from '../../../src/domain/transfer/guards/group';
import { whoIsSignedIn } from '../../../src/portal/auth/signed-in';
import type { PortalOptions } from '../../../src/portal/client';
import {
  assignCategorySchema,
  deleteCategorySchema,
  readCategorySchema,
} from '../../../src/portal/resources/category-schema';
import { addItem } from '../../../src/portal/resources/items/add-item';
import { readJob } from '../../../src/portal/resources/jobs';
import { writeSettings } from '../../../src/portal/resources/settings';
import { updateTaskRun } from '../../../src/portal/resources/tasks';
import { connect } from '../../simulator/harness';
import type { Row, Section } from '../row';
import type { Site, User } from '../site';
import { brought, csv, exported, imported, startExport } from '../transfers';
import type { World } from '../world';
import { banner } from './settings';

const denied = { code: 'PERMISSION_DENIED' };

/** Who may export and import, and what Portolan expects of it. */
const transferRights: readonly (readonly [
  user: User,
  who: string,
  verdict: 'pass' | 'refuse' | 'unknown',
  errorCode?: number,
])[] = [
  ['admin', 'administrators', 'pass'],
  ['owner', "the group's owner", 'pass'],
  ['viewer', 'members of the group', 'refuse', 403],
  ['other', 'users outside the group', 'refuse', 400],
  ['custom', 'administrators by a custom role', 'unknown', 403],
];

async function transferAs(world: World, operation: 'export' | 'import', user: User) {
  const [from, to] = [await world.at(), await world.receiving()];
  const source = await from.plant([csv]);
  if (operation === 'export')
    return {
      verdict: await verdictOn(from, source.groupId, user),
      job: exported(from, source.groupId, {}, user),
    };
  const packageId = await brought(from, to, source);
  // The package is readable, so that only the right to import is in question.
  to.simulator.world.items.change(packageId, { access: 'org' });
  const { groupId } = await to.plant();
  return { verdict: await verdictOn(to, groupId, user), job: imported(to, groupId, packageId, {}, user) };
}

const verdictOn = async (site: Site, groupId: string, user: User): Promise<string> =>
  mayTransfer(await site.facts(user), { id: groupId, owner: 'owner' }).verdict;

const transfers = (['export', 'import'] as const).flatMap((operation) =>
  transferRights.map(([user, who, verdict, errorCode]): Row => ({
    statement: `${errorCode ? 'Refuses' : 'Accepts'} an ${operation} by ${who}.`,
    wire: { operation: `group.${operation}`, user, ...(errorCode && { errorCode }) },
    check: async (_site, world) => {
      const outcome = await transferAs(world, operation, user);
      if (errorCode) await expect(outcome.job).rejects.toMatchObject({ name: 'PortolanError' });
      else expect((await outcome.job).phase).toBe('succeeded');
      expect(outcome.verdict).toBe(verdict);
    },
  })),
);

const jobs: readonly Row[] = [
  {
    statement: 'Shows a job to administrators by its ID, to others by its `key` too.',
    wire: [
      { operation: 'job', user: 'admin', without: ['key'] },
      { operation: 'job', method: 'GET', user: 'owner', params: { key: '***' } },
    ],
    check: async (site) => {
      const { jobId, key } = await startExport(site, (await site.plant([csv])).groupId);
      expect((await readJob(site.as('admin'), site.orgId, jobId, {})).id).toBe(jobId);
      expect((await readJob(site.as('owner'), site.orgId, jobId, { key })).id).toBe(jobId);
    },
  },
  {
    statement: "Refuses a job to its owner without its key, or with another job's.",
    wire: [
      { operation: 'job', user: 'owner', without: ['key'], errorCode: 403 },
      { operation: 'job', user: 'owner', params: { key: '***' }, errorCode: 403 },
    ],
    check: async (site) => {
      const { groupId } = await site.plant([csv]);
      const [{ jobId }, { key }] = [await startExport(site, groupId), await startExport(site, groupId)];
      const read = (options: { key?: string | undefined }) =>
        readJob(site.as('owner'), site.orgId, jobId, options);
      await expect(read({})).rejects.toMatchObject(denied);
      await expect(read({ key })).rejects.toMatchObject(denied);
    },
  },
];

/** A call that some users may make; the others are refused. */
const right = (
  statement: string,
  operation: string,
  users: { readonly may: readonly User[]; readonly mayNot: readonly User[]; readonly errorCode?: number },
  prepare: (site: Site) => Promise<(user: User) => Promise<unknown>>,
): Row => {
  const { may, mayNot, errorCode = 403 } = users;
  return {
    statement,
    wire: [
      ...may.map((user) => ({ operation, user })),
      ...mayNot.map((user) => ({ operation, user, errorCode })),
    ],
    check: async (site) => {
      const call = await prepare(site);
      const code = errorCode === 403 ? 'PERMISSION_DENIED' : 'NOT_FOUND';
      for (const user of mayNot) await expect(call(user)).rejects.toMatchObject({ code });
      for (const user of may) await call(user);
    },
  };
};

const administration: readonly Row[] = [
  right(
    'Lets only full administrators delete the category schema.',
    'categorySchema.delete',
    { may: ['admin'], mayNot: ['custom', 'owner', 'viewer'], errorCode: 404 },
    async (site) => {
      const trees = [{ title: 'Categories' }];
      await assignCategorySchema(site.as('admin'), site.orgId, trees);
      return async (user) => {
        expect(await readCategorySchema(site.as('admin'), site.orgId)).toEqual(trees);
        await deleteCategorySchema(site.as(user), site.orgId);
      };
    },
  ),
  right(
    'Lets only administrators change settings.',
    'settings.update',
    { may: ['admin'], mayNot: ['owner'] },
    (site) =>
      Promise.resolve((user) => {
        const holder = { version: site.version, isPortal: true };
        return writeSettings(site.as(user), site.orgId, { informationalBanner: banner }, holder);
      }),
  ),
  right(
    'Lets only its user and administrators change a task run.',
    'taskRun.update',
    { may: ['owner', 'admin'], mayNot: ['other'] },
    (site) => {
      const run = { ...site.task(), status: 'succeeded', result: '' } as const;
      return Promise.resolve((user) => updateTaskRun(site.as(user), run));
    },
  ),
  right(
    'Lets users add items to their own content, administrators to any.',
    'item.add',
    { may: ['owner', 'admin'], mayNot: ['other'] },
    (site) => {
      const item = { username: 'owner', params: { title: 'x', type: 'CSV', text: '1' } };
      return Promise.resolve((user) => addItem(site.as(user), item));
    },
  ),
];

const signedIn = async (world: World, options: Partial<PortalOptions> = {}) =>
  await whoIsSignedIn(connect((await world.at()).simulator, 'other', options));

const identity: readonly Row[] = [
  {
    statement: 'Identifies the caller by a token in a header.',
    wire: [
      { operation: 'token.generate', method: 'POST', params: { password: '***' } },
      { operation: 'community.self', tokenBy: 'header', user: 'other' },
    ],
    check: async (_site, world) => expect(await signedIn(world)).toBe('other'),
  },
  {
    statement: 'Refuses an invalid token with error 498.',
    wire: { operation: 'community.self', errorCode: 498 },
    check: async (_site, world) => {
      const auth = { type: 'token', secret: () => Promise.resolve('made-up') } as const;
      await expect(signedIn(world, { auth })).rejects.toMatchObject({ code: 'TOKEN_REFUSED' });
    },
  },
];

export const authenticationSection: Section = {
  title: 'Rights',
  rows: [...transfers, ...jobs, ...administration, ...identity],
};
