import { pipeline } from 'node:stream/promises';
import { JSON_BYTES_MAX } from '../../../src/portal/http/limits';
import type { Reply } from '../raw-portal';
import { calls, body, error, type OddAnswer, page, raw } from './odd-answer';
import { PACKAGE } from './places';

/** More JSON than is read, for as long as the connection stands. */
const endless: Reply = async (_seen, response) => {
  const piece = Buffer.alloc(1024 ** 2, 'x');
  function* pieces() {
    yield Buffer.from('{"id":"');
    for (let sent = 0; sent <= JSON_BYTES_MAX; sent += piece.length) yield piece;
    yield Buffer.from('"}');
  }
  await pipeline(pieces, response).catch(() => {});
};

const gzipped: Reply = (_seen, response) => {
  response.writeHead(200, { 'content-encoding': 'gzip', 'content-type': 'application/json' });
  // The first bytes of a compressed answer that then breaks off.
  response.end(Buffer.from('1f8b0800000000000003ab56', 'hex'));
};

/** Answers that are not whole, or more than whole. */
export const bodies: readonly OddAnswer[] = [
  {
    came: 'a body that is cut off',
    on: [...calls, 'upload'],
    reply: raw('HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{"id":'),
    code: 'RESPONSE_CUT',
    says: 'the response ended early',
  },
  {
    came: 'a body in pieces without the last one',
    reply: raw('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n6\r\n{"id":\r\n'),
    code: 'RESPONSE_CUT',
    says: 'the response ended early',
  },
  {
    came: 'JSON that ends early in a whole body',
    on: [...calls, 'upload', 'signIn'],
    reply: (_seen, response) => void response.end('{"id":"i1","title":'),
    code: 'RESPONSE_CUT',
    says: 'truncated JSON',
  },
  {
    came: 'a body that is longer than announced',
    reply: raw('HTTP/1.1 200 OK\r\nContent-Length: 6\r\nConnection: close\r\n\r\n{"id":"i1"}'),
    code: 'RESPONSE_CUT',
    says: 'truncated JSON',
  },
  {
    came: 'a compressed body, which was not asked for',
    on: [...calls, 'download'],
    reply: gzipped,
    code: 'BAD_RESPONSE',
    says: 'unrequested compressed response',
    hint: 'A proxy or web server compresses responses unasked. Turn that off.',
  },
  {
    came: 'more JSON than 16 MiB',
    on: ['read'],
    reply: endless,
    code: 'ANSWER_TOO_LARGE',
    says: `sent more than ${JSON_BYTES_MAX} bytes`,
  },
  {
    came: 'more headers than can be',
    reply: (_seen, response) => {
      response.writeHead(200, { 'x-much': 'x'.repeat(40_000) });
      response.end('{"id":"i1"}');
    },
    code: 'BAD_RESPONSE',
    says: 'the response has too many headers',
  },
];

/** Answers to a download. docs/reference/portal-interface.md, "Download" */
export const downloads: readonly OddAnswer[] = [
  {
    came: 'a file that is cut off',
    reply: raw(`HTTP/1.1 200 OK\r\nContent-Length: ${PACKAGE.length}\r\n\r\nPK`),
    code: 'RESPONSE_CUT',
    says: 'the response ended early',
  },
  {
    came: "a file that is shorter than the item's size",
    reply: (_seen, response) => void response.end(PACKAGE.subarray(3)),
    code: 'WRONG_LENGTH',
    says: `has ${PACKAGE.length} bytes, but ${PACKAGE.length - 3} arrived`,
  },
  {
    came: "a file that is longer than the item's size",
    reply: (_seen, response) => void response.end(Buffer.concat([PACKAGE, PACKAGE])),
    code: 'WRONG_LENGTH',
    says: `has ${PACKAGE.length} bytes, but ${2 * PACKAGE.length} arrived`,
  },
  {
    came: 'an empty file',
    reply: (_seen, response) => void response.end(),
    code: 'WRONG_LENGTH',
    says: `has ${PACKAGE.length} bytes, but 0 arrived`,
  },
  {
    came: 'a small JSON error in place of a file',
    reply: error({ code: 500, message: 'The file cannot be read.' }),
    code: 'SERVER_ERROR',
    says: 'The file cannot be read. (***)',
  },
  {
    came: '`{"status": "error"}` in place of a file',
    reply: body({ status: 'error', messages: ['No file for TOKEN.'], code: 404 }),
    code: 'ITEM_NOT_FOUND',
    says: 'No file for ***.',
  },
  {
    came: 'a range that the portal cannot serve, and then no file either',
    reply: page(416, 'Range'),
    code: 'BAD_RESPONSE',
    says: 'returned neither the rest of the file nor the whole file',
  },
];
