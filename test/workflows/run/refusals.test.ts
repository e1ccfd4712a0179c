import { afterEach, describe, expect, it } from '@jest/globals';
import { meaningOf, type ErrorCode } from '../../../src/model/errors/error-codes';
import {
  transportGroupId,
  transportItems,
  transportTargetGroupId,
} from '../../../src/simulator/seed/transport';
import { isLong } from '../../support/long';
import { Rehearsal, type RehearsalOptions } from '../../support/rehearsal';

let rehearsal: Rehearsal;
afterEach(() => rehearsal.close());

interface Case {
  readonly title: string;
  readonly options?: RehearsalOptions;
  readonly prepare?: () => Promise<void> | void;
  readonly flags?: Parameters<Rehearsal['route']>[0];
  readonly change?: Parameters<Rehearsal['route']>[1];
  readonly code: ErrorCode;
  readonly exit: number;
  readonly says: RegExp;
  /** Only `npm run test:faults` tries it, as a run; each guard has tests of its own. @default false */
  readonly isLong?: boolean;
}

const strangers = 'f00000000000000000000000000000ff';

const cases: readonly Case[] = [
  {
    title: 'a wrong password',
    options: { user: { username: 'owner', password: 'wrong' } },
    code: 'CREDENTIALS_REFUSED',
    exit: 12,
    says: /refused the sign-in: Unable to generate token/,
  },
  {
    title: 'an unknown source group',
    options: { groups: { source: strangers, target: transportTargetGroupId } },
    code: 'GROUP_NOT_FOUND',
    exit: 10,
    says: /staging has no group f0+ff that/,
    isLong: true,
  },
  {
    title: 'an unknown target group',
    options: { groups: { source: transportGroupId, target: strangers } },
    code: 'GROUP_NOT_FOUND',
    exit: 10,
    says: /production has no group f0+ff that/,
    isLong: true,
  },
  {
    title: 'an account that neither owns the group nor administers the portal',
    options: { user: { username: 'viewer', password: 'viewer-pw' } },
    code: 'NOT_OWNER_OR_ADMIN',
    exit: 12,
    says: /viewer is not an administrator/,
  },
  {
    title: 'a target older than the source',
    options: { source: { version: '11.4' }, target: { version: '11.2' } },
    code: 'TARGET_OLDER',
    exit: 1,
    says: /production runs 11\.2, older than 11\.4/,
  },
  {
    title: 'a hosted portal',
    options: { source: { deployment: 'hosted' } },
    code: 'NOT_SELF_MANAGED',
    exit: 1,
    says: /staging is ArcGIS Online/,
    isLong: true,
  },
  {
    title: 'a read-only target',
    options: { target: { readOnly: true } },
    code: 'TARGET_READ_ONLY',
    exit: 1,
    says: /production is read-only/,
    isLong: true,
  },
  {
    title: 'too little disk on the source',
    options: {
      source: { version: '11.3', freeGb: 4 },
      target: { version: '11.4' },
      user: { username: 'admin', password: 'admin-pw' },
    },
    code: 'DISK_FULL',
    exit: 1,
    says: /disk on staging: 4 GB free/,
    isLong: true,
  },
  {
    title: 'too little disk on the target',
    options: { target: { freeGb: 4 }, user: { username: 'admin', password: 'admin-pw' } },
    code: 'DISK_FULL',
    exit: 1,
    says: /disk on production: 4 GB free/,
    isLong: true,
  },
  {
    title: 'enough disk on the target for its import and too little for the package beside it',
    options: { target: { freeGb: 10 }, user: { username: 'admin', password: 'admin-pw' } },
    code: 'DISK_FULL',
    exit: 1,
    says: /needed: \d+ bytes free in the content store: 10 GB that the portal keeps free, .* for the package/,
    isLong: true,
  },
  {
    title: 'an item over the limit',
    change: { limits: { packageBytes: 5e9, itemBytes: 1e6, freeDiskBytes: 1 } },
    code: 'ITEM_TOO_LARGE',
    exit: 1,
    says: /"Aerial, north"/,
  },
  {
    title: 'an item over the limit of a package',
    change: { limits: { packageBytes: 1e6, itemBytes: 1e9, freeDiskBytes: 1 } },
    code: 'PACKAGE_TOO_LARGE',
    exit: 1,
    says: /package size: "Aerial, north": 1 MB/,
    isLong: true,
  },
  {
    title: 'an item that is not in the group',
    flags: { items: [transportItems.map, strangers] },
    code: 'ITEM_NOT_IN_GROUP',
    exit: 10,
    says: new RegExp(strangers),
    isLong: true,
  },
  {
    title: 'every export failed',
    options: { source: { failExport: Object.values(transportItems) } },
    code: 'EXPORT_FAILED',
    exit: 1,
    says: /created no package: 0 items exported/,
  },
];

const isTried = (each: Case): boolean => isLong || !each.isLong;

describe('a sync ends before anything is written on the target', () => {
  it.each(cases.filter(isTried))(
    'on $title',
    async ({ options, prepare, flags, change, code, exit, says }) => {
      rehearsal = await Rehearsal.open(options);
      await prepare?.();
      const { record } = await rehearsal.sync(rehearsal.route(flags, change));
      expect(record.error).toMatchObject({ code, message: expect.stringMatching(says) });
      expect(record).toMatchObject({ status: 'failed', target: 'untouched' });
      expect(meaningOf(code).exit).toBe(exit);
      const written = rehearsal.target
        .requests()
        .filter(({ operation }) => /add|commit|group\.(import|export)|delete|update/i.test(operation));
      expect(written).toEqual([]);
      expect(rehearsal.packages()).toEqual([]);
    },
  );

  it('on a worker whose configuration names another portal, with both shown', async () => {
    rehearsal = await Rehearsal.open();
    const route = rehearsal.route();
    const { record } = await rehearsal.sync({
      ...route,
      target: { ...route.target, url: 'https://other.example.com/portal/sharing/rest' },
    });
    expect(record.error).toMatchObject({
      code: 'CONFIG_MISMATCH',
      message: expect.stringContaining(route.target.url),
    });
    expect(record.error?.message).toContain('https://other.example.com/portal/sharing/rest');
    expect(rehearsal.target.requests()).toEqual([]);
  });

  it('on one portal that is reached by two names', async () => {
    rehearsal = await Rehearsal.open({
      groups: { source: transportGroupId, target: transportGroupId },
      // The second name is that of a gateway in front of the same portal.
      throughGateway: true,
    });
    const { record } = await rehearsal.sync();
    expect(record).toMatchObject({
      status: 'failed',
      target: 'untouched',
      error: { code: 'SAME_PORTAL', origin: 'config' },
    });
    expect(rehearsal.packages()).toEqual([]);
  });
});

describe('a sync of nothing', () => {
  it('ends as nothing to do on an empty group', async () => {
    rehearsal = await Rehearsal.open({
      source: { seed: 'empty' },
      groups: { source: 'e0000000000000000000000000000001', target: transportTargetGroupId },
    });
    const { record } = await rehearsal.sync();
    expect(record).toMatchObject({ status: 'nothing-to-do', target: 'untouched' });
    expect(rehearsal.source.requests().filter(({ operation }) => operation === 'group.export')).toEqual([]);
  });

  it('ends as nothing to do on a group of types that no export takes, each named as skipped', async () => {
    rehearsal = await Rehearsal.open({
      source: { seed: 'unsupported-only' },
      groups: { source: 'e0000000000000000000000000000002', target: transportTargetGroupId },
    });
    const { record, runId } = await rehearsal.sync();
    expect(record).toMatchObject({ status: 'nothing-to-do', target: 'untouched' });
    expect((await rehearsal.ledger(runId)).skipped).toHaveLength(2);
  });

  it('ends as nothing to do when nobody has touched anything, and as partial once the group lost over half of its items [P07]', async () => {
    rehearsal = await Rehearsal.open();
    expect((await rehearsal.sync()).record.status).toBe('succeeded');
    expect((await rehearsal.sync()).record).toMatchObject({
      status: 'nothing-to-do',
      target: 'untouched',
    });
    expect(rehearsal.packages()).toEqual([]);

    for (const item of [...rehearsal.source.world.items.values()].slice(3)) {
      rehearsal.source.world.items.put(item.id, { ...item, groups: [] });
    }
    const { record } = await rehearsal.sync();
    expect(record).toMatchObject({ status: 'partial', target: 'untouched' });
    expect(record.warnings.join()).toContain('at the last run of this route');
    expect((await rehearsal.sync(rehearsal.route({ allowShrink: true }))).record.status).toBe(
      'nothing-to-do',
    );
    expect((await rehearsal.sync()).record.status).toBe('nothing-to-do');
  });
});
