import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { exportGroup } from '../../../src/portal/resources/group-export';
import { readItem } from '../../../src/portal/resources/items/items';
import {
  bearerOf,
  codeOf,
  failureOf,
  inTurn,
  json,
  only,
  PASSWORD,
  portalError,
  RawPortal,
  type Reply,
  words,
} from '../raw-portal';

const item = json({ id: 'i1' });
let portal: RawPortal;
afterEach(() => portal.stop());
const serve = async (reply: Reply) => {
  portal = await RawPortal.start({ 'content/items/i1': reply });
};
const read = (client = portal.client()) => readItem(client, 'i1');

describe('signing in', () => {
  it('sends credentials in a body, bound to the referer of every request [P24]', async () => {
    await serve(item);
    await read();
    const [signIn, reading] = portal.seen;
    expect(Object.fromEntries(signIn?.form ?? [])).toEqual({
      username: 'sync',
      password: PASSWORD,
      client: 'referer',
      referer: portal.url,
      expiration: '60',
      f: 'json',
    });
    expect([...(signIn?.query.keys() ?? [])]).toEqual([]);
    expect(portal.seen.map((seen) => seen.headers.referer)).toEqual([portal.url, portal.url]);
    expect(reading && bearerOf(reading)).toBe('token-not-to-be-seen-1');
    expect([...(reading?.query ?? [])]).toEqual([['f', 'json']]);
  });

  it('precedes the last check before a request is sent', async () => {
    await serve(item);
    const tokens: number[] = [];
    const beforeSending = (): Promise<void> => {
      tokens.push(portal.tokens);
      return Promise.reject(new Error('not any more'));
    };
    await expect(readItem(portal.client(), 'i1', { beforeSending })).rejects.toThrow('not any more');
    expect(tokens).toEqual([1]);
    expect(portal.at('content/items/i1')).toEqual([]);
  });

  it('happens once for all callers', async () => {
    await serve(item);
    const client = portal.client();
    await Promise.all(Array.from({ length: 20 }, () => read(client)));
    await read(client);
    expect(portal.tokens).toBe(1);
  });

  it.each([
    ['five minutes ahead of the end of a token', 60, 54, 56],
    ['at half of the life of a short one', 4, 1, 3],
  ])('is repeated %s', async (_title, life, still, due) => {
    await serve(item);
    portal.tokenLife = life * 60_000;
    const client = portal.client();
    await read(client);
    const clock = jest.spyOn(Date, 'now');
    const start = Date.now();
    try {
      clock.mockReturnValue(start + still * 60_000);
      await read(client);
      expect(portal.tokens).toBe(1);
      clock.mockReturnValue(start + due * 60_000);
      await read(client);
      expect(portal.tokens).toBe(2);
    } finally {
      clock.mockRestore();
    }
  });

  it('is not repeated for a token that a wrong clock shows as expired', async () => {
    await serve(item);
    portal.tokenLife = -3_600_000;
    const client = portal.client();
    await read(client);
    await read(client);
    expect(portal.tokens).toBe(1);
  });

  it('is not retried at once after a wrong password', async () => {
    portal = await RawPortal.start({
      generateToken: portalError(400, 'Unable to generate token.', {
        details: ['Invalid username or password.'],
      }),
    });
    const client = portal.client();
    const failure = await failureOf(read(client));
    expect(failure).toMatchObject({
      code: 'CREDENTIALS_REFUSED',
      message: 'staging refused the sign-in: Unable to generate token. Invalid username or password.',
    });
    expect(await failureOf(read(client))).toMatchObject({
      code: 'CREDENTIALS_REFUSED',
      message: expect.stringMatching(
        /^staging refused the sign-in: .* \(refused at \d\d:\d\d:\d\d UTC; Portolan retries in (30|29|\d) s\)$/,
      ),
    });
    expect(portal.at('generateToken')).toHaveLength(1);
    expect(portal.at('content/items/i1')).toHaveLength(0);
  });

  it('requests an app token for application credentials', async () => {
    portal = await RawPortal.start({
      'oauth2/token': json({ access_token: 'app-token-1', expires_in: 7200 }),
      'content/items/i1': only('app-token-1', item),
    });
    const auth = {
      type: 'clientCredentials',
      clientId: 'app',
      secret: () => Promise.resolve('app-secret'),
    } as const;
    await read(portal.client({ auth }));
    expect(Object.fromEntries(portal.at('oauth2/token')[0]?.form ?? [])).toEqual({
      client_id: 'app',
      client_secret: 'app-secret',
      grant_type: 'client_credentials',
      expiration: '60',
      f: 'json',
    });
  });

  it('is skipped for an API key', async () => {
    await serve(only('AAPK-key', item));
    await read(portal.client({ auth: { type: 'apiKey', secret: () => Promise.resolve('AAPK-key') } }));
    expect(portal.seen).toHaveLength(1);
  });
});

describe('a token that is refused', () => {
  it.each<[string, Reply]>([
    ['498 in a 200', portalError(498, 'Invalid token.')],
    [
      '499 in a 200',
      portalError(499, 'Token Required', { messageCode: 'GWM_0003', details: ['Token Required'] }),
    ],
    ['499 with a full stop and no code', json({ error: { message: 'Token Required.' } })],
    ['HTTP 498', words('', 498)],
    ['HTTP 499', words('', 499)],
    ['HTTP 401', words('<html></html>', 401)],
  ])('is renewed once, with the request: %s', async (_title, refusal) => {
    await serve(inTurn(refusal, item));
    await read();
    expect(portal.at('content/items/i1').map(bearerOf)).toEqual([
      'token-not-to-be-seen-1',
      'token-not-to-be-seen-2',
    ]);
  });

  it('is renewed once for all requests that used the old one', async () => {
    let held = 0;
    const release: (() => void)[] = [];
    const first = 'token-not-to-be-seen-1';
    portal = await RawPortal.start({
      'content/items/i1': async (seen, response) => {
        if (bearerOf(seen) !== first) return item(seen, response);
        // The last of the refusals is held back until the others have long been renewed.
        if (++held === 10) await new Promise<void>((resolve) => release.push(resolve));
        return portalError(498, 'Invalid token.')(seen, response);
      },
    });
    const client = portal.client();
    let done = 0;
    const calls = Array.from({ length: 10 }, () =>
      read(client).then(() => {
        if (++done === 9) release.forEach((go) => go());
      }),
    );
    await Promise.all(calls);
    expect(portal.tokens).toBe(2);
  });

  it('is not renewed when it came from the configuration', async () => {
    await serve(portalError(498, 'Invalid token.'));
    const client = portal.client({ auth: { type: 'token', secret: () => Promise.resolve('ready-made') } });
    expect(await failureOf(read(client))).toMatchObject({
      code: 'TOKEN_REFUSED',
      message: 'staging refuses the configured token, which Portolan cannot renew.',
    });
    expect(portal.seen).toHaveLength(1);
  });

  it('is replaced when its source has a new one', async () => {
    const secrets = ['old-ready-made', 'new-ready-made'];
    await serve(only('new-ready-made', item));
    const auth = { type: 'token', secret: () => Promise.resolve(secrets.shift() ?? 'none') } as const;
    await expect(read(portal.client({ auth }))).resolves.toMatchObject({ id: 'i1' });
  });
});

describe('a page in place of JSON', () => {
  const page = words('<html><title>Sign in</title></html>');

  it('lets a write be repeated, which has not begun', async () => {
    portal = await RawPortal.start({
      'community/groups/g/export': inTurn(portalError(498, 'Invalid token.'), json({ jobId: 'j', key: 'k' })),
    });
    const outcome = await exportGroup(portal.client(), 'g', { async: true, version: undefined });
    expect(outcome).toEqual({ kind: 'job', jobId: 'j', key: 'k' });
  });

  it('makes a read sign in once more', async () => {
    await serve(inTurn(page, item));
    await read();
    expect(portal.tokens).toBe(2);
  });

  it('never repeats a write, which may have begun [P01]', async () => {
    portal = await RawPortal.start({ 'community/groups/g/export': page });
    const call = exportGroup(portal.client(), 'g', { async: true, version: undefined });
    expect(await codeOf(call)).toBe('HTML_RESPONSE');
    expect(portal.at('community/groups/g/export')).toHaveLength(1);
    expect(portal.tokens).toBe(2);
  });
});

describe('a server error', () => {
  const broken = portalError(500, 'Internal error.');

  it('is asked about once more by a read', async () => {
    await serve(inTurn(broken, item));
    await read();
    expect(portal.at('content/items/i1')).toHaveLength(2);
  });

  it('is believed by a read that meets it twice', async () => {
    await serve(broken);
    expect(await codeOf(read())).toBe('SERVER_ERROR');
    expect(portal.at('content/items/i1')).toHaveLength(2);
  });

  it('never repeats a write, which may have begun [P01]', async () => {
    portal = await RawPortal.start({ 'community/groups/g/export': broken });
    const call = exportGroup(portal.client(), 'g', { async: true, version: undefined });
    expect(await codeOf(call)).toBe('SERVER_ERROR');
    expect(portal.at('community/groups/g/export')).toHaveLength(1);
  });
});
