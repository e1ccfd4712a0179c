import { afterEach, describe, expect, it } from '@jest/globals';
import { randomBytes } from 'node:crypto';
import { type AddressInfo, createServer } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { type Download, downloadItemData } from '../../../../src/portal/resources/items/download';
import { dataAnswers, readItem, readItemText } from '../../../../src/portal/resources/items/items';
import {
  bearerOf,
  failureOf,
  inTurn,
  json,
  portalError,
  portalsOf,
  type Reply,
  words,
} from '../../raw-portal';

const DATA = 'content/items/pkg/data';
const file = randomBytes(300_000);

const start = portalsOf(afterEach);

/** Serves the file, by Range where that is asked for. */
const whole: Reply = (seen, response) => {
  const from = Number(/^bytes=(\d+)-$/.exec(seen.headers.range ?? '')?.[1] ?? Number.NaN);
  const ranged = !Number.isNaN(from);
  const bytes = ranged ? file.subarray(from) : file;
  response.writeHead(ranged ? 206 : 200, {
    'content-type': 'application/octet-stream',
    'content-length': bytes.length,
    etag: '"v1"',
    ...(ranged && { 'content-range': `bytes ${from}-${file.length - 1}/${file.length}` }),
  });
  response.end(bytes);
};

const ignoringRange: Reply = (_seen, response) => void response.end(file);

const read = async ({ body, ...rest }: Download) => ({ ...rest, bytes: await buffer(body) });

describe('a download', () => {
  it('gives the file with its length and tag', async () => {
    const portal = await start({ [DATA]: whole });
    let heard = 0;
    const download = await downloadItemData(portal.client(), 'pkg', {
      from: 0,
      onChunk: (n) => (heard += n),
    });
    const { bytes, ...rest } = await read(download);
    expect(bytes.equals(file)).toBe(true);
    expect(rest).toEqual({ startsAt: 0, totalBytes: file.length, etag: '"v1"' });
    expect(heard).toBe(file.length);
  });

  it('goes on from a byte where the portal offers that', async () => {
    const portal = await start({ [DATA]: whole });
    const { bytes, ...rest } = await read(
      await downloadItemData(portal.client(), 'pkg', { from: 1000, etag: '"v1"' }),
    );
    expect(bytes.equals(file.subarray(1000))).toBe(true);
    expect(rest).toEqual({ startsAt: 1000, totalBytes: file.length, etag: '"v1"' });
    expect(portal.at(DATA)[0]?.headers['if-range']).toBe('"v1"');
  });

  it('starts over, and says so, where the portal ignores the wish', async () => {
    const portal = await start({ [DATA]: ignoringRange });
    const { bytes, ...rest } = await read(await downloadItemData(portal.client(), 'pkg', { from: 1000 }));
    expect(bytes.equals(file)).toBe(true);
    expect(rest.startsAt).toBe(0);
  });

  it('starts over where the portal answers with another range than the one desired', async () => {
    const wrong: Reply = (seen, response) => {
      if (!seen.headers.range) return whole(seen, response);
      response.writeHead(206, { 'content-range': `bytes 5-9/${file.length}` });
      response.end(file.subarray(5, 10));
    };
    const portal = await start({ [DATA]: wrong });
    const { bytes, startsAt } = await read(await downloadItemData(portal.client(), 'pkg', { from: 1000 }));
    expect([startsAt, bytes.equals(file)]).toEqual([0, true]);
  });

  it('has nothing left to give where all bytes are there', async () => {
    const reply: Reply = (_seen, response) => {
      response.writeHead(416, { 'content-range': `bytes */${file.length}` });
      response.end();
    };
    const portal = await start({ [DATA]: reply });
    const { bytes, ...rest } = await read(
      await downloadItemData(portal.client(), 'pkg', { from: file.length }),
    );
    expect([bytes.length, rest]).toEqual([0, { startsAt: file.length, totalBytes: file.length }]);
  });

  it('manages without a length', async () => {
    const chunked: Reply = (_seen, response) => {
      response.write(file.subarray(0, 100_000));
      response.end(file.subarray(100_000));
    };
    const portal = await start({ [DATA]: chunked });
    const { bytes, ...rest } = await read(await downloadItemData(portal.client(), 'pkg', { from: 0 }));
    expect(bytes.equals(file)).toBe(true);
    expect(rest).toEqual({ startsAt: 0 });
  });

  it('of a small file that is no error gives the file', async () => {
    const portal = await start({ [DATA]: words('{"errors":"none"}', 200) });
    const { bytes } = await read(await downloadItemData(portal.client(), 'pkg', { from: 0 }));
    expect(bytes.toString()).toBe('{"errors":"none"}');
  });

  it('is asked for without a format where the portal refuses the one for errors', async () => {
    const refusing: Reply = (seen, response) =>
      (seen.query.has('f') ? portalError(400, 'Format not allowed for this Item Type') : whole)(
        seen,
        response,
      );
    const portal = await start({ [DATA]: refusing });
    const { bytes } = await read(await downloadItemData(portal.client(), 'pkg', { from: 1000 }));
    expect(bytes.equals(file.subarray(1000))).toBe(true);
    expect(portal.at(DATA).map((seen) => seen.query.get('f'))).toEqual(['json', null]);
  });

  it('that is refused both ways ends with the words of the first', async () => {
    const refusing: Reply = (seen, response) =>
      (seen.query.has('f')
        ? portalError(400, 'No.')
        : words('<html><title>400</title></html>', 200, { 'content-type': 'text/html' }))(seen, response);
    const portal = await start({ [DATA]: refusing });
    expect(await failureOf(downloadItemData(portal.client(), 'pkg', { from: 0 }))).toMatchObject({
      code: 'BAD_REQUEST',
      facts: { portalWords: 'No.' },
    });
  });

  it('of an empty file gives no byte', async () => {
    const portal = await start({ [DATA]: words('') });
    expect((await read(await downloadItemData(portal.client(), 'pkg', { from: 0 }))).bytes).toHaveLength(0);
  });
});

describe('a redirect', () => {
  it('to another origin is followed without token and referer, the range kept, the address never told [P24]', async () => {
    const store = await start({ file: whole });
    const origin = new URL(store.url).origin;
    const portal = await start({
      [DATA]: words('', 302, { location: `${origin}/portal/sharing/rest/file?signature=not-to-be-seen` }),
    });
    const { bytes, ...rest } = await read(
      await downloadItemData(portal.client(), 'pkg', { from: 1000, etag: '"v1"' }),
    );
    expect(bytes.equals(file.subarray(1000))).toBe(true);
    expect(rest.redirectedToHost).toBe(`127.0.0.1:${store.port}`);
    expect(JSON.stringify(rest)).not.toContain('signature');
    const [seen] = store.seen;
    expect(seen?.headers.range).toBe('bytes=1000-');
    expect(seen?.headers['x-esri-authorization']).toBeUndefined();
    expect(seen?.headers.referer).toBeUndefined();
  });

  it('within the portal keeps the token', async () => {
    const portal = await start({
      [DATA]: words('', 307, { location: '/portal/sharing/rest/elsewhere' }),
      elsewhere: whole,
    });
    const { bytes, ...rest } = await read(await downloadItemData(portal.client(), 'pkg', { from: 0 }));
    expect(bytes.equals(file)).toBe(true);
    expect(rest.redirectedToHost).toBeUndefined();
    expect(portal.at('elsewhere').map(bearerOf)).toEqual(['token-not-to-be-seen-1']);
  });

  it('within its host but out of its interface is followed without token and referer', async () => {
    const portal = await start({
      [DATA]: words('', 302, { location: '/store/file?signature=not-to-be-seen' }),
      '/store/file': whole,
    });
    const { bytes, ...rest } = await read(await downloadItemData(portal.client(), 'pkg', { from: 0 }));
    expect(bytes.equals(file)).toBe(true);
    expect(rest.redirectedToHost).toBe(`127.0.0.1:${portal.port}`);
    const [seen] = portal.at('/store/file');
    expect([seen && bearerOf(seen), seen?.headers.referer]).toEqual([undefined, undefined]);
  });

  it('without end is given up', async () => {
    const portal = await start({ [DATA]: words('', 302, { location: `/portal/sharing/rest/${DATA}` }) });
    expect(await failureOf(downloadItemData(portal.client(), 'pkg', { from: 0 }))).toMatchObject({
      code: 'REDIRECT_LOOP',
    });
  });

  it('to a store that refuses is an outage that passes, since the next address is another', async () => {
    const store = await start({ file: words('<Error><Code>AccessDenied</Code></Error>', 403) });
    const location = `${new URL(store.url).origin}/portal/sharing/rest/file?signature=not-to-be-seen`;
    const portal = await start({ [DATA]: words('', 302, { location }) });
    expect(await failureOf(downloadItemData(portal.client(), 'pkg', { from: 0 }))).toMatchObject({
      code: 'UNAVAILABLE',
      message: `staging: its content store 127.0.0.1:${store.port} returned HTTP 403.`,
    });
  });

  it('of a call for JSON to another host is refused, since it would be a sign-in page', async () => {
    const portal = await start({
      [DATA]: whole,
      'content/items/pkg': words('', 302, { location: 'https://idp.example.com/login?x=1' }),
    });
    expect(await failureOf(readItem(portal.client(), 'pkg'))).toMatchObject({
      code: 'BAD_RESPONSE',
      message: 'staging redirects item.read to idp.example.com.',
    });
  });
});

describe('in place of a file', () => {
  it('an error in a 200 is an error', async () => {
    const portal = await start({
      [DATA]: portalError(400, 'Item does not exist or is inaccessible.', { messageCode: 'CONT_0001' }),
    });
    expect(await failureOf(downloadItemData(portal.client(), 'pkg', { from: 0 }))).toMatchObject({
      code: 'ITEM_NOT_FOUND',
    });
  });

  it('a refused token is renewed once', async () => {
    const portal = await start({ [DATA]: inTurn(portalError(498, 'Invalid token.'), whole) });
    const { bytes } = await read(await downloadItemData(portal.client(), 'pkg', { from: 0 }));
    expect([bytes.equals(file), portal.tokens]).toEqual([true, 2]);
  });

  it('a page is an error, however long', async () => {
    const page = words(`<html>${' '.repeat(100_000)}</html>`, 200, { 'content-type': 'text/html' });
    const portal = await start({ [DATA]: page });
    expect(await failureOf(downloadItemData(portal.client(), 'pkg', { from: 0 }))).toMatchObject({
      code: 'HTML_RESPONSE',
    });
  });

  it('a real status is an error', async () => {
    const portal = await start({ [DATA]: words('<html></html>', 503, { 'retry-after': '3' }) });
    expect(await failureOf(downloadItemData(portal.client(), 'pkg', { from: 0 }))).toMatchObject({
      code: 'UNAVAILABLE',
      facts: { retryAfterMs: 3000 },
    });
  });
});

describe('a download that breaks off', () => {
  it.each<[string, Reply]>([
    [
      'before the length it announced',
      (_seen, response) => {
        response.writeHead(200, { 'content-length': file.length });
        response.write(file.subarray(0, 100_000), () => response.destroy());
      },
    ],
    [
      'in the middle of chunks',
      (_seen, response) => {
        response.write(file.subarray(0, 100_000), () => response.destroy());
      },
    ],
  ])('%s ends with RESPONSE_CUT after the bytes that came', async (_title, reply) => {
    const portal = await start({ [DATA]: reply });
    let heard = 0;
    const { body } = await downloadItemData(portal.client(), 'pkg', {
      from: 0,
      onChunk: (n) => (heard += n),
    });
    expect(await failureOf(buffer(body))).toMatchObject({
      code: 'RESPONSE_CUT',
      facts: { portal: 'staging', operation: 'item.data' },
    });
    expect(heard).toBeLessThanOrEqual(100_000);
  });

  it('is ABORTED when the caller ends it', async () => {
    const stalls: Reply = (_seen, response) => void response.write(file.subarray(0, 100_000));
    const portal = await start({ [DATA]: stalls });
    const caller = new AbortController();
    const { body } = await downloadItemData(portal.client(), 'pkg', { from: 0 }, { signal: caller.signal });
    const reading = failureOf(buffer(body));
    caller.abort();
    expect(await reading).toMatchObject({ code: 'ABORTED' });
  });

  it('ends the answer when its reader goes away', async () => {
    let closed = () => {};
    const left = new Promise<void>((resolve) => (closed = resolve));
    const stalls: Reply = (_seen, response) => {
      response.once('close', closed);
      response.write(file.subarray(0, 100_000));
    };
    const portal = await start({ [DATA]: stalls });
    const { body } = await downloadItemData(portal.client(), 'pkg', { from: 0 });
    body.destroy();
    await left;
  });

  it('before its head is a connection that was lost', async () => {
    const server = createServer((socket) => socket.once('data', () => socket.destroy()));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const portal = await start({});
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/portal/sharing/rest`;
    const auth = { type: 'token', secret: () => Promise.resolve('ready') } as const;
    const failure = await failureOf(downloadItemData(portal.client({ url, auth }), 'pkg', { from: 0 }));
    await new Promise((resolve) => server.close(resolve));
    expect(failure).toMatchObject({ code: 'CONNECTION_LOST' });
  });
});

describe("an item's data", () => {
  it('as text is undefined where there is none, and an error where it is too long', async () => {
    const portal = await start({ [DATA]: inTurn(words(''), words('{"a":1}'), words('x'.repeat(2000))) });
    const client = portal.client();
    expect(await readItemText(client, 'pkg', { maxBytes: 1000 })).toBeUndefined();
    expect(await readItemText(client, 'pkg', { maxBytes: 1000 })).toBe('{"a":1}');
    expect(await failureOf(readItemText(client, 'pkg', { maxBytes: 1000 }))).toMatchObject({
      code: 'BAD_RESPONSE',
    });
  });

  it.each([
    [500, 'Item does not have a file.', {}],
    [400, 'Item does not exist or is inaccessible.', { messageCode: 'CONT_0001' }],
  ])('is nothing where an item that is there answers %d "%s"', async (code, message, more) => {
    const portal = await start({
      [DATA]: portalError(code, message, more),
      'content/items/pkg': json({ id: 'pkg', size: 0 }),
    });
    expect(await readItemText(portal.client(), 'pkg', { maxBytes: 1000 })).toBeUndefined();
    expect(await dataAnswers(portal.client(), 'pkg')).toEqual({ sizeSeen: 0 });
  });

  it('is not there to be told of where the item is gone', async () => {
    const gone = portalError(400, 'Item does not exist or is inaccessible.', { messageCode: 'CONT_0001' });
    const portal = await start({ [DATA]: gone, 'content/items/pkg': gone });
    expect(await failureOf(dataAnswers(portal.client(), 'pkg'))).toMatchObject({ code: 'ITEM_NOT_FOUND' });
  });

  it('is shown to answer without being read whole', async () => {
    const endless: Reply = (_seen, response) => {
      response.writeHead(200, { 'content-length': 10 ** 12 });
      response.write(Buffer.alloc(200_000));
    };
    const portal = await start({
      [DATA]: inTurn(endless, words('short'), json({ error: { code: 500, message: 'No.' } })),
    });
    const client = portal.client();
    expect(await dataAnswers(client, 'pkg')).toEqual({ sizeSeen: 10 ** 12 });
    expect(await dataAnswers(client, 'pkg')).toEqual({ sizeSeen: 5 });
    expect(await failureOf(dataAnswers(client, 'pkg'))).toMatchObject({ code: 'SERVER_ERROR' });
  });
});
