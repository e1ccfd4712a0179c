import { afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { createServer as createHttpServer } from 'node:http';
import { connect, createServer } from 'node:net';
import { Portal } from '../../../src/portal/client';
import { lookup } from 'node:dns';
import { once } from 'node:events';
import { buffer } from 'node:stream/consumers';
import { timeoutsFor } from '../../../src/portal/http/limits';
import { Transport } from '../../../src/portal/http/transport';
import { exportGroup } from '../../../src/portal/resources/group-export';
import { readItem } from '../../../src/portal/resources/items/items';
import { certificateFor } from '../auth/certificates';
import { codeOf, failureOf, json, portalsOf, type Reply, serversOf } from '../raw-portal';

const ITEM = 'content/items/i1';
const item = json({ id: 'i1' });

const start = portalsOf(afterEach);
const listening = serversOf(afterEach);

const portalAt = (url: string, insecure?: boolean) =>
  new Portal({ name: 'staging', url, auth: { type: 'token', secret: () => Promise.resolve('') }, insecure });

describe('a portal address', () => {
  it.each(['http://portal.example.com/portal/sharing/rest', 'http://10.0.0.1/portal/sharing/rest'])(
    'is refused with plain http beyond this machine: %s [P24]',
    (url) => {
      expect(() => portalAt(url)).toThrow(
        /^\[INSECURE_URL\] The connection to staging would use plain http at /,
      );
    },
  );

  it.each(['http://localhost:1/x', 'http://127.0.0.2/x', 'http://[::1]:1/x', 'https://portal.example.com/x'])(
    'is accepted: %s',
    (url) => {
      expect(portalAt(`${url}/`).url).toBe(url);
    },
  );

  it('is accepted with plain http when the configuration allows it', () => {
    expect(portalAt('http://portal.example.com/x', true).url).toBe('http://portal.example.com/x');
  });

  it.each([
    'portal.example.com/x',
    'ftp://portal.example.com',
    'https://user:pw@portal.example.com/x',
    'https://p.example/x?a=b',
  ])('is refused if it holds more or less than an address: %s', (url) => {
    expect(() => portalAt(url)).toThrow(/^\[CONFIG_INVALID\]/);
  });
});

describe('a call', () => {
  it("ends when no response begins within the portal's time limit", async () => {
    const portal = await start({ [ITEM]: () => {} });
    const call = readItem(portal.client({ responseTimeoutMs: 1000 }), 'i1');
    expect((await failureOf(call)).message).toContain('no response in time');
  });

  it('ends at once when the caller aborts, signing in included', async () => {
    const portal = await start({ generateToken: () => {} });
    const caller = new AbortController();
    const call = failureOf(readItem(portal.client(), 'i1', { signal: caller.signal }));
    caller.abort();
    expect(await call).toMatchObject({ code: 'ABORTED' });
  });

  it("ends with the portal's own signal, unless the caller has another", async () => {
    const ending = new AbortController();
    const portal = await start({
      [ITEM]: async (seen, response) => {
        ending.abort();
        await new Promise(setImmediate);
        return json({ id: 'i1' })(seen, response);
      },
    });
    const client = portal.client({ signal: () => ending.signal });
    const own = readItem(client, 'i1', { signal: new AbortController().signal });
    expect(await own).toMatchObject({ id: 'i1' });
    expect(await codeOf(readItem(client, 'i1'))).toBe('ABORTED');
  });

  it('leaves a shared sign-in to the others when one caller aborts', async () => {
    const waiting: (() => void)[] = [];
    let arrived = () => {};
    const asked = new Promise<void>((resolve) => (arrived = resolve));
    const portal = await start({
      [ITEM]: item,
      generateToken: async (seen, response) => {
        arrived();
        await new Promise<void>((resolve) => waiting.push(resolve));
        return json({ token: 'token-late', expires: Date.now() + 60_000 })(seen, response);
      },
    });
    const client = portal.client();
    const caller = new AbortController();
    const first = failureOf(readItem(client, 'i1', { signal: caller.signal }));
    const second = readItem(client, 'i1');
    await asked;
    caller.abort();
    expect(await first).toMatchObject({ code: 'ABORTED' });
    waiting.forEach((go) => go());
    expect(await second).toMatchObject({ id: 'i1' });
    expect(portal.at('generateToken')).toHaveLength(1);
  });
});

describe('a kept connection', () => {
  it('serves reads in turn, while each write gets its own', async () => {
    const ports: (number | undefined)[] = [];
    const noted =
      (reply: Reply): Reply =>
      (seen, response) => {
        ports.push(response.socket?.remotePort);
        return reply(seen, response);
      };
    const portal = await start({
      [ITEM]: noted(item),
      'community/groups/g/export': noted(json({ jobId: 'j' })),
    });
    const client = portal.client();
    const write = () => exportGroup(client, 'g', { async: true, version: undefined });
    for (const call of [() => readItem(client, 'i1'), write, () => readItem(client, 'i1'), write])
      await call();
    const [read, firstWrite, readAgain, secondWrite] = ports;
    expect(readAgain).toBe(read);
    expect(new Set([read, firstWrite, secondWrite]).size).toBe(3);
  });
});

describe('a response that is read after its connection was closed', () => {
  // As much as is read ahead.
  const bytes = Buffer.alloc(64 * 1024, 'x');
  const read = async (length?: number) => {
    let closed: Promise<unknown> | undefined;
    const server = createServer((socket) => {
      closed = once(socket, 'close');
      const announced = length === undefined ? '' : `Content-Length: ${length}\r\n`;
      socket.once('data', () => socket.write(`HTTP/1.1 200 OK\r\n${announced}Connection: close\r\n\r\n`));
      socket.once('data', () => socket.end(bytes));
    });
    const url = new URL(`http://127.0.0.1:${await listening(server)}`);
    const transport = new Transport({ timeouts: timeoutsFor(10_000), lookup });
    const signal = new AbortController().signal;
    const { body } = await transport.send({ url, method: 'GET', headers: {}, signal });
    body.on('error', () => {});
    await closed;
    return await buffer(body).finally(() => transport.close());
  };

  it.each([
    ['a length', bytes.length],
    ['no length', undefined],
  ])('is whole with %s', async (_what, length) => {
    expect((await read(length)).equals(bytes)).toBe(true);
  });

  it('is refused when bytes are missing', async () => {
    await expect(read(2 * bytes.length)).rejects.toThrow('does not match content-length');
  });
});

describe('a certificate', () => {
  let tls: { key: string; cert: string };
  beforeAll(() => {
    tls = certificateFor('IP:127.0.0.1');
  });

  it('is trusted when the configuration names its issuer', async () => {
    const portal = await start({ [ITEM]: item }, tls);
    expect(await readItem(portal.client({ ca: tls.cert }), 'i1')).toMatchObject({ id: 'i1' });
  });

  it('is checked through a proxy as well', async () => {
    const portal = await start({ [ITEM]: item }, tls);
    const tunnels: string[] = [];
    const proxy = createHttpServer();
    proxy.on('connect', (request, socket, head) => {
      tunnels.push(`${request.url} ${request.headers['proxy-authorization']}`);
      const [host, port] = (request.url ?? '').split(':');
      const onward = connect(Number(port), host, () => {
        socket.write('HTTP/1.1 200 OK\r\n\r\n');
        onward.write(head);
        onward.pipe(socket).pipe(onward);
      });
      onward.on('error', () => socket.destroy());
      socket.on('error', () => onward.destroy());
    });
    const address = `http://user:proxy-pa55@127.0.0.1:${await listening(proxy)}`;
    expect(await readItem(portal.client({ ca: tls.cert, proxy: address }), 'i1')).toMatchObject({ id: 'i1' });
    const authorization = `Basic ${Buffer.from('user:proxy-pa55').toString('base64')}`;
    expect(new Set(tunnels)).toEqual(new Set([`127.0.0.1:${portal.port} ${authorization}`]));
    expect(await codeOf(readItem(portal.client({ proxy: address }), 'i1'))).toBe('TLS_FAILED');
  });
});

describe('a proxy', () => {
  it('gets the whole address of a portal with plain http', async () => {
    const portal = await start({ [ITEM]: item });
    const asked: string[] = [];
    const proxy = createHttpServer((request, response) => {
      asked.push(request.url ?? '');
      const body = request.url?.includes('generateToken')
        ? { token: 'by-proxy', expires: Date.now() + 60_000 }
        : { id: 'i1' };
      response.end(JSON.stringify(body));
    });
    const port = await listening(proxy);
    await readItem(portal.client({ proxy: `http://127.0.0.1:${port}` }), 'i1');
    expect(asked).toEqual([`${portal.url}/generateToken`, `${portal.url}/${ITEM}?f=json`]);
    expect(portal.seen).toHaveLength(0);
  });
});
