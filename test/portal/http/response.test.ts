import { afterEach, describe, expect, it } from '@jest/globals';
import { deleteItem, readItem } from '../../../src/portal/resources/items/items';
import { readGroup } from '../../../src/portal/resources/groups';
import { failureOf, json, RawPortal, type Reply, words } from '../raw-portal';

const ITEM = 'content/items/0123456789abcdef0123456789abcdef';
const itemId = ITEM.slice(-32);

let portal: RawPortal;
afterEach(() => portal.stop());

const answered = async (reply: Reply) => {
  portal = await RawPortal.start({ [ITEM]: reply });
  return failureOf(readItem(portal.client(), itemId));
};

const error = (error: unknown, status = 200) => json({ error }, status);

describe('an error of the portal', () => {
  const table: [title: string, reply: Reply, code: string, said: string][] = [
    [
      'with code and details',
      error({ code: 400, message: 'Bad.', details: ['First.', 'Second.'] }),
      'BAD_REQUEST',
      'Bad. First. Second.',
    ],
    [
      'whose details are one string',
      error({ code: 400, message: 'Bad.', details: 'Why.' }),
      'BAD_REQUEST',
      'Bad. Why.',
    ],
    ['whose details are null', error({ code: 400, message: 'Bad.', details: null }), 'BAD_REQUEST', 'Bad.'],
    [
      'whose message is null',
      error({ code: 400, message: null, details: ['Only this.'] }),
      'BAD_REQUEST',
      'Only this.',
    ],
    [
      'that repeats its message as detail',
      error({ code: 400, message: 'Same.', details: ['Same.'] }),
      'BAD_REQUEST',
      'Same.',
    ],
    [
      'without a code',
      error({ message: 'Something broke.', details: [] }),
      'SERVER_ERROR',
      'Something broke.',
    ],
    ['without anything', error({}), 'SERVER_ERROR', 'error without code or message'],
    ['whose code is a string', error({ code: '403', message: 'No.' }), 'PERMISSION_DENIED', 'No.'],
    [
      'for a right that is missing',
      error({
        code: 403,
        message: 'You do not have permissions to access this resource or perform this operation.',
      }),
      'PERMISSION_DENIED',
      'You do not have permissions to access this resource or perform this operation.',
    ],
    [
      'that denies a valid token',
      error({ code: 498, message: 'Token is valid but access is denied.' }),
      'PERMISSION_DENIED',
      'Token is valid but access is denied.',
    ],
    [
      'that asks for https',
      error({ code: 403, subcode: 4, message: 'SSL required.' }),
      'INSECURE_URL',
      'SSL required.',
    ],
    [
      'for a thing that is not there',
      error({ code: 404, message: 'Resource does not exist or is inaccessible.' }),
      'ITEM_NOT_FOUND',
      'Resource does not exist or is inaccessible.',
    ],
    [
      'for an item that is not there, as code 400',
      error({ code: 400, messageCode: 'CONT_0001', message: 'Item does not exist or is inaccessible.' }),
      'ITEM_NOT_FOUND',
      'Item does not exist or is inaccessible.',
    ],
    [
      'for a thing that is not there, with a real status',
      error({ message: 'Gone.' }, 404),
      'ITEM_NOT_FOUND',
      'Gone.',
    ],
    ['inside the portal', error({ code: 500, message: 'Oops.' }), 'SERVER_ERROR', 'Oops.'],
    ['of a portal that is busy', error({ code: 503, message: 'Busy.' }), 'UNAVAILABLE', 'Busy.'],
    [
      'with too many requests in words',
      error({ code: 400, message: 'Unable to perform query. Too many requests.' }),
      'RATE_LIMITED',
      'Unable to perform query. Too many requests.',
    ],
    [
      'in the second envelope',
      json({ status: 'error', messages: ['One.', 'Two.'], code: 500 }),
      'SERVER_ERROR',
      'One. Two.',
    ],
    [
      'in the third envelope',
      json({ code: 500, message: 'Down below.', status: 'failure' }),
      'SERVER_ERROR',
      'Down below.',
    ],
    [
      'whose status message is JSON',
      json({ status: 'failed', statusMessage: '{"code":403,"message":"No."}' }),
      'PERMISSION_DENIED',
      'No. {"code":403,"message":"No."}',
    ],
    [
      'that is only a word',
      json({ error: 'invalid_request', error_description: 'Not so.' }, 400),
      'BAD_REQUEST',
      'Not so.',
    ],
    [
      'as a page of a proxy, 502',
      words('<html><title>Bad Gateway</title></html>', 502),
      'UNAVAILABLE',
      'a page titled "Bad Gateway"',
    ],
    ['as a page of a proxy, 504', words('<html></html>', 504), 'UNAVAILABLE', 'HTTP 504'],
    [
      'as a page of a web server, 500',
      words('<html><title>Oh</title></html>', 500),
      'SERVER_ERROR',
      'a page titled "Oh"',
    ],
    [
      'as a page of a web server, 404, which proves nothing about the item',
      words('<html></html>', 404),
      'BAD_RESPONSE',
      'HTTP 404',
    ],
    ['as a page of a web server, 403', words('<html></html>', 403), 'PERMISSION_DENIED', 'HTTP 403'],
    [
      'as a page in a 200',
      words('<!DOCTYPE html><title>Sign in</title>', 200),
      'HTML_RESPONSE',
      'a page titled "Sign in"',
    ],
    ['as JSON that is cut', words('{"id":"0123', 200), 'RESPONSE_CUT', 'truncated JSON'],
    ['as JSON that is cut between fields', words('{"id":"0123"', 200), 'RESPONSE_CUT', 'truncated JSON'],
    ['as no JSON', words('id=5', 200), 'BAD_RESPONSE', 'not JSON'],
    ['as nothing', words('', 200), 'BAD_RESPONSE', 'an empty response'],
  ];

  it.each(table)('%s is told in one sentence', async (_title, reply, code, said) => {
    expect(await answered(reply)).toMatchObject({
      code,
      message: `staging answered item.read: ${said}`,
      facts: { portal: 'staging', operation: 'item.read', portalWords: said },
    });
  });

  it('keeps code, message code and status as facts', async () => {
    expect(await answered(error({ code: 400, messageCode: 'CONT_0001', message: 'No.' }))).toMatchObject({
      facts: { httpStatus: 200, portalCode: 400, messageCode: 'CONT_0001' },
    });
  });

  it('names the fields of an answer that has another shape', async () => {
    expect(await answered(json({ title: 'No id' }))).toMatchObject({
      code: 'BAD_RESPONSE',
      message: 'staging answered item.read with unexpected data: id.',
    });
  });

  it('says group, not item, where a group was asked for', async () => {
    portal = await RawPortal.start({
      'community/groups/g1': error({ code: 400, message: 'Group does not exist or is inaccessible.' }),
    });
    expect(await failureOf(readGroup(portal.client(), 'g1'))).toMatchObject({ code: 'GROUP_NOT_FOUND' });
  });

  it('is also an answer that says success: false', async () => {
    portal = await RawPortal.start({
      [`content/users/o/items/${itemId}/delete`]: json({ success: false, itemId }),
    });
    const failure = await failureOf(deleteItem(portal.client(), { owner: 'o', itemId, permanent: false }));
    expect(failure).toMatchObject({ code: 'SERVER_ERROR' });
  });
});

describe('a portal that asks to slow down', () => {
  it.each<[string, Reply]>([
    ['seconds in the header', words('', 429, { 'retry-after': '7' })],
    ['seconds in the answer', error({ code: 429, message: 'Slow.', retryAfter: 7 })],
    ['seconds in words', error({ code: 429, message: 'Slow.', details: ['Retry after 7 sec.'] })],
    ['seconds beside a 503', words('<html></html>', 503, { 'retry-after': '7' })],
  ])('is taken at its word: %s', async (_title, reply) => {
    const { code, facts } = await answered(reply);
    expect(['RATE_LIMITED', 'UNAVAILABLE']).toContain(code);
    expect(facts).toMatchObject({ retryAfterMs: 7000 });
  });

  it('is taken at its word: a date', async () => {
    const date = new Date(Date.now() + 60_000).toUTCString();
    const { facts } = await answered(words('', 429, { 'retry-after': date }));
    const { retryAfterMs } = facts as { retryAfterMs: number };
    expect(retryAfterMs).toBeGreaterThan(30_000);
    expect(retryAfterMs).toBeLessThanOrEqual(60_000);
  });
});

describe('a portal that asks for more than is granted', () => {
  const distant = new Date(8_640_000_000_000_000).toUTCString();
  it.each([
    ['a day', '86400'],
    ['more seconds than there are', '1e300'],
    ['a date in the year 9999', 'Fri, 31 Dec 9999 23:59:59 GMT'],
    ['the last date of all', distant],
  ])('is asked again after five minutes: %s', async (_title, value) => {
    const { code, facts } = await answered(words('', 429, { 'retry-after': value }));
    expect({ code, facts }).toMatchObject({ code: 'RATE_LIMITED', facts: { retryAfterMs: 300_000 } });
  });

  it.each([
    ['a field', { code: 429, message: 'Slow.', retryAfter: 9e99 }],
    ['words', { code: 429, message: `Retry after ${'9'.repeat(200)} sec.` }],
  ])('is asked again after five minutes also where its answer says so in %s', async (_title, said) => {
    expect((await answered(error(said)))['facts']).toMatchObject({ retryAfterMs: 300_000 });
  });

  it.each(['-5', 'Thu, 01 Jan 1970 00:00:00 GMT', '-1e300'])('is asked again as usual: %s', async (value) => {
    const { facts } = await answered(words('', 429, { 'retry-after': value }));
    expect(facts).toMatchObject({ retryAfterMs: 0 });
  });

  it.each(['soon', 'NaN', '1e999', '', '9'.repeat(400)])('is asked again as usual: "%s"', async (value) => {
    const { facts } = await answered(words('', 429, { 'retry-after': value }));
    expect(facts).not.toHaveProperty('retryAfterMs');
  });
});

describe('a tolerant reading', () => {
  it('keeps unknown fields, takes numbers as strings, and reads null as absent', async () => {
    portal = await RawPortal.start({
      [ITEM]: json({
        id: itemId,
        size: '42',
        title: null,
        tags: 'a,b',
        new: { field: 1 },
        protected: 'true',
      }),
    });
    expect(await readItem(portal.client(), itemId)).toEqual({
      id: itemId,
      size: 42,
      tags: ['a', 'b'],
      new: { field: 1 },
      protected: true,
    });
  });

  it("finds the record inside an owner's wrapping", async () => {
    portal = await RawPortal.start({ [ITEM]: json({ item: { id: itemId, title: 'T' }, sharing: {} }) });
    expect(await readItem(portal.client(), itemId)).toEqual({ id: itemId, title: 'T' });
  });
});
