import { afterEach, describe, expect, it } from '@jest/globals';
import { Readable } from 'node:stream';
import { readDocuments } from '../../../src/domain/transfer/references/content';
import { figuresOf, ListingSize } from '../../../src/portal/http/response-limits';
import { PAGES_MAX } from '../../../src/portal/http/limits';
import { addItem } from '../../../src/portal/resources/items/add-item';
import { readItem } from '../../../src/portal/resources/items/items';
import { listGroup } from '../../../src/portal/resources/groups';
import { codeOf, failureOf, json, portalsOf, type Reply, words } from '../raw-portal';

const startPortal = portalsOf(afterEach);
const GROUP = 'content/groups/g';
const signal = new AbortController().signal;

const listed = async (reply: Reply) => {
  const portal = await startPortal({ [GROUP]: reply });
  return { portal, failure: await failureOf(listGroup(portal.client(), 'g', signal)) };
};

const zeros = (count: number) => words(`{"items":[${'0,'.repeat(count - 1)}0]}`);
const nested = (depth: number) => `${'{"a":['.repeat(depth / 2)}${']}'.repeat(depth / 2)}`;

describe('a response', () => {
  it('is refused unparsed when it has millions of values', async () => {
    const { failure } = await listed(zeros(6_000_000));
    expect(failure).toEqual({
      code: 'ANSWER_TOO_LARGE',
      message: 'staging answered group.content with 6000001 values (limit 1000000).',
      facts: { portal: 'staging', operation: 'group.content' },
    });
  });

  it('is refused when a list has more entries than a group has items', async () => {
    const { failure } = await listed(zeros(20_001));
    expect(failure).toMatchObject({
      code: 'ANSWER_TOO_LARGE',
      message: 'staging answered group.content with a list of 20001 entries (limit 20000).',
    });
  });

  it('is reported by its first places when each entry is invalid', async () => {
    const { failure } = await listed(zeros(20_000));
    const places = [0, 1, 2, 3, 4].map((index) => `items.${index}`).join(', ');
    expect(failure).toMatchObject({
      code: 'BAD_RESPONSE',
      message: `staging answered group.content with unexpected data: ${places}.`,
    });
  });

  it('is refused when it is nested too deep', async () => {
    const portal = await startPortal({ 'content/items/a': words(nested(24_000)) });
    expect(await failureOf(readItem(portal.client(), 'a'))).toMatchObject({
      code: 'ANSWER_TOO_LARGE',
      message: 'staging answered item.read with JSON nested 24000 levels deep (limit 100).',
    });
  });

  it('is refused when its pages never end [P16]', async () => {
    const description = 'x'.repeat(14 * 1024 ** 2);
    const { portal, failure } = await listed((seen, response) => {
      const start = Number(seen.query.get('start'));
      response.end(`{"items":[{"id":"i${start}","description":"${description}"}],"nextStart":${start + 1}}`);
    });
    expect(failure).toMatchObject({
      code: 'ANSWER_TOO_LARGE',
      message: 'staging answered group.content with pages of more than 134217728 characters in total.',
    });
    expect(portal.at(GROUP)).toHaveLength(10);
  });

  it('is refused when its pages have too many values', async () => {
    const numbers = `[0${',0'.repeat(900_000)}]`;
    const { portal, failure } = await listed((seen, response) => {
      const start = Number(seen.query.get('start'));
      response.end(`{"items":[{"id":"i${start}","properties":${numbers}}],"nextStart":${start + 1}}`);
    });
    expect(failure).toMatchObject({
      code: 'ANSWER_TOO_LARGE',
      message: 'staging answered group.content with pages of more than 4000000 values in total.',
    });
    expect(portal.at(GROUP)).toHaveLength(5);
  });

  it('keeps only the fields that compare the items of a group [P19]', async () => {
    const told = { id: 'a', title: 'Roads', type: 'CSV', modified: 5, size: 7, owner: 'owner' };
    const beside = { description: 'd', snippet: 's', properties: { numbers: [0] }, whatever: 'x' };
    const typeKeywords = Array.from({ length: 5_000 }, (_, at) => `k${at}`);
    const items = [{ ...told, ...beside, typeKeywords }];
    const portal = await startPortal({ [GROUP]: json({ items, nextStart: -1 }) });
    const listed = (await listGroup(portal.client(), 'g', signal)).get('a');
    expect(JSON.parse(JSON.stringify(listed))).toEqual({ ...told, typeKeywords: typeKeywords.slice(0, 200) });
  });

  it('is refused when it has too many empty pages', () => {
    const size = new ListingSize('staging', 'group.content');
    for (let page = 0; page < PAGES_MAX; page++) size.add('{}');
    expect(() => size.add('{}')).toThrow(
      '[ANSWER_TOO_LARGE] staging answered group.content with more than 2000 pages.',
    );
  });

  it('times out when it trickles after an upload', async () => {
    const portal = await startPortal({
      'content/users/u/addItem': (_seen, response) => {
        response.writeHead(200, { 'content-type': 'application/json' });
        const trickle = setInterval(() => response.write(' '), 20);
        response.once('close', () => clearInterval(trickle));
      },
    });
    const source = { size: 1, open: () => Readable.from([Buffer.from('x')]) };
    const upload = addItem(portal.client({ responseTimeoutMs: 400 }), {
      username: 'u',
      params: {},
      file: { filename: 'f', source },
    });
    expect(await codeOf(upload)).toBe('TIMEOUT');
  });
});

describe("an item's document that is nested too deep", () => {
  it('is reported as unread, and the rest of the item is read', async () => {
    const portal = await startPortal({ 'content/items/m/data': words(nested(24_000)) });
    const item = { id: 'm', type: 'Web Map', url: 'https://a.example.com/b' };
    expect(await readDocuments(portal.client(), item, {}, (task) => task())).toEqual({
      content: { item, data: undefined, resources: [] },
      empty: false,
      unread: [{ path: 'data', reason: 'it is nested 24000 levels deep (limit 100)' }],
    });
  });
});

describe('the size of a JSON text', () => {
  it.each([
    ['{}', { depth: 1, values: 1 }],
    ['[1,2,[3,{"a":4}]]', { depth: 3, values: 6 }],
    ['{"a":"[[[,,,","b\\"":"\\\\","c":"{"}', { depth: 1, values: 3 }],
    ['"[', { depth: 0, values: 0 }],
    ['', { depth: 0, values: 0 }],
  ])('is measured: %s', (text, figures) => {
    expect(figuresOf(text)).toEqual(figures);
  });
});
