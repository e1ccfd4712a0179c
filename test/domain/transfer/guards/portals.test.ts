import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { groupReadable, mayTransfer } from '../../../../src/domain/transfer/guards/group';
import { contentDisk, type DiskShares } from '../../../../src/domain/transfer/guards/room';
import { readPortalFacts } from '../../../../src/domain/transfer/portal-facts';
import { inspectAgain, inspectPortal } from '../../../../src/domain/transfer/guards/guard-list';
import { releaseFrom } from '../../../../src/portal/http/versions';
import { transportGroupId, transportTargetGroupId } from '../../../../src/simulator/seed/transport';
import { startTwoPortals, type TwoPortals } from '../two-portals';

const GB = 1024 ** 3;

let two: TwoPortals;
beforeEach(async () => {
  two = await startTwoPortals();
});
afterEach(() => two.close());

describe('guards that ask a portal', () => {
  it('find the group, its owner and who may transfer it', async () => {
    for (const [user, verdict] of [
      ['owner', 'pass'],
      ['admin', 'pass'],
      ['viewer', 'refuse'],
    ] as const) {
      const portal = two.connect('source', user);
      const { result, group } = await groupReadable(portal, transportGroupId);
      expect(result).toEqual({ name: 'group on staging', verdict: 'pass', saw: '"Transport"' });
      expect(mayTransfer(await readPortalFacts(portal), group!).verdict).toBe(verdict);
    }
  });

  it('refuse a group that does not exist, or that the account does not see', async () => {
    const unseen = { name: 'group on staging', verdict: 'refuse', code: 'GROUP_NOT_FOUND' };
    expect((await groupReadable(two.connect('source', 'owner'), '0'.repeat(32))).result).toMatchObject(
      unseen,
    );
    expect((await groupReadable(two.connect('source', 'other'), transportGroupId)).result).toMatchObject(
      unseen,
    );
  });

  it.each([
    ['not found', { error: { code: 404, message: 'Resource does not exist or is inaccessible.' } }],
    ['a page of its web server', { status: 404 }],
    ['a bad request', { error: { code: 400, message: 'Invalid URL' } }],
    ['an error of its own', { error: { code: 500, message: 'Unknown operation.' } }],
  ] as const)('find a group by its content where the portal answers for its record: %s', async (_, fault) => {
    two.source.faults.add({ match: { operation: 'group.read' }, do: fault });
    const owner = two.connect('source', 'owner');
    const { result, group } = await groupReadable(owner, transportGroupId);
    expect(result).toEqual({
      name: 'group on staging',
      verdict: 'pass',
      saw: `${transportGroupId}, by its content: staging reports no title and no owner`,
    });
    expect(mayTransfer(await readPortalFacts(owner), group!)).toMatchObject({
      verdict: 'unknown',
      saw: `owner is not an administrator, and staging does not report who owns "${transportGroupId}"`,
    });
    expect(mayTransfer(await readPortalFacts(two.connect('source', 'admin')), group!).verdict).toBe('pass');
    expect((await groupReadable(owner, '0'.repeat(32))).result).toMatchObject({
      verdict: 'refuse',
      code: 'GROUP_NOT_FOUND',
    });
  });

  it('do not pass a group of which there is no record and no content, nor refuse it [P21]', async () => {
    two.source.faults.add({
      match: { operation: 'group.read' },
      do: { error: { code: 404, message: 'Resource does not exist or is inaccessible.' } },
    });
    for (const { id } of [...two.source.world.items.values()])
      two.source.world.items.change(id, { groups: [] });
    const { result, group } = await groupReadable(two.connect('source', 'owner'), transportGroupId);
    expect(group).toEqual({ id: transportGroupId });
    expect(result).toMatchObject({
      verdict: 'unknown',
      saw: `staging shows this account no record of group ${transportGroupId}, and no items in it`,
    });
  });

  it('warn of a source that is read-only, and refuse such a target', async () => {
    for (const { settings } of [two.source, two.target]) settings.readOnly = true;
    const verdictOf = async (end: 'source' | 'target') => {
      const { results } = await inspectPortal(two.connect(end, 'owner'), end);
      return results.find(({ name }) => name.startsWith('writing to'));
    };
    expect(await verdictOf('source')).toMatchObject({
      verdict: 'unknown',
      saw: 'staging is read-only, but an export creates its package there as an item',
    });
    expect(await verdictOf('target')).toMatchObject({ verdict: 'refuse', code: 'TARGET_READ_ONLY' });
  });

  it('read the free space of the content store where the portal tells it', async () => {
    const admin = two.connect('target', 'admin');
    const disk = { minBytes: 10 * GB, version: releaseFrom('11.4') };
    expect((await contentDisk(admin, disk)).verdict).toBe('pass');
    two.target.settings.freeGb = 6.2;
    expect(await contentDisk(admin, disk)).toMatchObject({
      name: 'disk on production',
      verdict: 'refuse',
      code: 'DISK_FULL',
      saw: expect.stringContaining('6.2 GB free in '),
      needs: '10 GB free in the content store',
    });
  });

  it('want room for what the run still puts there, on top of what the portal wants, and say for what', async () => {
    const admin = two.connect('target', 'admin');
    two.target.settings.freeGb = 11;
    const room = async (shares: DiskShares) =>
      await contentDisk(admin, { minBytes: 10 * GB, version: releaseFrom('11.4'), shares });
    expect((await room({ safeguard: GB, unpacked: 5 * GB })).verdict).toBe('pass');
    expect(await room({ upload: GB, safeguard: 0.5 * GB })).toMatchObject({
      verdict: 'refuse',
      code: 'DISK_FULL',
      needs:
        '11.5 GB free in the content store: 10 GB that the portal keeps free, 1 GB for the package, 512 MB for the safeguard',
    });
    expect(await room({ unpacked: 12 * GB })).toMatchObject({
      verdict: 'refuse',
      needs: '12 GB free in the content store: 12 GB for the imported items',
    });
  });

  it('answer otherwise when they are asked again of a target that was changed meanwhile', async () => {
    const asked = {
      groupId: transportTargetGroupId,
      into: {},
      minBytes: 10 * GB,
      shares: { safeguard: GB },
    };
    const again = async (user: 'admin' | 'owner' | 'viewer') =>
      (await inspectAgain(two.connect('target', user), asked)).map(
        ({ name, verdict, code }) => `${name}: ${code ?? verdict}`,
      );
    expect(await again('admin')).toEqual([
      'writing to production: pass',
      'group on production: pass',
      'account on production: pass',
      'disk on production: pass',
    ]);
    two.target.settings.freeGb = 10.5;
    two.target.settings.readOnly = true;
    expect(await again('admin')).toEqual([
      'writing to production: TARGET_READ_ONLY',
      'group on production: pass',
      'account on production: pass',
      'disk on production: DISK_FULL',
    ]);
    expect(await again('viewer')).toContain('account on production: NOT_OWNER_OR_ADMIN');
    // An account that may not see it leaves it open, which is a warning.
    expect(await again('owner')).toContain('disk on production: unknown');
  });

  it.each([
    ['nobody', { status: 503, retryAfter: 0 }],
    ['a cut connection', 'reset'],
    ['a page of its web server', { status: 404 }],
  ] as const)('warn where the administration is answered by %s, and hold nothing up', async (_, fault) => {
    two.target.faults.add({ match: { operation: 'machines.list' }, do: fault });
    const disk = { minBytes: 10 * GB, version: releaseFrom('11.4') };
    expect((await contentDisk(two.connect('target', 'admin'), disk)).verdict).toBe('unknown');
  });

  it.each(['expireToken', 'html'] as const)('are not deterred by one "%s"', async (fault) => {
    const admin = two.connect('target', 'admin');
    for (const operation of ['machines.list', 'machines.hardware']) {
      two.target.faults.add({ match: { operation }, nth: 1, do: fault });
      const disk = { minBytes: 1, version: releaseFrom('11.4') };
      expect((await contentDisk(admin, disk)).verdict).toBe('pass');
    }
  });

  it('warn where it does not: an older portal, an account without the right', async () => {
    for (const portal of [two.connect('source', 'admin'), two.connect('target', 'owner')]) {
      expect((await contentDisk(portal, { minBytes: 10 * GB, version: undefined })).verdict).toBe('unknown');
    }
  });
});
