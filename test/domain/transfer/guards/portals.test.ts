import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { retrier } from '../../../../src/domain/transfer/retry';
import { groupReadable, mayTransfer } from '../../../../src/domain/transfer/guards/account';
import { classifyAll } from '../../../../src/domain/transfer/guards/group-items';
import { referencesResolve } from '../../../../src/domain/transfer/guards/group-references';
import { twoPortals } from '../../../../src/domain/transfer/guards/one-portal';
import { contentDisk } from '../../../../src/domain/transfer/guards/room';
import { lookupOn } from '../../../../src/domain/transfer/references/lookup';
import { readPortalFacts } from '../../../../src/domain/transfer/portal-facts';
import type { DiskShares } from '../../../../src/domain/transfer/guards/disk-shares';
import { inspectAgain, inspectPortal } from '../../../../src/domain/transfer/guards/inspect';
import { routeAddresses } from '../../../../src/domain/transfer/references/portal-addresses';
import { Portal } from '../../../../src/portal/client';
import { groupContentPages } from '../../../../src/portal/resources/groups';
import type { Item } from '../../../../src/portal/resources/items/item';
import { releaseFrom } from '../../../../src/portal/http/versions';
import { builtInUsers } from '../../../../src/simulator/seed/users';
import {
  transportGroupId,
  transportItems as ids,
  transportTargetGroupId,
} from '../../../../src/simulator/seed/transport';
import { builtInApplication } from '../../../../src/simulator/tokens';
import { startTwoPortals, type TwoPortals } from '../two-portals';

const GB = 1024 ** 3;

let two: TwoPortals;
beforeEach(async () => {
  two = await startTwoPortals();
});
afterEach(() => two.close());

describe('the facts of a portal', () => {
  it('say who is signed in and under which addresses the portal is known, and hold no secret', async () => {
    const facts = await readPortalFacts(two.connect('source', 'admin'));
    const { origin } = two.source.world;
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
      hostname: `${new URL(origin).host}/portal`,
      addresses: [
        two.source.url,
        `${new URL(origin).host}/portal`,
        `${origin}/server`,
        `${origin}/server`,
        `${origin}/gis`,
        `${origin}/gis`,
      ],
      serversRead: true,
    });
    expect(JSON.stringify(facts)).not.toContain(builtInUsers.admin.password);
  });

  it.each([
    ['owner', false],
    ['custom', false],
    ['viewer', false],
    ['admin', true],
  ] as const)('say of %s whether it is a full administrator: %s', async (user, fullAdmin) => {
    const facts = await readPortalFacts(two.connect('target', user));
    expect([facts.username, facts.fullAdmin]).toEqual([user, fullAdmin]);
  });

  it('say that the credentials of an application belong to no user', async () => {
    const { clientId, clientSecret } = builtInApplication;
    const portal = new Portal({
      name: 'staging',
      url: two.source.url,
      auth: { type: 'clientCredentials', clientId, secret: () => Promise.resolve(clientSecret) },
    });
    try {
      const facts = await readPortalFacts(portal);
      expect([facts.username, facts.fullAdmin]).toEqual([undefined, false]);
      expect(mayTransfer(facts, { id: transportGroupId, owner: 'owner' })).toMatchObject({
        verdict: 'refuse',
        code: 'NO_USER',
      });
    } finally {
      await portal.close();
    }
  });

  it('say of the hosted deployment that it is one', async () => {
    two.target.settings.deployment = 'hosted';
    expect((await readPortalFacts(two.connect('target', 'owner'))).isPortal).toBe(false);
  });

  it('do without the servers where the account may not list them', async () => {
    const facts = await readPortalFacts(two.connect('source', 'owner'));
    expect(facts.serversRead).toBe(false);
    expect(facts.addresses).toEqual([two.source.url, facts.hostname]);
  });

  it.each([
    ['a page in place of data, as not found', { status: 404 }],
    ['a page in place of data', 'html'],
    ['an error of its own', { error: { code: 500, message: 'Back end down.' } }],
    ['a refusal of the token', { error: { code: 498, message: 'Invalid token.' } }],
    ['nobody at all', { status: 503, retryAfter: 0 }],
  ] as const)('do without the servers where the portal answers for them with %s', async (_, fault) => {
    two.source.faults.add({ match: { operation: 'portal.servers' }, do: fault });
    const facts = await readPortalFacts(two.connect('source', 'admin'));
    expect([facts.username, facts.serversRead]).toEqual(['admin', false]);
    const asked = two.source.requests().filter(({ operation }) => operation === 'portal.servers');
    expect(asked.length).toBeLessThanOrEqual(6);
  });

  it('show that two names lead to one portal', async () => {
    const source = await readPortalFacts(two.connect('source', 'owner'));
    expect(twoPortals(source, await readPortalFacts(two.connect('target', 'owner'))).verdict).toBe('pass');
    const again = new Portal({
      name: 'elsewhere',
      url: two.source.url.replace('127.0.0.1', 'localhost'),
      auth: {
        type: 'password',
        username: 'owner',
        secret: () => Promise.resolve(builtInUsers.owner.password),
      },
    });
    try {
      expect(twoPortals(source, await readPortalFacts(again))).toMatchObject({
        verdict: 'refuse',
        code: 'SAME_PORTAL',
      });
    } finally {
      await again.close();
    }
  });
});

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
      saw: `${transportGroupId}, by its content: staging tells no title and no owner`,
    });
    expect(mayTransfer(await readPortalFacts(owner), group!)).toMatchObject({
      verdict: 'unknown',
      saw: `owner is no administrator, and staging does not say who owns "${transportGroupId}"`,
    });
    expect(mayTransfer(await readPortalFacts(two.connect('source', 'admin')), group!).verdict).toBe('pass');
    expect((await groupReadable(owner, '0'.repeat(32))).result).toMatchObject({
      verdict: 'refuse',
      code: 'GROUP_NOT_FOUND',
    });
  });

  it('do not pass a group of which there is no record and no content, nor refuse it', async () => {
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
      saw: `staging has no record of the group ${transportGroupId} for this account, and lists nothing in it`,
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
      saw: 'staging is read-only, and an export puts its package there as a new item',
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
        '11.5 GB free in the content store: 10 GB that the portal wants free, 1 GB for the package, 512 MB for the safeguard',
    });
    expect(await room({ unpacked: 12 * GB })).toMatchObject({
      verdict: 'refuse',
      needs: '12 GB free in the content store: 12 GB for what is imported',
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
    ['a cut line', 'reset'],
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

describe('a look for a group that something refers to', () => {
  const strange = '0'.repeat(32);
  const look = (end: 'source' | 'target', user: 'owner' | 'other', groupId: string) =>
    lookupOn(two.connect(end, user), retrier(), new Set()).group(groupId);

  it('finds it by its record or by its content', async () => {
    expect(await look('source', 'owner', transportGroupId)).toEqual({ state: 'there', title: 'Transport' });
    expect(await look('source', 'owner', strange)).toEqual({ state: 'absent' });
    two.source.faults.add({ match: { operation: 'group.read' }, do: { status: 404 } });
    expect(await look('source', 'owner', transportGroupId)).toEqual({ state: 'there' });
    expect(await look('source', 'owner', strange)).toEqual({ state: 'absent' });
  });

  it('calls it neither there nor absent where only an empty listing comes', async () => {
    two.source.faults.add({ match: { operation: 'group.read' }, do: { status: 404 } });
    for (const { id } of [...two.source.world.items.values()])
      two.source.world.items.change(id, { groups: [] });
    expect(await look('source', 'owner', transportGroupId)).toEqual({ state: 'hidden' });
  });
});

describe('the guard of references', () => {
  async function check(itemIds?: readonly string[]) {
    const source = two.connect('source', 'owner');
    const target = two.connect('target', 'owner');
    const items: Item[] = [];
    for await (const page of groupContentPages(source, transportGroupId)) items.push(...page);
    const asked = itemIds === undefined ? items : items.filter(({ id }) => itemIds.includes(id));
    const [from, to] = [await readPortalFacts(source), await readPortalFacts(target)];
    return referencesResolve({
      source,
      target,
      items: classifyAll(asked, releaseFrom('11.2')),
      addresses: routeAddresses(from.addresses, to.addresses),
    });
  }

  it('passes a group that is complete', async () => {
    expect(await check()).toMatchObject({
      name: 'references',
      verdict: 'pass',
      saw: expect.stringMatching(/^\d+ references, nothing left behind$/),
    });
  });

  it('passes what the target holds already', async () => {
    expect((await check([ids.story])).verdict).toBe('pass');
  });

  it('warns of what neither the group nor the target holds, by name, and refuses nothing', async () => {
    const result = await check([ids.scene, ids.story]);
    expect(result.verdict).toBe('unknown');
    expect(result.saw).toContain(
      `"Transport in 3D: data.operationalLayers[0].itemId names Feature Service "State routes" (${ids.roads})"`,
    );
    expect(result.saw).toContain(`(${ids.projects})`);
  });

  it('warns of a service that stays on the source', async () => {
    const { world } = two.source;
    const url = `${world.gisServerUrl}/rest/services/Closures/MapServer`;
    const path = world.files.dataPath(ids.scene);
    const size = await world.files.write(
      path,
      JSON.stringify({ operationalLayers: [{ id: 'a', url: `${url}/0` }] }),
    );
    world.items.change(ids.scene, { size });
    const asAdmin = await readPortalFacts(two.connect('source', 'admin'));
    const scene = { id: ids.scene, type: 'Web Scene', title: 'Transport in 3D' };
    const result = await referencesResolve({
      source: two.connect('source', 'owner'),
      target: two.connect('target', 'owner'),
      items: classifyAll<Item>([scene], releaseFrom('11.2')),
      addresses: routeAddresses(asAdmin.addresses, [two.target.url]),
    });
    expect(result).toMatchObject({
      verdict: 'unknown',
      saw: `neither in the group nor on the target: "Transport in 3D: data.operationalLayers[0].url names ${url}/0, a service that stays on staging"`,
    });
  });

  it('warns of what is in the group and may still be left out by the export', async () => {
    two.source.world.items.change(ids.map, { type: 'Hologram' });
    two.target.world.items.remove(ids.map);
    const { verdict, saw } = await check();
    expect(verdict).toBe('unknown');
    expect(saw).toMatch(/^in the group, but export may leave out what they name: /);
    expect(saw).toContain(`names Hologram "Transport projects" (${ids.map})`);
  });

  it('warns of an app that shows a group, which export may skip', async () => {
    const { world } = two.source;
    const size = await world.files.write(
      world.files.dataPath(ids.app),
      JSON.stringify({ values: { group: transportGroupId } }),
    );
    world.items.change(ids.app, { size });
    expect((await check([ids.app])).saw).toContain(
      'configured by a group, so that export may skip it: "Projects near you"',
    );
  });

  it('says which documents it could not read, and goes on', async () => {
    two.source.faults.add({ match: { path: ids.scene }, do: { error: { code: 500, message: 'No disk.' } } });
    const result = await check([ids.scene, ids.story]);
    expect(result.verdict).toBe('unknown');
    expect(result.saw).toBe('not readable: "Transport in 3D: staging answered item.data: No disk."');
  });
});
