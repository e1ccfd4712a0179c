import { describe, expect, it } from '@jest/globals';
import { groupReadable, mappedItemsThere, mayTransfer } from '../../../../src/domain/transfer/guards/group';
import { inspectAgain } from '../../../../src/domain/transfer/guards/guard-list';
import { ownersThere, twoPortals } from '../../../../src/domain/transfer/guards/portal';
import { contentDisk, type DiskShares } from '../../../../src/domain/transfer/guards/room';
import { readPortalFacts } from '../../../../src/domain/transfer/portal-facts';
import type { OwnerMap } from '../../../../src/model/transfer/placement';
import { releaseFrom } from '../../../../src/portal/http/versions';
import {
  transportGroupId,
  transportItems,
  transportTargetGroupId,
} from '../../../../src/simulator/seed/transport';
import { builtInUsers } from '../../../../src/simulator/seed/users';
import { connect } from '../../../simulator/harness';
import { linesOf } from '../facts';
import { TwoPortals } from '../two-portals';

const GB = 1024 ** 3;
const strange = '0'.repeat(32);
const notFound = { error: { code: 404, message: 'Resource does not exist or is inaccessible.' } };
const page404 = { status: 404 };
const nobody = { status: 503, retryAfter: 0 };

const two = new TwoPortals();

const factsOf = (end: 'source' | 'target', user: keyof typeof builtInUsers) =>
  readPortalFacts(two.connect(end, user));

describe('the facts of a portal', () => {
  it('name the user and all addresses of the portal, and hold no secret', async () => {
    const facts = await factsOf('source', 'admin');
    const { origin } = two.source.world;
    const hostname = `${new URL(origin).host}/portal`;
    const servers = [`${origin}/server`, `${origin}/gis`];
    expect(facts).toEqual({
      name: 'staging',
      url: two.source.url,
      aliases: [],
      portalId: '0123456789ABCDEF',
      release: { major: 11, minor: 2, patch: 0, text: '11.2' },
      version: '11.2.0',
      isPortal: true,
      readOnly: false,
      recycleBin: false,
      username: 'admin',
      role: 'org_admin',
      fullAdmin: true,
      hostname,
      addresses: [two.source.url, hostname, ...servers.flatMap((url) => [url, url])],
      serversRead: true,
    });
    expect(JSON.stringify(facts)).not.toContain(builtInUsers.admin.password);
  });

  it.each(['on', 'off', 'unsupported'])('name a recycle bin that is on: %s', async (recycleBin) => {
    Object.assign(two.target.settings, { recycleBin });
    expect(await factsOf('target', 'owner')).toMatchObject({
      recycleBin: recycleBin === 'on',
      isPortal: true,
    });
  });

  it('show that two names lead to one portal', async () => {
    const source = await factsOf('source', 'owner');
    expect(twoPortals(source, await factsOf('target', 'owner')).verdict).toBe('pass');
    const url = two.source.url.replace('127.0.0.1', 'localhost');
    const again = await readPortalFacts(connect(two.source, 'owner', { name: 'elsewhere', url }));
    expect(twoPortals(source, again).code).toBe('SAME_PORTAL');
  });

  it('omit the servers if the account cannot list them', async () => {
    const { serversRead, addresses, hostname } = await factsOf('source', 'owner');
    expect({ serversRead, addresses }).toEqual({
      serversRead: false,
      addresses: [two.source.url, hostname],
    });
  });

  it.each([
    ['a page, as not found', page404],
    ['a page', 'html'],
    ['an error', { error: { code: 500, message: 'Back end down.' } }],
    ['a refusal of the token', { error: { code: 498, message: 'Invalid token.' } }],
  ] as const)('omit the servers if the portal responds with %s', async (_, fault) => {
    two.source.faults.add({ match: { operation: 'portal.servers' }, do: fault });
    expect(await factsOf('source', 'admin')).toMatchObject({ username: 'admin', serversRead: false });
    const asked = two.source.requests().filter(({ operation }) => operation === 'portal.servers');
    expect(asked.length).toBeLessThanOrEqual(6);
  });
});

describe('the guard of the group', () => {
  const readable = async (user: keyof typeof builtInUsers, groupId = transportGroupId) => {
    const portal = two.connect('source', user);
    const { result, group } = await groupReadable(portal, groupId);
    return { result, group, account: group && mayTransfer(await readPortalFacts(portal), group) };
  };

  it('finds who may transfer a group, and refuses one the account does not see', async () => {
    for (const [user, verdict] of [
      ['owner', 'pass'],
      ['admin', 'pass'],
      ['viewer', 'refuse'],
    ] as const) {
      const { result, account } = await readable(user);
      expect([...linesOf(result), account?.verdict]).toEqual([
        'group on staging: pass',
        '"Transport"',
        verdict,
      ]);
    }
    for (const { result } of [await readable('owner', strange), await readable('other')])
      expect(result.code).toBe('GROUP_NOT_FOUND');
  });

  it.each([
    ['not found', notFound],
    ['a page', page404],
    ['a bad request', { error: { code: 400, message: 'Invalid URL' } }],
    ['an error', { error: { code: 500, message: 'Unknown operation.' } }],
  ])('finds a group by its content if its record is answered by %s', async (_, fault) => {
    two.source.faults.add({ match: { operation: 'group.read' }, do: fault });
    const { result, account } = await readable('owner');
    expect([...linesOf(result), ...linesOf(account!).slice(0, 2)]).toEqual([
      'group on staging: pass',
      `${transportGroupId}, by its content: staging reports no title and no owner`,
      'account on staging: unknown',
      `owner is not an administrator, and staging does not report who owns "${transportGroupId}"`,
    ]);
    expect((await readable('admin')).account?.verdict).toBe('pass');
    expect((await readable('owner', strange)).result.code).toBe('GROUP_NOT_FOUND');
  });

  it('neither passes nor refuses a group without a record and content [P21]', async () => {
    two.source.faults.add({ match: { operation: 'group.read' }, do: notFound });
    for (const { id } of [...two.source.world.items.values()])
      two.source.world.items.change(id, { groups: [] });
    const { result, group } = await readable('owner');
    expect(group).toEqual({ id: transportGroupId });
    expect(linesOf(result).slice(0, 2)).toEqual([
      'group on staging: unknown',
      `staging shows this account no record of group ${transportGroupId}, and no items in it`,
    ]);
  });
});

describe('the guard of the disk', () => {
  const version = releaseFrom('11.4');
  const onDisk = (shares?: DiskShares, user: 'admin' | 'owner' = 'admin') =>
    contentDisk(two.connect('target', user), { minBytes: 10 * GB, version, shares });

  it('refuses a full content store, and says what the run needs there', async () => {
    expect((await onDisk()).verdict).toBe('pass');
    two.target.settings.freeGb = 6.2;
    expect(linesOf(await onDisk()).slice(0, 3)).toEqual([
      'disk on production: refuse DISK_FULL',
      expect.stringContaining('6.2 GB free in '),
      'needs 10 GB free in the content store',
    ]);
    two.target.settings.freeGb = 11;
    expect((await onDisk({ safeguard: GB, unpacked: 5 * GB })).verdict).toBe('pass');
    expect((await onDisk({ upload: GB, safeguard: 0.5 * GB })).needs).toBe(
      '11.5 GB free in the content store: 10 GB that the portal keeps free, 1 GB for the package, 512 MB for the safeguard',
    );
    expect((await onDisk({ unpacked: 12 * GB })).needs).toBe(
      '12 GB free in the content store: 12 GB for the imported items',
    );
  });

  it.each([
    ['nothing', nobody],
    ['a page', page404],
  ])('warns if the administration responds with %s', async (_, fault) => {
    two.target.faults.add({ match: { operation: 'machines.list' }, do: fault });
    expect((await onDisk()).verdict).toBe('unknown');
  });

  it.each(['expireToken', 'html'] as const)('passes despite one "%s"', async (fault) => {
    for (const operation of ['machines.list', 'machines.hardware']) {
      two.target.faults.add({ match: { operation }, nth: 1, do: fault });
      expect((await onDisk()).verdict).toBe('pass');
    }
  });
});

it('the guards of a portal see what changed on the target when checked again', async () => {
  const request = {
    groupId: transportTargetGroupId,
    into: {},
    minBytes: 10 * GB,
    shares: { safeguard: GB },
  };
  const again = async (user: 'admin' | 'owner' | 'viewer') =>
    (await inspectAgain(two.connect('target', user), request)).map((each) => linesOf(each)[0]);
  const pass = ['writing to', 'group on', 'account on', 'disk on'].map((name) => `${name} production: pass`);
  expect(await again('admin')).toEqual(pass);
  Object.assign(two.target.settings, { freeGb: 10.5, readOnly: true });
  expect(await again('admin')).toEqual([
    'writing to production: refuse TARGET_READ_ONLY',
    ...pass.slice(1, 3),
    'disk on production: refuse DISK_FULL',
  ]);
  expect(await again('viewer')).toContain('account on production: refuse NOT_OWNER_OR_ADMIN');
  expect(await again('owner')).toContain('disk on production: unknown');
});

it('the guard of a map names items that are not there, and refuses nothing', async () => {
  const { map } = transportItems;
  const nowhere = 'f'.repeat(32);
  const mapped = (items: Record<string, string>) =>
    mappedItemsThere(two.connect('target', 'admin'), 'production', { urls: {}, items });
  expect(await mapped({})).toEqual([]);
  expect((await mapped({ [nowhere]: map })).map(linesOf)).toEqual([
    ['map on production: pass', '1 item to map to'],
  ]);
  expect((await mapped({ [map]: nowhere, [nowhere]: map })).map(linesOf)).toEqual([
    [
      'map on production: unknown',
      `map.items.${map} maps to ${nowhere}, which is not on production`,
      expect.stringMatching(/^needs /),
      `Set map.items.${map} of the stage to an item of production.`,
    ],
  ]);
});

describe('the guard of owners', () => {
  /** New on the target, but for the map. */
  const items = [
    { itemId: transportItems.map, owner: 'gone' },
    { itemId: transportItems.app, owner: 'dev_editor' },
    { itemId: transportItems.pdf, owner: 'dev_editor' },
    { itemId: transportItems.scene, owner: 'other' },
    { itemId: transportItems.story },
  ];
  const lacks = 'owners on production: refuse OWNER_NOT_FOUND';
  const denied = 'owners on production: refuse PERMISSION_DENIED';
  const pass = 'owners on production: pass';
  const needsUser = expect.stringMatching(/^needs /);

  it.each<[string, keyof typeof builtInUsers, OwnerMap, unknown[]]>([
    [
      'an owner who does not exist there',
      'admin',
      { map: {} },
      [
        lacks,
        'owner dev_editor of 2 items does not exist on production',
        needsUser,
        'Create that user, or name another: owners.map.dev_editor or owners.default of the stage in a pipeline.',
      ],
    ],
    [
      'a mapped owner who does not exist',
      'admin',
      { map: { Dev_Editor: 'editor' } },
      [
        lacks,
        'owner editor of 2 items does not exist on production (owners.map.Dev_Editor)',
        needsUser,
        'Set owners.map.Dev_Editor of the stage to a user of production.',
      ],
    ],
    [
      'a default owner who does not exist',
      'admin',
      { default: 'nobody', map: { dev_editor: 'viewer' } },
      [
        lacks,
        'owner nobody of 2 items does not exist on production (owners.default)',
        needsUser,
        expect.any(String),
      ],
    ],
    [
      'an account that cannot give items away',
      'owner',
      { default: 'viewer', map: {} },
      [
        denied,
        'owner is not an administrator of production',
        'needs an administrator, to give 4 new items to others',
        'Sign in to production as an administrator, or set owners.default of the stage to owner.',
      ],
    ],
    [
      'owners who all exist',
      'admin',
      { map: { dev_editor: 'viewer', gone: 'nobody' } },
      [pass, 'nobody, other, viewer'],
    ],
    [
      'an account that keeps the items',
      'owner',
      { default: 'OWNER', map: {} },
      [pass, 'all items stay with owner'],
    ],
    [
      'an administrator of a custom role',
      'custom',
      { default: 'viewer', map: {} },
      ['owners on production: unknown', expect.any(String), needsUser, expect.any(String)],
    ],
    [
      'of a stage a name that does not exist',
      'admin',
      { default: 'viewer', map: { a: 'nobody', b: 'other' } },
      [
        lacks,
        'owner nobody does not exist on production (owners.map.a)',
        needsUser,
        'Set owners.map.a of the stage to a user of production.',
      ],
    ],
    [
      'of a stage names that exist',
      'admin',
      { default: 'viewer', map: { b: 'other' } },
      [pass, 'other, viewer'],
    ],
    [
      'of a stage an account that cannot give items away',
      'owner',
      { default: 'viewer', map: {} },
      [denied, expect.any(String), needsUser, expect.any(String)],
    ],
  ])('judges %s', async (what, as, owners, lines) => {
    const portal = two.connect('target', as);
    const facts = await readPortalFacts(portal);
    const result = await ownersThere({
      portal,
      facts,
      owners,
      account: as,
      items: what.startsWith('of a stage') ? undefined : items,
    });
    expect(result.map(linesOf)).toEqual([lines]);
  });
});
