import { afterEach, describe, expect, it } from '@jest/globals';
import { createHash } from 'node:crypto';
import { transportGroupId, transportItems } from '../../src/simulator/seed/transport';
import { builtInUsers } from '../../src/simulator/seed/users';
import { builtInApiKey } from '../../src/simulator/tokens';
import { Client, signIn, start, stopAll, type Fault, type Token } from './harness';

afterEach(stopAll);

const self = '/community/self';

describe('tokens of a simulated portal', () => {
  it('are refused with 498 when wrong, or with another referer', async () => {
    const simulator = await start();
    const { token } = await signIn(simulator, 'owner');
    expect(await new Client(simulator, token).call(self)).toMatchObject({ username: 'owner' });
    const refused = { error: { code: 498, message: 'Invalid token.' } };
    expect(await new Client(simulator, token, 'http://elsewhere').call(self)).toMatchObject(refused);
    expect(await new Client(simulator, token, '').call(self)).toMatchObject(refused);
    expect(await new Client(simulator, `${token}x`).call(self)).toMatchObject(refused);
  });

  it("are bound to an address, given or the caller's, on request", async () => {
    const simulator = await start();
    const call = async (more: Record<string, string>): Promise<object> =>
      new Client(simulator, (await signIn(simulator, 'owner', more)).token, 'http://elsewhere').call(self);
    expect(await call({ client: 'requestip' })).toMatchObject({ username: 'owner' });
    expect(await call({ client: 'ip', ip: '127.0.0.1' })).toMatchObject({ username: 'owner' });
    expect(await call({ client: 'ip', ip: '10.0.0.1' })).toMatchObject({ error: { code: 498 } });
    const anonymous = new Client(simulator, undefined);
    for (const client of ['ip', 'carrier pigeon']) {
      expect(await anonymous.call('/generateToken', { ...builtInUsers.owner, client })).toMatchObject({
        error: { code: 400, message: 'Unable to generate token.' },
      });
    }
  });

  it('are exchanged for tokens of one federated server', async () => {
    const simulator = await start({ seed: 'transport' });
    const portal = await signIn(simulator, 'owner');
    const { hostingServerUrl, gisServerUrl, items } = simulator.world;
    const swap = (from: Client, serverUrl: string): Promise<Token & Fault> =>
      from.call<Token>('/generateToken', { token: from.token ?? '', serverUrl });
    const service = items.get(transportItems.roads)?.url ?? '';
    const { token } = await swap(portal, service);
    expect(token).not.toBe(portal.token);
    const server = new Client(simulator, token);
    expect(await server.call(service)).toHaveProperty('layers');
    expect(await server.call(self)).toMatchObject({ error: { code: 498 } });
    expect(await swap(server, hostingServerUrl)).toMatchObject({ error: { code: 498 } });
    const other = new Client(simulator, (await swap(portal, gisServerUrl)).token);
    expect(await other.call(service)).toMatchObject({ error: { code: 498 } });
    for (const unknown of [
      'https://elsewhere.example.com/server',
      simulator.url,
      `${hostingServerUrl}2`,
      '?',
    ]) {
      expect(await swap(portal, unknown)).toMatchObject({ error: { code: 400 } });
    }
  });

  it('are required with 499, for unknown groups too', async () => {
    const anonymous = new Client(await start({ seed: 'transport' }), undefined);
    const required = { error: { code: 499, messageCode: 'GWM_0003', details: ['Token Required'] } };
    expect(await anonymous.call(`/community/groups/${transportGroupId}`)).toMatchObject(required);
    expect(await anonymous.call(`/content/items/${transportItems.map}`)).toMatchObject(required);
    expect(await anonymous.call('/search', { q: '*' })).toMatchObject({ total: 0 });
  });

  it('last the requested minutes, 60 by default, two weeks or less at most', async () => {
    const minutes = async (more: Record<string, string>, options = {}): Promise<number> => {
      const anonymous = new Client(await start(options), undefined);
      const made = await anonymous.call<Token>('/generateToken', { ...builtInUsers.owner, ...more });
      return Math.round((made.expires - Date.now()) / 60_000);
    };
    expect(await minutes({})).toBe(60);
    expect(await minutes({ expiration: '5' })).toBe(5);
    expect(await minutes({ expiration: '999999' })).toBe(20160);
    expect(await minutes({}, { tokenLifetimeMs: 120_000 })).toBe(2);
  });

  it('are refused for wrong credentials, and credentials in the address', async () => {
    const simulator = await start();
    const anonymous = new Client(simulator, undefined);
    const refused = {
      error: { code: 400, message: 'Unable to generate token.', details: ['Invalid username or password.'] },
    };
    expect(await anonymous.call('/generateToken', { username: 'owner', password: 'x' })).toMatchObject(
      refused,
    );
    expect(await anonymous.call('/generateToken', { username: 'nobody', password: 'x' })).toMatchObject(
      refused,
    );
    const inAddress = await anonymous.post(
      '/generateToken?f=json&username=owner&password=owner-pw',
      new URLSearchParams(),
    );
    expect(await inAddress.json()).toMatchObject({ error: { code: 405 } });
  });

  it('are refused to an account locked by wrong passwords', async () => {
    const simulator = await start({ lockOutAfter: 2 });
    const anonymous = new Client(simulator, undefined);
    const attempt = (password: string, username = 'owner'): Promise<Fault> =>
      anonymous.call('/generateToken', { username, password });
    const { password } = builtInUsers.owner;
    await attempt('x');
    expect(await attempt(password)).toHaveProperty('token');
    await attempt('x');
    await attempt('x');
    expect(await attempt(password)).toMatchObject({
      error: { code: 400, details: ['Too many invalid attempts. Please try again later.'] },
    });
    expect(await attempt(builtInUsers.admin.password, 'admin')).toHaveProperty('token');
  });

  it('are exchanged for a code once, by its app, at a registered address', async () => {
    const redirect_uri = 'https://app.example.com/back';
    const simulator = await start({ apps: { map: [redirect_uri] } });
    const anonymous = new Client(simulator, undefined);
    const verifier = 'v'.repeat(43);
    const asked = {
      client_id: 'map',
      response_type: 'code',
      redirect_uri,
      state: 's1',
      code_challenge_method: 'S256',
      code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    };
    const page = async (more: Record<string, string> = {}): Promise<string> =>
      (
        await anonymous.get(`/oauth2/authorize?${new URLSearchParams({ ...asked, ...more }).toString()}`)
      ).text();
    expect(await page({ client_id: 'unknown' })).toContain('Error: Invalid client_id');
    expect(await page({ redirect_uri: `${redirect_uri}/more` })).toContain('Error: Invalid redirect_uri');
    const code = async (): Promise<string> => {
      const [, oauth_state = ''] = /"oauth_state":"([^"]+)"/.exec(await page()) ?? [];
      const sent = await fetch(`${simulator.world.portalUrl}/sharing/oauth2/signin`, {
        method: 'POST',
        redirect: 'manual',
        body: new URLSearchParams({ oauth_state, ...builtInUsers.owner }),
      });
      const location = new URL(sent.headers.get('location') ?? '');
      expect(location.searchParams.get('state')).toBe('s1');
      return location.searchParams.get('code') ?? '';
    };
    const swap = (given: Record<string, string>): Promise<{ access_token?: string } & Fault> =>
      anonymous.call('/oauth2/token', {
        client_id: 'map',
        redirect_uri,
        code_verifier: verifier,
        grant_type: 'authorization_code',
        ...given,
      });
    const wrongs: Record<string, string>[] = [
      { code_verifier: 'w'.repeat(43) },
      { client_id: 'other' },
      { redirect_uri: 'https://elsewhere.example.com' },
      { code: 'made.up' },
    ];
    for (const wrong of wrongs) {
      const refused = await swap({ code: await code(), ...wrong });
      expect(refused).toMatchObject({ error: { code: 400, error: expect.stringContaining('invalid_') } });
    }
    const once = await code();
    const { access_token = '' } = await swap({ code: once });
    expect(await new Client(simulator, access_token).call(self)).toMatchObject({ username: 'owner' });
    expect(await swap({ code: once })).toMatchObject({ error: { message: 'Invalid code' } });
    const revoked = { client_id: 'map', auth_token: access_token };
    expect(await anonymous.call('/oauth2/revokeToken', revoked)).toEqual({ success: true });
    expect(await new Client(simulator, access_token).call(self)).toMatchObject({ error: { code: 498 } });
  });

  it('are API keys from 11.5 on', async () => {
    const older = new Client(await start({ version: '11.4' }), builtInApiKey);
    expect(await older.call(self)).toMatchObject({ error: { code: 498 } });
    const newer = new Client(await start({ version: '11.5' }), builtInApiKey);
    expect(await newer.call(self)).toMatchObject({ username: 'owner' });
  });
});

describe('answers of a simulated portal', () => {
  it('are pages without f=json, and errors have HTTP 200', async () => {
    const simulator = await start();
    const client = await signIn(simulator, 'owner');
    const page = await client.get('/portals/self');
    expect(page.headers.get('content-type')).toContain('text/html');
    const missing = await client.get('/content/items/00000000000000000000000000000000?f=json');
    expect(missing.status).toBe(200);
    expect(await missing.json()).toEqual({
      error: {
        code: 400,
        messageCode: 'CONT_0001',
        message: 'Item does not exist or is inaccessible.',
        details: [],
      },
    });
    expect(await client.call('/no/such/thing')).toMatchObject({ error: { code: 404 } });
  });

  it('are refusals with subcode 4 on portals that require https', async () => {
    const anonymous = new Client(await start({ httpsOnly: true }), undefined);
    expect(await anonymous.call('/portals/self')).toMatchObject({ error: { code: 403, subcode: 4 } });
  });

  it('distinguish missing from unreadable items, if configured', async () => {
    const simulator = await start({ seed: 'transport', unreadable: 'denied' });
    const other = await signIn(simulator, 'other');
    const denied = await other.call(`/content/items/${transportItems.map}`);
    expect(denied).toMatchObject({ error: { code: 403 } });
    expect(denied.error).not.toHaveProperty('messageCode');
    expect(await other.call(`/content/items/${'0'.repeat(32)}`)).toMatchObject({ error: { code: 400 } });
  });

  it('have the version in both schemes, the release from 11.0 on', async () => {
    const older = new Client(await start({ version: '10.9' }), undefined);
    const self = await older.call('/portals/self');
    expect(self).toMatchObject({ currentVersion: '8.4', isPortal: true });
    expect(self).not.toHaveProperty('enterpriseVersion');
    const newer = new Client(await start({ version: '11.3' }), undefined);
    expect(await newer.call('/portals/self')).toMatchObject({
      currentVersion: '2024.1',
      enterpriseVersion: '11.3.0',
    });
    newer.simulator.settings.noEnterpriseVersion = true;
    expect(await newer.call('/portals/self')).not.toHaveProperty('enterpriseVersion');
    expect(await newer.call('')).toEqual({ currentVersion: '2024.1' });
  });

  it('have only documented fields in strict mode', async () => {
    const lenient = await signIn(await start({ seed: 'transport' }), 'owner');
    const strict = await signIn(await start({ seed: 'transport', strict: true }), 'owner');
    const group = `/community/groups/${transportGroupId}`;
    expect(Object.keys(await strict.call(group))).toEqual(['id', 'title', 'owner']);
    expect(Object.keys(await lenient.call(group)).length).toBeGreaterThan(10);
    expect(await lenient.call(`/content/items/${transportItems.map}`)).toHaveProperty('isOrgItem');
    expect(await strict.call(`/content/items/${transportItems.map}`)).not.toHaveProperty('isOrgItem');
  });
});
