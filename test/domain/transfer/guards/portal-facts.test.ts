import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { mayTransfer } from '../../../../src/domain/transfer/guards/group';
import { twoPortals } from '../../../../src/domain/transfer/guards/portal';
import { readPortalFacts } from '../../../../src/domain/transfer/portal-facts';
import { Portal } from '../../../../src/portal/client';
import { builtInUsers } from '../../../../src/simulator/seed/users';
import { transportGroupId } from '../../../../src/simulator/seed/transport';
import { builtInApplication } from '../../../../src/simulator/tokens';
import { startTwoPortals, type TwoPortals } from '../two-portals';

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

  it.each([
    ['on', true],
    ['off', false],
    ['unsupported', false],
  ] as const)('name a recycle bin only if the portal has one: %s', async (recycleBin, expected) => {
    two.target.settings.recycleBin = recycleBin;
    expect((await readPortalFacts(two.connect('target', 'owner'))).recycleBin).toBe(expected);
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
