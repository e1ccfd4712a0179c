import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import http, { type IncomingHttpHeaders, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Address, freePorts } from '../../../src/temporal/dev-server/address';
import { type WebUi, openWebUi } from '../../../src/temporal/dev-server/web-ui';

interface Answer {
  readonly status?: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

const read = async (message: IncomingMessage): Promise<string> => {
  let text = '';
  for await (const piece of message) text += String(piece);
  return text;
};

/** A Web UI that answers whoever asks, as Temporal's does, and tells what it was asked. */
describe('the door before the Web UI', () => {
  const asked: { line: string; headers: IncomingHttpHeaders; body: string }[] = [];
  let behind: http.Server;
  let inner: Address;
  let ui: WebUi;
  let port: number;

  const ask = (
    headers: Record<string, string>,
    { method = 'GET', path = '/api/v1/namespaces?a=b', body = '' } = {},
  ): Promise<Answer> =>
    new Promise((resolve, reject) => {
      http
        .request({ host: '127.0.0.1', port, method, path, headers, agent: false }, (message) => {
          read(message).then(
            (text) => resolve({ status: message.statusCode, headers: message.headers, body: text }),
            reject,
          );
        })
        .once('error', reject)
        .end(body);
    });
  const own = (): string => `127.0.0.1:${port}`;

  beforeAll(async () => {
    behind = http.createServer((request, response) => {
      void read(request).then((body) => {
        asked.push({ line: `${request.method} ${request.url}`, headers: request.headers, body });
        response.writeHead(201, { 'set-cookie': '_csrf=abc', 'content-type': 'text/html' }).end('the page');
      });
    });
    await new Promise<void>((resolve) => behind.listen(0, '127.0.0.1', resolve));
    inner = { host: '127.0.0.1', port: (behind.address() as AddressInfo).port };
    [port = 0] = await freePorts(1);
    ui = await openWebUi({ host: '127.0.0.1', port }, inner);
  });
  beforeEach(() => {
    asked.length = 0;
  });
  afterAll(async () => {
    await ui.close();
    await new Promise((resolve) => behind.close(resolve));
  });

  it.each(['127.0.0.1', 'localhost', 'LOCALHOST', '[::1]'])(
    'lets through who types the name %s',
    async (name) => {
      const answer = await ask({ host: `${name}:${port}`, 'sec-fetch-site': 'none' });
      expect(answer).toMatchObject({ status: 201, body: 'the page' });
      expect(answer.headers['set-cookie']).toEqual(['_csrf=abc']);
      expect(asked.map(({ line }) => line)).toEqual(['GET /api/v1/namespaces?a=b']);
    },
  );

  it.each([
    'evil.example',
    'evil.example:PORT',
    'localhost',
    'localhost:1',
    'localhost.evil.example:PORT',
    '127.0.0.1.evil.example:PORT',
    'localhost:PORT@evil.example',
    '10.0.0.1:PORT',
  ])('refuses the Host "%s", which a page elsewhere can have led here', async (name) => {
    const answer = await ask({ host: name.replace('PORT', String(port)) });
    expect(answer.status).toBe(403);
    expect(answer.body).toBe(
      `Use one of these addresses: http://127.0.0.1:${port}, http://localhost:${port}, http://[::1]:${port}.\n`,
    );
    expect(asked).toEqual([]);
  });

  it('refuses an address that names another host in place of a path', async () => {
    expect((await ask({ host: own() }, { path: 'http://evil.example/' })).status).toBe(403);
    expect(asked).toEqual([]);
  });

  it.each([
    ['GET', { origin: 'http://evil.example' }],
    ['POST', { origin: 'http://evil.example' }],
    ['OPTIONS', { origin: 'http://evil.example', 'access-control-request-method': 'POST' }],
    ['POST', { origin: 'http://evil.example', authorization: 'Bearer x' }],
    ['POST', { origin: 'null' }],
    ['POST', { origin: 'https://OWN' }],
    ['POST', { origin: 'http://localhost:3000', 'sec-fetch-site': 'same-site' }],
    ['GET', { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'no-cors' }],
    ['GET', { 'sec-fetch-site': 'same-site' }],
    ['POST', { 'sec-fetch-site': 'cross-site' }],
    ['POST', { origin: 'http://OWN', 'sec-fetch-site': 'cross-site' }],
    ['POST', {}],
    ['DELETE', { 'sec-fetch-site': 'none' }],
  ])('refuses %s of a page elsewhere, or of nobody knows where: %j', async (method, headers) => {
    const sent = Object.entries(headers).map(([name, value]) => [name, value.replace('OWN', own())]);
    const answer = await ask({ host: own(), ...Object.fromEntries(sent) }, { method, body: 'a=b' });
    expect(answer.status).toBe(403);
    expect(answer.headers['access-control-allow-origin']).toBeUndefined();
    expect(asked).toEqual([]);
  });

  it.each([
    ['POST', { 'content-length': '3' }],
    ['PUT', { 'transfer-encoding': 'chunked' }],
    ['DELETE', { 'transfer-encoding': 'chunked' }],
  ])('lets %s of its own pages through, with what it carries: %j', async (method, framing) => {
    const headers = { host: own(), origin: `http://${own()}`, 'sec-fetch-site': 'same-origin' };
    const answer = await ask(
      { ...headers, ...framing, cookie: '_csrf=abc', 'x-csrf-token': 'abc' },
      { method, path: '/api/v1/a%2Fb', body: 'a=b' },
    );
    expect(answer.status).toBe(201);
    expect(asked).toMatchObject([
      {
        line: `${method} /api/v1/a%2Fb`,
        body: 'a=b',
        headers: { 'x-csrf-token': 'abc', cookie: '_csrf=abc' },
      },
    ]);
  });

  it('keeps back the header with which the UI would not look where a request comes from', async () => {
    await ask({ host: own(), authorization: 'Bearer x' });
    expect(asked).toHaveLength(1);
    expect(asked[0]?.headers.authorization).toBeUndefined();
  });

  it('lets no page elsewhere take its files in', async () => {
    const { headers } = await ask({ host: own() });
    expect(headers['cross-origin-resource-policy']).toBe('same-origin');
  });

  it('says that the server is away while it is, and that something else has its place', async () => {
    const [gone = 0, free = 0] = await freePorts(2);
    const lonely = await openWebUi({ host: '127.0.0.1', port: free }, { host: '127.0.0.1', port: gone });
    const answer = await fetch(lonely.url);
    expect([answer.status, await answer.text()]).toEqual([
      502,
      'The Temporal server does not respond. Try again in a moment.\n',
    ]);
    await expect(openWebUi({ host: '127.0.0.1', port: free }, inner)).rejects.toMatchObject({
      code: 'ADDRESS_IN_USE',
      message: `[ADDRESS_IN_USE] The Web UI cannot listen at 127.0.0.1:${free} (EADDRINUSE)`,
    });
    await lonely.close();
  });
});
