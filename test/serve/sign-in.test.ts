import { createHash, randomBytes } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import pino from 'pino';
import { parse, stringify } from 'yaml';
import { z } from 'zod';
import { loadConfig } from '../../src/config/load-config';
import { hashOfKey } from '../../src/serve/access';
import { type RunningServer, startServer } from '../../src/serve/server';
import { SealedTokens } from '../../src/serve/session/seal';
import { transportGroupId, transportItems, transportTargetGroupId } from '../../src/simulator/seed/transport';
import { Site } from '../support/site';
import { until } from '../support/until';
import { type Answer, Browser, locationOf } from './a-browser';
import { problem } from './a-problem';

const key = 'planted-key-of-a-dashboard';
const app = 'portolan-app';
/** A sealed text with another letter in its seal. */
const forged = (text: string) => text.replace(/.(?=.{4}$)/, (letter) => (letter === 'A' ? 'B' : 'A'));
/** How each token of a simulated portal begins, codes among them: `{"username":`. */
const beginningOfTokens = Buffer.from('{"username":').toString('base64url').slice(0, -1);

let site: Site;
let server: RunningServer;
/** The same sessions, open to whoever asks, and let people go who are no longer named. */
let later: RunningServer;
let seals: SealedTokens;
const aBrowser = (at = server) => new Browser(at, site.source.world.portalUrl);
const html = { accept: 'text/html' };
const asJson = { 'content-type': 'application/json' };
const asForm = { 'content-type': 'application/x-www-form-urlencoded' };

/** A server by the same file with another `serve.signIn`, or more of `serve`. */
async function startWith(serve: Record<string, unknown>) {
  const file = `${site.folder}/with.yaml`;
  const given = parse(readFileSync(`${site.folder}/portolan.yaml`, 'utf8')) as { serve: object };
  writeFileSync(file, stringify({ ...given, serve: { ...given.serve, ...serve } }));
  const started = await startServer(loadConfig(file), pino({ level: 'silent' }));
  const { settings } = site.source;
  const addresses = [...(settings.apps[app] ?? []), `${started.url}/sign-in/callback`];
  settings.apps = { [app]: addresses };
  return started;
}

beforeAll(async () => {
  site = await Site.open({
    listed: true,
    source: { strict: true },
    portals: { policy: { approvers: { users: ['anna@staging'] } } },
    config: {
      routes: {
        transport: {
          source: { portal: 'staging', group: transportGroupId },
          target: { portal: 'production', group: transportTargetGroupId },
          approval: 'required',
        },
      },
      serve: {
        address: '127.0.0.1:0',
        keys: { dashboard: { sha256: hashOfKey(key) } },
        signIn: {
          portal: 'staging',
          appId: app,
          people: [
            { groups: [transportGroupId], rights: ['approve'], routes: ['transport', 'other'] },
            { users: ['ANNA'], rights: ['start'], routes: ['transport'] },
            { roles: ['org_admin'], rights: ['operate'] },
          ],
        },
      },
    },
  });
  const { world, settings } = site.source;
  const passwordHash = world.hash('anna-pw');
  const anna = {
    username: 'anna',
    fullName: 'Anna',
    role: 'org_publisher' as const,
    privileges: [],
    passwordHash,
  };
  world.users.put('anna', { ...anna, created: 0 });
  const group = world.groups.get(transportGroupId);
  world.groups.change(transportGroupId, { members: [...(group?.members ?? []), 'anna'] });
  seals = await SealedTokens.open(loadConfig(`${site.folder}/portolan.yaml`));
  server = await site.serve();
  settings.apps = { [app]: [`${server.url}/sign-in/callback`] };
  later = await startWith({
    open: true,
    signIn: { portal: 'staging', appId: app, people: [{ users: ['admin'] }] },
  });
});
afterAll(async () => {
  await later.close();
  await site.close();
});

describe('a person who signs in at a portal', () => {
  it('has the rights of portolan.yaml, and continues where they were [P25]', async () => {
    const anna = aBrowser();
    expect(await anna.ask('/api/v1/whoami')).toMatchObject(problem(401, 'KEY_REFUSED'));
    const back = await anna.signedIn('anna', '/sign-in?return=/runs%3Fstatus%3Dparked');
    expect([back.status, locationOf(back)]).toEqual([303, '/runs?status=parked']);
    expect(back.headers.get('cache-control')).toBe('no-store');
    const [cookie = ''] = back.headers.getSetCookie().filter((line) => line.startsWith('portolan='));
    expect(cookie).toMatch(/; Path=\/; Expires=[^;]+; HttpOnly; SameSite=Lax$/);
    expect([...anna.cookies.keys()]).toEqual(['portolan']);
    const { body } = await anna.ask('/api/v1/whoami');
    expect(body).toEqual({
      who: 'anna@staging',
      identity: 'portal',
      // Of both entries, within the limits of each.
      rights: ['approve', 'start'],
      routes: ['transport'],
      expiresAt: expect.any(String),
    });
    expect(Date.parse(String(body.expiresAt)) - Date.now()).toBeLessThanOrEqual(12 * 3_600_000);
    expect(await anna.ask('/api/v1/status')).toMatchObject({ status: 200 });
  });

  it('starts and approves runs, whose records say so', async () => {
    const anna = aBrowser();
    await anna.signedIn('anna');
    const page = { ...asJson, origin: server.url };
    const asked = { route: 'transport', items: [transportItems.pdf] };
    const started = await anna.post('/api/v1/syncs', page, JSON.stringify(asked));
    expect(started.status).toBe(202);
    const run = `/api/v1/runs/${String(started.body['runId'])}`;
    const is = (...wanted: string[]): Promise<Answer> =>
      until(
        `the run to be ${wanted.join(' or ')}`,
        () => anna.ask(run),
        ({ body }) => wanted.includes(String(body['status'])),
      );
    const { plan } = (await is('waiting', 'parked', 'failed')).body as { plan?: { hash: string } };
    const yes = JSON.stringify({ plan: plan?.hash });
    expect(await anna.post(`${run}/approve`, asJson, yes)).toMatchObject({ body: { title: 'CROSS_SITE' } });
    expect(await anna.post(`${run}/approve`, page, yes)).toMatchObject({ status: 200 });
    const who = { who: 'anna@staging', identity: 'portal' };
    expect((await is('succeeded', 'partial', 'parked', 'failed')).body).toMatchObject({
      status: 'succeeded',
      actions: [
        { ...who, what: 'start' },
        { ...who, what: 'approve' },
      ],
    });
  });

  it('is refused without an entry in serve.signIn.people, also by a custom role', async () => {
    for (const user of ['other', 'custom']) {
      const browser = aBrowser();
      const refused = await browser.ask(await browser.signsIn(user), { headers: html });
      expect(refused.status).toBe(403);
      expect(refused.text).toContain(
        `${user}@staging signed in, but no entry of serve.signIn.people matches`,
      );
      expect([...browser.cookies]).toEqual([]);
    }
  });

  it('leaves no token in a response, cookie or log, and returns it to the portal [P15][P25]', async () => {
    const { requests } = site.source;
    const before = requests().length;
    const owner = aBrowser();
    await owner.signedIn('owner');
    const asked = requests().slice(before);
    expect(asked.map(({ operation }) => operation)).toEqual([
      ...['token.authorize', 'token.signIn', 'token.oauth', 'community.self', 'token.revoke', 'token.revoke'],
    ]);
    expect(site.source.world.spentTokens.size).toBeGreaterThanOrEqual(3);
    const [spent = ''] = site.source.world.spentTokens;
    expect(spent).toContain(beginningOfTokens);
    expect(site.log()).toContain('"who":"owner@staging"');
    expect(`${site.log()}${Browser.answered}${[...owner.cookies.values()].join()}`).not.toContain(
      beginningOfTokens,
    );
  });

  it('is redirected only to paths of the server [P25]', async () => {
    const browser = aBrowser();
    for (const elsewhere of [
      ...['https://evil.example.com', '//evil.example.com', '/\\evil.example.com', '/\t/evil.example.com'],
      ...['/.//evil.example.com', '/a/..//evil.example.com', 'javascript:alert(1)', `/${'a'.repeat(2_000)}`],
    ]) {
      const back = await browser.signedIn('admin', `/sign-in?return=${encodeURIComponent(elsewhere)}`);
      expect([elsewhere, locationOf(back)]).toEqual([elsewhere, '/']);
    }
    const { host } = new URL(server.url);
    const byName = host.replace('127.0.0.1', 'localhost');
    expect(locationOf(await browser.ask(`http://${byName}/sign-in`))).toBe(`${server.url}/sign-in`);
  });
});

describe('the response of a portal', () => {
  const over = problem(400, 'SIGN_IN_OVER');
  const refused = problem(403, 'CREDENTIALS_REFUSED');

  it('counts once, in the browser that asked for it, as the portal gave it [P25]', async () => {
    const [anna, eve] = [aBrowser(), aBrowser()];
    const came = await anna.signsIn('anna');
    expect(await eve.ask(came)).toMatchObject(over);
    await eve.ask('/sign-in');
    const kept = new Map(eve.cookies);
    expect(await eve.ask(came)).toMatchObject(refused);
    expect([...eve.cookies]).toEqual([]);
    const [name = '', value = ''] = [...anna.cookies].flat();
    expect((await anna.ask(came)).status).toBe(303);
    expect(await anna.ask(came)).toMatchObject(over);
    // The portal itself takes a code once.
    const again = aBrowser();
    again.cookies.set(name, value);
    expect(await again.ask(came)).toMatchObject(refused);
    again.cookies.set(name, value);
    const wrong = new URL(came);
    wrong.searchParams.set('state', 'other');
    expect(await again.ask(wrong.href)).toMatchObject(refused);
    again.cookies.set(name, forged(value));
    expect(await again.ask(came)).toMatchObject(over);
    // A session is no sign-in under way, nor the other way round.
    again.cookies.set(name, anna.cookies.get('portolan') ?? '');
    expect(await again.ask(came)).toMatchObject(over);
    again.cookies.clear();
    again.cookies.set('portolan', [...kept.values()][0] ?? '');
    expect(await again.ask('/api/v1/whoami')).toMatchObject(problem(401, 'SESSION_OVER'));
  });

  it('that refuses is shown as text', async () => {
    const browser = aBrowser();
    const page = new URL(locationOf(await browser.ask('/sign-in')));
    const came = new URLSearchParams({
      state: page.searchParams.get('state') ?? '',
      error: 'access_denied',
      error_description: 'The user denied <b>your</b> request',
    });
    const { status, text } = await browser.ask(`/sign-in/callback?${came.toString()}`, { headers: html });
    expect([status, text]).toEqual([
      403,
      expect.stringContaining('refused the sign-in: The user denied &#60;b&#62;'),
    ]);
  });
});

describe('a session', () => {
  it('is refused once expired or altered, or if its person is not listed any more [P25]', async () => {
    const anna = aBrowser();
    await anna.signedIn('anna');
    const sealed = anna.cookies.get('portolan') ?? '';
    const content = { id: 'x', portal: 'staging', username: 'anna', groups: [] };
    const sealedUntil = (ms: number) => seals.seal('cookie', content, new Date(Date.now() + ms));
    const other = aBrowser();
    const statusWith = async (cookie: string) => {
      other.cookies.set('portolan', cookie);
      return (await other.ask('/api/v1/whoami')).status;
    };
    expect(await statusWith(await sealedUntil(60_000))).toBe(200);
    expect(await statusWith(await sealedUntil(-1_000))).toBe(401);
    expect(await statusWith(await seals.seal('bearer', content, new Date(Date.now() + 60_000)))).toBe(401);
    for (const altered of [sealed.slice(0, -1), `${sealed}A`, sealed.replace(/\.([^.])/, '.A$1'), 'x', ''])
      expect(await statusWith(altered)).toBe(401);
    const gone = aBrowser(later);
    gone.cookies.set('portolan', sealed);
    expect(await gone.ask('/api/v1/whoami')).toMatchObject(problem(403, 'PERSON_REFUSED', 'anna@staging'));
  });
});

describe('a change', () => {
  const out = '/sign-out';
  const refused = problem(403, 'CROSS_SITE');

  it('is accepted only from pages of the server [P25]', async () => {
    const anna = aBrowser();
    await anna.signedIn('anna');
    const origin = server.url;
    const others = ['https://evil.example.com', 'null', `${origin}.evil.example.com`, 'http://127.0.0.1:1'];
    for (const headers of [
      {},
      ...[...others, origin.replace('http:', 'https:')].map((other) => ({ origin: other })),
      ...['cross-site', 'same-site', 'none'].map((site) => ({ origin, 'sec-fetch-site': site })),
    ] as Record<string, string>[])
      expect([headers, await anna.post(out, { ...asJson, ...headers }, '{}')]).toMatchObject([
        headers,
        refused,
      ]);
    const text = await anna.post(out, { origin, 'content-type': 'text/plain' }, '{}');
    expect(text).toMatchObject(problem(415, 'USAGE'));
    expect([...anna.cookies.keys()]).toEqual(['portolan']);
    const left = await anna.post(out, { ...asJson, origin, 'sec-fetch-site': 'same-origin' }, '{}');
    expect(left.status).toBe(200);
    expect([...anna.cookies.keys()]).toEqual([]);
    // What brings a key was made by no page.
    const bearer = { authorization: `Bearer ${key}`, origin: 'https://dashboard.example.com' };
    expect((await aBrowser().post(out, { ...bearer, ...asJson }, '{}')).status).toBe(200);
  });

  it('needs the form token of its session [P25]', async () => {
    const [anna, admin] = [aBrowser(), aBrowser()];
    const tokenOf = async (browser: Browser, username: string) => {
      await browser.signedIn(username);
      const read = await seals.unseal(
        'cookie',
        browser.cookies.get('portolan') ?? '',
        z.object({ id: z.string() }),
      );
      return seals.formToken(read?.content.id ?? '');
    };
    const [own, other] = [await tokenOf(anna, 'anna'), await tokenOf(admin, 'admin')];
    const headers = { ...asForm, origin: server.url };
    for (const form of ['', `_csrf=${other}`, `_csrf=${own.slice(1)}`, `_csrf=${own}&_csrf=${own}`])
      expect([form, await anna.post(out, headers, form)]).toMatchObject([form, refused]);
    expect((await anna.post(out, headers, `_csrf=${own}`)).status).toBe(200);
  });

  it('of an open server is accepted from programs, not from other pages [P25]', async () => {
    const program = aBrowser(later);
    // As Node's fetch sends it, and curl.
    expect((await program.post(out, asJson, '{}')).status).toBe(200);
    const evil = { origin: 'https://evil.example.com' };
    for (const headers of [evil, { 'sec-fetch-site': 'cross-site' }, { cookie: 'a=b' }] as Record<
      string,
      string
    >[])
      expect([headers, await program.post(out, { ...asJson, ...headers }, '{}')]).toMatchObject([
        headers,
        refused,
      ]);
    expect((await program.post(out, asForm, `_csrf=${seals.formToken('open')}`)).status).toBe(415);
    const page = { ...asForm, origin: later.url };
    expect(await program.post(out, page, '_csrf=x')).toMatchObject(refused);
    expect((await program.post(out, page, `_csrf=${seals.formToken('open')}`)).status).toBe(200);
  });
});

describe('a program signed in by a person', () => {
  const verifier = randomBytes(32).toString('base64url');
  const challengeOf = (text: string) => createHash('sha256').update(text).digest('base64url');
  const where = `/sign-in?cli=4711&challenge=${challengeOf(verifier)}`;

  it('gets its own session by a code that nobody else can use [P25]', async () => {
    const browser = aBrowser();
    const back = new URL(locationOf(await browser.signedIn('anna', where)));
    expect([back.origin, back.pathname, [...browser.cookies]]).toEqual(['http://127.0.0.1:4711', '/', []]);
    const code = back.searchParams.get('code') ?? '';
    const program = aBrowser();
    const change = (given: object): Promise<Answer> =>
      program.post('/sign-in/token', asJson, JSON.stringify({ code, verifier, ...given }));
    const over = problem(400, 'SIGN_IN_OVER');
    expect(await change({ verifier: randomBytes(32).toString('base64url') })).toMatchObject(over);
    expect(await change({ code: forged(code) })).toMatchObject(over);
    const late = await seals.seal('code', { challenge: challengeOf(verifier) }, new Date(Date.now() - 1_000));
    expect(await change({ code: late })).toMatchObject(over);
    const { body } = await change({});
    expect(body).toEqual({ token: expect.any(String), who: 'anna@staging', expiresAt: expect.any(String) });
    const authorization = `Bearer ${String(body['token'])}`;
    expect((await program.ask('/api/v1/whoami', { headers: { authorization } })).body).toMatchObject({
      who: 'anna@staging',
      identity: 'portal',
      expiresAt: body['expiresAt'],
    });
    expect(
      await program.ask('/api/v1/whoami', { headers: { authorization: `Bearer ${code}` } }),
    ).toMatchObject(problem(401, 'KEY_REFUSED'));
    program.cookies.set('portolan', String(body['token']));
    expect((await program.ask('/api/v1/whoami')).status).toBe(401);
  });

  it('is one that opened the browser, not one that another page names', async () => {
    const browser = aBrowser();
    const bySite = (site: string): Promise<Answer> =>
      browser.ask(where, { headers: { 'sec-fetch-site': site } });
    expect(await bySite('cross-site')).toMatchObject(problem(403, 'CROSS_SITE'));
    expect((await bySite('none')).status).toBe(303);
    for (const half of [
      'cli=4711',
      `challenge=${challengeOf(verifier)}`,
      `cli=0&challenge=${challengeOf(verifier)}`,
    ])
      expect(await browser.ask(`/sign-in?${half}`)).toMatchObject(problem(400, 'USAGE'));
  });
});
