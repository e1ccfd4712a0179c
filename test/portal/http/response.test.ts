import { afterEach, describe, expect, it } from '@jest/globals';
import { readItem } from '../../../src/portal/resources/items/items';
import { failureOf, json, portalsOf, type Reply, words } from '../raw-portal';

const ITEM = 'content/items/0123456789abcdef0123456789abcdef';
const itemId = ITEM.slice(-32);
const startPortal = portalsOf(afterEach);

const read = async (reply: Reply) => {
  const portal = await startPortal({ [ITEM]: reply });
  return readItem(portal.client(), itemId);
};

const error = (error: unknown, status = 200) => json({ error }, status);

// `odd-answers` has the errors that portals are known to send.
describe('an error of the portal', () => {
  it.each<[string, Reply, string, string]>([
    [
      'details as one string',
      error({ code: 400, message: ' Bad.\n ', details: 'Why.' }),
      'BAD_REQUEST',
      'Bad. Why.',
    ],
    [
      'details alone',
      error({ code: 400, message: null, details: ['', {}, 'This.'] }),
      'BAD_REQUEST',
      'This.',
    ],
    [
      'a repeated message',
      error({ code: 400, message: 'Same.', details: ['Same.'] }),
      'BAD_REQUEST',
      'Same.',
    ],
    [
      'JSON as its message',
      json({ status: 'failed', statusMessage: '{"code":403,"message":"No."}' }),
      'PERMISSION_DENIED',
      'No. {"code":403,"message":"No."}',
    ],
    [
      'one word',
      json({ error: 'invalid_request', error_description: 'Not so.' }, 400),
      'BAD_REQUEST',
      'Not so.',
    ],
    ['JSON cut between fields', words('{"id":"0123"'), 'RESPONSE_CUT', 'truncated JSON'],
    ['JSON that is wrong', words("{'id':1}"), 'BAD_RESPONSE', 'not JSON'],
    ['a page without a title', words('\uFEFF <p>'), 'HTML_RESPONSE', 'a web page instead of data'],
    ['a status', words('', 400), 'BAD_REQUEST', 'HTTP 400'],
    ['a status and no words', error({}, 400), 'BAD_REQUEST', 'error without code or message'],
    ['a code that is no status', error({ code: 13, subcode: 4 }), 'SERVER_ERROR', 'error 13'],
    [
      'a permission without a code',
      error({ message: 'You do not have permissions.' }),
      'PERMISSION_DENIED',
      'You do not have permissions.',
    ],
    [
      'a permission with a code',
      error({ code: 400, message: 'You do not have permissions.' }),
      'BAD_REQUEST',
      'You do not have permissions.',
    ],
    ['a quoted token', error({ message: "'Invalid token.'" }), 'TOKEN_REFUSED', "'Invalid token.'"],
    [
      'a scope of OAuth that is too small',
      json({ error: { code: 'insufficient_scope', error_description: 'Not so.' } }),
      'PERMISSION_DENIED',
      'Not so.',
    ],
    [
      'a long title',
      words(`<title>${'t'.repeat(101)}</title>`),
      'HTML_RESPONSE',
      `a page titled "${'t'.repeat(100)}"`,
    ],
    ['a token in its midst', error({ message: 'No invalid token.' }), 'SERVER_ERROR', 'No invalid token.'],
  ])('is one sentence, from %s', async (_title, reply, code, portalWords) => {
    expect(await failureOf(read(reply))).toMatchObject({
      code,
      message: `staging answered item.read: ${portalWords}`,
      facts: { portal: 'staging', operation: 'item.read', portalWords },
    });
  });
});

describe('the pause that a portal asks for', () => {
  const header = (value: string) => words('', 429, { 'retry-after': value });
  it.each<[string, Reply, number | undefined]>([
    ['words', error({ code: 429, message: 'Slow.', details: ['Retry after 17s.'] }), 17_000],
    ['a day', header('86400'), 300_000],
    ['a date in the year 9999', header('Fri, 31 Dec 9999 23:59:59 GMT'), 300_000],
    ['a huge field', error({ code: 429, message: 'Slow.', retryAfter: 9e99 }), 300_000],
    ['a negative number', header('-5'), 0],
    ['a date gone by', header('Thu, 01 Jan 1970 00:00:00 GMT'), 0],
    ['no number', header('soon'), undefined],
    ['nothing', header(''), undefined],
    ['too many digits', header('9'.repeat(400)), undefined],
  ])('is five minutes at most, from %s', async (_title, reply, retryAfterMs) => {
    const { code, facts } = await failureOf(read(reply));
    expect(code).toBe('RATE_LIMITED');
    expect((facts as { retryAfterMs?: number }).retryAfterMs).toBe(retryAfterMs);
  });

  it('is the time until the date in the header', async () => {
    const reply = header(new Date(Date.now() + 60_000).toUTCString());
    const { retryAfterMs } = (await failureOf(read(reply)))['facts'] as { retryAfterMs: number };
    expect(retryAfterMs).toBeGreaterThan(30_000);
    expect(retryAfterMs).toBeLessThanOrEqual(60_000);
  });
});

describe('a record of the portal', () => {
  it('keeps unknown fields, reads numbers in texts, and null as absent', async () => {
    const record = {
      id: itemId,
      size: '42',
      title: null,
      tags: 'a,b',
      new: { field: 1 },
      protected: 'true',
      error: '',
    };
    expect(await read(json(record))).toEqual({
      id: itemId,
      size: 42,
      tags: ['a', 'b'],
      new: { field: 1 },
      protected: true,
      error: '',
    });
  });

  it("is found inside an owner's wrapping", async () => {
    const wrapped = json({ item: { id: itemId, title: 'T' }, sharing: {} });
    expect(await read(wrapped)).toEqual({ id: itemId, title: 'T' });
  });
});
