import { afterEach, describe, expect, it } from '@jest/globals';
import type { RequestEnd } from '../../../src/portal/http/request';
import { groupContentPages } from '../../../src/portal/resources/groups';
import { readItem } from '../../../src/portal/resources/items/items';
import { bearerOf, failureOf, inTurn, json, only, PASSWORD, portalError, RawPortal } from '../raw-portal';

let portal: RawPortal;
afterEach(() => portal.stop());

describe('an empty listing', () => {
  const empty = json({ total: 0, start: 1, num: 100, nextStart: -1, items: [] });
  const full = json({ total: 1, start: 1, num: 100, nextStart: -1, items: [{ id: 'i1' }] });
  const read = async (client: ReturnType<RawPortal['client']>) => {
    const ids: string[] = [];
    for await (const page of groupContentPages(client, 'g')) ids.push(...page.map((each) => each.id));
    return ids;
  };

  it('is accepted when the portal has a longer name for the account', async () => {
    const self = json({ username: 'sync@CORP' });
    portal = await RawPortal.start({ 'content/groups/g': empty, 'community/self': self });
    const client = portal.client();
    expect([await read(client), await read(client)]).toEqual([[], []]);
    expect(portal.tokens).toBe(1);
  });

  it('is read again when the portal answered as to an anonymous caller', async () => {
    const anonymous = inTurn(json({}), json({ username: 'sync' }));
    portal = await RawPortal.start({
      'content/groups/g': inTurn(empty, full),
      'community/self': anonymous,
      'portals/self': json({ id: 'p' }),
    });
    expect(await read(portal.client())).toEqual(['i1']);
    expect(portal.tokens).toBe(2);
  });

  it('is read again when the token was renewed meanwhile', async () => {
    const self = only('token-not-to-be-seen-2', json({ username: 'sync' }));
    portal = await RawPortal.start({ 'content/groups/g': inTurn(empty, full), 'community/self': self });
    expect(await read(portal.client())).toEqual(['i1']);
  });

  it('is an error when the portal does not know the caller', async () => {
    portal = await RawPortal.start({
      'content/groups/g': empty,
      'community/self': json({}),
      'portals/self': json({ id: 'p' }),
    });
    expect(await failureOf(read(portal.client()))).toMatchObject({
      code: 'TOKEN_REFUSED',
      message: 'staging treats the request as not signed in.',
    });
  });
});

describe('secrets', () => {
  it('stay out of messages, facts and log events when a portal repeats them [P15]', async () => {
    const events: RequestEnd[] = [];
    portal = await RawPortal.start({
      'content/items/i1': (seen, response) =>
        portalError(400, `You sent ${bearerOf(seen)} and ${PASSWORD}`, {
          details: [`See https://store.example/x?sig=abc&token=${bearerOf(seen)}`],
        })(seen, response),
    });
    const failure = await failureOf(readItem(portal.client({ ended: (end) => events.push(end) }), 'i1'));
    const all = JSON.stringify([failure, events]);
    expect(all).not.toContain('token-not-to-be-seen');
    expect(all).not.toContain(PASSWORD);
    expect(all).not.toContain('sig=abc');
    expect(failure['message']).toBe(
      'staging answered item.read: You sent *** and *** See https://store.example/x?***',
    );
    expect(events).toEqual([
      expect.objectContaining({
        portal: 'staging',
        operation: 'signIn',
        method: 'POST',
        path: '/portal/sharing/rest/generateToken',
        status: 200,
      }),
      expect.objectContaining({
        portal: 'staging',
        operation: 'item.read',
        method: 'GET',
        path: '/portal/sharing/rest/content/items/i1',
        status: 200,
        portalCode: 400,
        error: 'BAD_REQUEST',
      }),
    ]);
  });
});
