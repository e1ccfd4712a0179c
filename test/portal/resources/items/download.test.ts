import { afterEach, describe, expect, it } from '@jest/globals';
import { randomBytes } from 'node:crypto';
import { buffer } from 'node:stream/consumers';
import { type Download, downloadItemData } from '../../../../src/portal/resources/items/download';
import { dataAnswers, readItemText } from '../../../../src/portal/resources/items/items';
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
  it('returns the file with its length and tag', async () => {
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

  it('continues from a byte when the portal serves ranges', async () => {
    const portal = await start({ [DATA]: whole });
    const { bytes, ...rest } = await read(
      await downloadItemData(portal.client(), 'pkg', { from: 1000, etag: '"v1"' }),
    );
    expect(bytes.equals(file.subarray(1000))).toBe(true);
    expect(rest).toEqual({ startsAt: 1000, totalBytes: file.length, etag: '"v1"' });
    expect(portal.at(DATA)[0]?.headers['if-range']).toBe('"v1"');
  });

  it('starts over, and says so, when the portal ignores the range', async () => {
    const portal = await start({ [DATA]: ignoringRange });
    const { bytes, ...rest } = await read(await downloadItemData(portal.client(), 'pkg', { from: 1000 }));
    expect(bytes.equals(file)).toBe(true);
    expect(rest.startsAt).toBe(0);
  });

  it('starts over when the portal serves another range', async () => {
    const wrong: Reply = (seen, response) => {
      if (!seen.headers.range) return whole(seen, response);
      response.writeHead(206, { 'content-range': `bytes 5-9/${file.length}` });
      response.end(file.subarray(5, 10));
    };
    const portal = await start({ [DATA]: wrong });
    const { bytes, startsAt } = await read(await downloadItemData(portal.client(), 'pkg', { from: 1000 }));
    expect([startsAt, bytes.equals(file)]).toEqual([0, true]);
  });

  it('returns no bytes when all are there', async () => {
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

  it('needs no length', async () => {
    const chunked: Reply = (_seen, response) => {
      response.write(file.subarray(0, 100_000));
      response.end(file.subarray(100_000));
    };
    const portal = await start({ [DATA]: chunked });
    const { bytes, ...rest } = await read(await downloadItemData(portal.client(), 'pkg', { from: 0 }));
    expect(bytes.equals(file)).toBe(true);
    expect(rest).toEqual({ startsAt: 0 });
  });

  it('returns a small JSON file that is no error', async () => {
    const portal = await start({ [DATA]: words('{"errors":"none"}', 200) });
    const { bytes } = await read(await downloadItemData(portal.client(), 'pkg', { from: 0 }));
    expect(bytes.toString()).toBe('{"errors":"none"}');
  });

  it('is requested without a format when the portal refuses `f=json`', async () => {
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

  it('ends with the first message when both requests are refused', async () => {
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

  it('returns no byte of an empty file', async () => {
    const portal = await start({ [DATA]: words('') });
    expect((await read(await downloadItemData(portal.client(), 'pkg', { from: 0 }))).bytes).toHaveLength(0);
  });
});

describe('a redirect', () => {
  it('leads to another origin without token, referer or a trace [P24]', async () => {
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

  it('keeps the token within the portal', async () => {
    const portal = await start({
      [DATA]: words('', 307, { location: '/portal/sharing/rest/elsewhere' }),
      elsewhere: whole,
    });
    const { bytes, ...rest } = await read(await downloadItemData(portal.client(), 'pkg', { from: 0 }));
    expect(bytes.equals(file)).toBe(true);
    expect(rest.redirectedToHost).toBeUndefined();
    expect(portal.at('elsewhere').map(bearerOf)).toEqual(['token-not-to-be-seen-1']);
  });

  it("leads out of the portal's interface without token and referer", async () => {
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
});

describe('in place of a file', () => {
  it('renews a refused token once', async () => {
    const portal = await start({ [DATA]: inTurn(portalError(498, 'Invalid token.'), whole) });
    const { bytes } = await read(await downloadItemData(portal.client(), 'pkg', { from: 0 }));
    expect([bytes.equals(file), portal.tokens]).toEqual([true, 2]);
  });

  it('fails on a page, however long', async () => {
    const page = words(`<html>${' '.repeat(100_000)}</html>`, 200, { 'content-type': 'text/html' });
    const portal = await start({ [DATA]: page });
    expect(await failureOf(downloadItemData(portal.client(), 'pkg', { from: 0 }))).toMatchObject({
      code: 'HTML_RESPONSE',
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

  it('is ABORTED when the caller aborts', async () => {
    const stalls: Reply = (_seen, response) => void response.write(file.subarray(0, 100_000));
    const portal = await start({ [DATA]: stalls });
    const caller = new AbortController();
    const { body } = await downloadItemData(portal.client(), 'pkg', { from: 0 }, { signal: caller.signal });
    const reading = failureOf(buffer(body));
    caller.abort();
    expect(await reading).toMatchObject({ code: 'ABORTED' });
  });

  it('closes the connection when its reader ends', async () => {
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
});

describe("an item's data", () => {
  it('is undefined if there is none, and an error if it is too long', async () => {
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
  ])('is nothing when the portal answers %d "%s"', async (code, message, more) => {
    const portal = await start({
      [DATA]: portalError(code, message, more),
      'content/items/pkg': json({ id: 'pkg', size: 0 }),
    });
    expect(await readItemText(portal.client(), 'pkg', { maxBytes: 1000 })).toBeUndefined();
    expect(await dataAnswers(portal.client(), 'pkg')).toEqual({ sizeSeen: 0 });
  });

  it('is an error when the item is gone', async () => {
    const gone = portalError(400, 'Item does not exist or is inaccessible.', { messageCode: 'CONT_0001' });
    const portal = await start({ [DATA]: gone, 'content/items/pkg': gone });
    expect(await failureOf(dataAnswers(portal.client(), 'pkg'))).toMatchObject({ code: 'ITEM_NOT_FOUND' });
  });

  it('is checked without being read whole', async () => {
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
