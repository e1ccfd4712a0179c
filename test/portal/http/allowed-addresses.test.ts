import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { createServer } from 'node:http';
import type { LookupFunction } from 'node:net';
import os from 'node:os';
import type { Portal } from '../../../src/portal/client';
import { AllowedAddresses } from '../../../src/portal/http/allowed-addresses';
import { downloadItemData } from '../../../src/portal/resources/items/download';
import { readService } from '../../../src/portal/resources/layers';
import { failureOf, portalsOf, serversOf } from '../raw-portal';
import { redirect } from '../odd-answers/odd-answer';

const startPortal = portalsOf(afterEach);
const listening = serversOf(afterEach);

const DATA = 'content/items/a/data';
const ownForms = [
  '127.0.0.1',
  '127.9.9.9',
  '0.0.0.0',
  '[::1]',
  '[::]',
  '[::ffff:127.0.0.1]',
  '[64:ff9b::7f00:1]',
];
const linkLocalForms = ['169.254.169.254', '[fe80::1]', '[febf::1]', '[::ffff:169.254.169.254]'];

/** Addresses under which others on its network reach this machine. */
const lanForms = ['198.51.100.20', '[2001:db8::20]', '[::ffff:198.51.100.20]'];
afterEach(() => void jest.restoreAllMocks());
const onALan = () => {
  const usual = { mac: '02:00:00:00:00:01', internal: false };
  jest.spyOn(os, 'networkInterfaces').mockReturnValue({
    eth0: [
      { ...usual, family: 'IPv4', address: '198.51.100.20', netmask: '255.255.255.0', cidr: null },
      { ...usual, family: 'IPv6', address: '2001:db8::20', netmask: 'ffff::', cidr: null, scopeid: 0 },
    ],
  });
};

const names: Record<string, string> = {
  'portal.example.com': '203.0.113.7',
  'store.example.com': '203.0.113.8',
  'own.example.com': '127.0.0.1',
  'lan.example.com': '198.51.100.20',
  'metadata.example.com': '169.254.169.254',
};
const lookup: LookupFunction = (host, _options, done) => {
  const address = names[host];
  if (address === undefined) done(Object.assign(new Error(host), { code: 'ENOTFOUND' }), '', 0);
  else done(null, [{ address, family: 4 }]);
};

/** The client of a portal that is elsewhere: what it answers comes through a proxy, and so would all else. */
async function elsewhere(location: string): Promise<{ client: Portal; asked: string[] }> {
  const asked: string[] = [];
  const proxy = createServer((request, response) => {
    const url = new URL(request.url ?? '');
    asked.push(url.host);
    if (!url.pathname.endsWith(DATA))
      return response.end(JSON.stringify({ token: 't', expires: Date.now() + 60_000 }));
    response.writeHead(302, { location });
    return response.end();
  });
  const portal = await startPortal({});
  const client = portal.client({
    url: 'http://portal.example.com/portal/sharing/rest',
    proxy: `http://127.0.0.1:${await listening(proxy)}`,
    insecure: true,
    lookup,
  });
  return { client, asked };
}

describe('a redirect of a portal that is elsewhere', () => {
  it.each([...ownForms, ...lanForms, 'localhost', 'a.localhost', 'localhost.'])(
    'never leads to this machine: %s',
    async (host) => {
      onALan();
      const { client, asked } = await elsewhere(`http://${host}:7233/file`);
      const failure = await failureOf(downloadItemData(client, 'a', { from: 0 }));
      expect(failure).toMatchObject({ code: 'ADDRESS_REFUSED', facts: { portal: 'staging' } });
      expect(failure['message']).toMatch(
        /^staging leads to .*: this machine, although the portal runs elsewhere\.$/,
      );
      expect(new Set(asked)).toEqual(new Set(['portal.example.com']));
    },
  );
});

describe('a redirect of a portal on this machine', () => {
  it('leads to another port of this machine', async () => {
    const store = await startPortal({ '/file': (_seen, response) => void response.end('bytes') });
    const portal = await startPortal({ [DATA]: redirect(`http://127.0.0.1:${store.port}/file`) });
    const { body } = await downloadItemData(portal.client(), 'a', { from: 0 });
    expect(Buffer.concat(await body.toArray()).toString()).toBe('bytes');
  });

  it.each([...linkLocalForms, 'metadata.example.com'])(
    'never leads to a link-local address: %s [P24]',
    async (host) => {
      const portal = await startPortal({ [DATA]: redirect(`https://${host}/latest`) });
      const failure = await failureOf(downloadItemData(portal.client({ lookup }), 'a', { from: 0 }));
      expect(failure).toMatchObject({ code: 'ADDRESS_REFUSED' });
      expect(failure['message']).toMatch(/^staging leads to .*: a link-local address\.$/);
    },
  );
});

describe('the address of a service that a portal names', () => {
  it('does not lead to a link-local address', async () => {
    const servers = { servers: [{ url: 'https://metadata.example.com/server' }] };
    const portal = await startPortal({
      'portals/self': (_seen, response) => void response.end(JSON.stringify({ id: 'p' })),
      'portals/p/servers': (_seen, response) => void response.end(JSON.stringify(servers)),
    });
    const url = 'https://metadata.example.com/server/rest/services/x/FeatureServer';
    expect(await failureOf(readService(portal.client({ lookup }), url))).toMatchObject({
      code: 'ADDRESS_REFUSED',
      message: 'staging leads to metadata.example.com (169.254.169.254): a link-local address.',
    });
  });
});

describe('a host name', () => {
  const resolved = (url: string, host: string, aliases?: string[]): Promise<string> =>
    new Promise((resolve, reject) =>
      new AllowedAddresses({ name: 'staging', url, aliases, lookup }).lookup(
        host,
        { all: true },
        (error, found) => (error ? reject(error) : resolve(JSON.stringify(found))),
      ),
    );
  const portal = 'https://portal.example.com/portal';

  it('is followed elsewhere', async () => {
    expect(await resolved(portal, 'store.example.com')).toContain('203.0.113.8');
  });

  it('leads to this machine only if the portal is here', async () => {
    await expect(resolved(portal, 'own.example.com')).rejects.toThrow(
      '[ADDRESS_REFUSED] staging leads to own.example.com (127.0.0.1): this machine, although the portal runs elsewhere.',
    );
    expect(await resolved('https://127.0.0.1/portal', 'own.example.com')).toContain('127.0.0.1');
    expect(await resolved('https://own.example.com/portal', 'own.example.com')).toContain('127.0.0.1');
  });

  it("leads to this machine's network address only if the portal is here [P24]", async () => {
    onALan();
    await expect(resolved(portal, 'lan.example.com')).rejects.toThrow(
      '[ADDRESS_REFUSED] staging leads to lan.example.com (198.51.100.20): this machine, although the portal runs elsewhere.',
    );
    expect(await resolved('https://198.51.100.20/portal', 'lan.example.com')).toContain('198.51.100.20');
    expect(await resolved('https://127.0.0.1/portal', 'lan.example.com')).toContain('198.51.100.20');
  });

  it('is followed anywhere when it is configured for the portal', async () => {
    expect(await resolved(portal, 'own.example.com', ['https://own.example.com'])).toContain('127.0.0.1');
  });

  it('fails with ENOTFOUND when it does not resolve', async () => {
    await expect(resolved(portal, 'nobody.example.com')).rejects.toMatchObject({ code: 'ENOTFOUND' });
  });
});
