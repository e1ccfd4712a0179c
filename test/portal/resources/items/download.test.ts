import { afterEach, describe, expect, it } from '@jest/globals';
import { randomBytes } from 'node:crypto';
import { buffer } from 'node:stream/consumers';
import { downloadItemData } from '../../../../src/portal/resources/items/download';
import { dataAnswers, readItemText } from '../../../../src/portal/resources/items/items';
import {
  bearerOf,
  codeOf,
  failureOf,
  inTurn,
  json,
  portalError,
  portalsOf,
  type RawPortal,
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

/** Downloads the file of a portal, from a byte. */
async function fetched(portal: RawPortal, from = 0, etag?: string) {
  const { body, ...rest } = await downloadItemData(portal.client(), 'pkg', { from, ...(etag && { etag }) });
  const bytes = await buffer(body);
  const isWhole = bytes.equals(file.subarray(rest.startsAt));
  return { bytes, isWhole, ...rest };
}

const otherRange: Reply = (seen, response) => {
  if (!seen.headers.range) return whole(seen, response);
  response.writeHead(206, { 'content-range': `bytes 5-9/${file.length}` });
  response.end(file.subarray(5, 10));
};
const noBytesLeft: Reply = (_seen, response) => {
  response.writeHead(416, { 'content-range': `bytes */${file.length}` });
  response.end();
};
const chunked: Reply = (_seen, response) => {
  response.write(file.subarray(0, 100_000));
  response.end(file.subarray(100_000));
};
const withoutFormat: Reply = (seen, response) =>
  (seen.query.has('f') ? portalError(400, 'Format not allowed for this Item Type') : whole)(seen, response);

describe('a download', () => {
  const { length } = file;
  it.each<[string, Reply, number, object]>([
    ['with its length and tag', whole, 0, { startsAt: 0, totalBytes: length, etag: '"v1"' }],
    ['from a byte', whole, 1000, { startsAt: 1000, totalBytes: length, etag: '"v1"' }],
    ['from its start if the portal ignores ranges', ignoringRange, 1000, { startsAt: 0 }],
    ['from its start if the portal serves another range', otherRange, 1000, { startsAt: 0 }],
    ['without a byte left', noBytesLeft, length, { startsAt: length, totalBytes: length }],
    ['without a length', chunked, 0, { startsAt: 0 }],
    ['without a format if the portal refuses `f=json`', withoutFormat, 1000, { startsAt: 1000 }],
    ['after a renewed token', inTurn(portalError(498, 'Invalid token.'), whole), 0, { startsAt: 0 }],
  ])('returns the file %s', async (_title, reply, from, expected) => {
    const portal = await start({ [DATA]: reply });
    expect(await fetched(portal, from)).toMatchObject({ isWhole: true, ...expected });
  });

  it('continues only the same version of a file, and reports its progress', async () => {
    const portal = await start({ [DATA]: whole });
    let heard = 0;
    const options = { from: 1000, etag: '"v1"', onChunk: (bytes: number) => (heard += bytes) };
    const { body } = await downloadItemData(portal.client(), 'pkg', options);
    expect([(await buffer(body)).length, heard]).toEqual([file.length - 1000, file.length - 1000]);
    expect(portal.at(DATA)[0]?.headers['if-range']).toBe('"v1"');
  });

  it.each(['{"errors":"none"}', ''])('returns a small file: %s', async (text) => {
    const portal = await start({ [DATA]: words(text) });
    expect((await fetched(portal)).bytes.toString()).toBe(text);
  });

  it('ends with the first message when both requests are refused', async () => {
    const page = words('<html><title>400</title></html>', 200, { 'content-type': 'text/html' });
    const refusing: Reply = (seen, response) =>
      (seen.query.has('f') ? portalError(400, 'No.') : page)(seen, response);
    const portal = await start({ [DATA]: refusing });
    expect(await failureOf(fetched(portal))).toMatchObject({
      code: 'BAD_REQUEST',
      facts: { portalWords: 'No.' },
    });
  });

  it('fails on a page, however long', async () => {
    const page = words(`<html>${' '.repeat(100_000)}</html>`, 200, { 'content-type': 'text/html' });
    const portal = await start({ [DATA]: page });
    expect(await codeOf(fetched(portal))).toBe('HTML_RESPONSE');
  });
});

describe('a redirect', () => {
  const to = (location: string) => words('', 302, { location });

  it('leads to another origin without token, referer or a trace [P24]', async () => {
    const store = await start({ file: whole });
    const location = `${new URL(store.url).origin}/portal/sharing/rest/file?signature=not-to-be-seen`;
    const { bytes, isWhole, ...rest } = await fetched(await start({ [DATA]: to(location) }), 1000, '"v1"');
    expect([bytes.length, isWhole]).toEqual([file.length - 1000, true]);
    expect(rest.redirectedToHost).toBe(`127.0.0.1:${store.port}`);
    expect(JSON.stringify(rest)).not.toContain('signature');
    const [seen] = store.seen;
    expect(seen?.headers.range).toBe('bytes=1000-');
    expect([seen && bearerOf(seen), seen?.headers.referer]).toEqual([undefined, undefined]);
  });

  it('keeps the token within the portal', async () => {
    const portal = await start({ [DATA]: to('/portal/sharing/rest/elsewhere'), elsewhere: whole });
    const { isWhole, redirectedToHost } = await fetched(portal);
    expect([isWhole, redirectedToHost]).toEqual([true, undefined]);
    expect(portal.at('elsewhere').map(bearerOf)).toEqual(['token-not-to-be-seen-1']);
  });

  it("leads out of the portal's interface without token and referer", async () => {
    const portal = await start({ [DATA]: to('/store/file'), '/store/file': whole });
    const { isWhole, redirectedToHost } = await fetched(portal);
    expect([isWhole, redirectedToHost]).toEqual([true, `127.0.0.1:${portal.port}`]);
    const [seen] = portal.at('/store/file');
    expect([seen && bearerOf(seen), seen?.headers.referer]).toEqual([undefined, undefined]);
  });
});

describe('a download that breaks off', () => {
  const stalls: Reply = (_seen, response) => void response.write(file.subarray(0, 100_000));

  it('ends with RESPONSE_CUT in the middle of chunks', async () => {
    const cut: Reply = (_seen, response) => {
      response.write(file.subarray(0, 100_000), () => response.destroy());
    };
    const portal = await start({ [DATA]: cut });
    expect(await failureOf(fetched(portal))).toMatchObject({
      code: 'RESPONSE_CUT',
      facts: { portal: 'staging', operation: 'item.data' },
    });
  });

  it('is ABORTED when the caller aborts', async () => {
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
    const noted: Reply = (seen, response) => {
      response.once('close', closed);
      return stalls(seen, response);
    };
    const portal = await start({ [DATA]: noted });
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
    expect(await codeOf(readItemText(client, 'pkg', { maxBytes: 1000 }))).toBe('BAD_RESPONSE');
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
    expect(await codeOf(dataAnswers(portal.client(), 'pkg'))).toBe('ITEM_NOT_FOUND');
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
    expect(await codeOf(dataAnswers(client, 'pkg'))).toBe('SERVER_ERROR');
  });
});
