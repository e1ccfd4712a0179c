import type { IncomingMessage, ServerResponse } from 'node:http';
import { Readable, Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Fault } from '../faults';
import { frontEndPage, htmlPage, type Reply } from './reply';

/** What the fault plan does to a response while it is sent. */
export interface Shaping {
  cutAfter?: number;
  bytesPerSecond?: number;
  played?: Set<Fault>;
}

/** Thrown if a request gets no response: its connection is reset or left open. */
export class Drop extends Error {
  constructor(readonly how: 'reset' | 'hang') {
    super(how);
  }
}

export function dropConnection(request: IncomingMessage): void {
  const { socket } = request;
  // A reset is what a crash looks like; TLS sockets can only be destroyed.
  if ('resetAndDestroy' in socket && !('encrypted' in socket)) socket.resetAndDestroy();
  else socket.destroy();
}

export async function sendReply(
  request: IncomingMessage,
  response: ServerResponse,
  reply: Reply,
  format: 'json' | 'pjson' | 'html',
  shaping: Shaping,
): Promise<void> {
  const { status, headers, body } = render(reply, format, request.url ?? '');
  response.writeHead(status, headers);
  if (request.method === 'HEAD') {
    response.end();
    return;
  }
  if (typeof body === 'string' && shaping.cutAfter === undefined && shaping.bytesPerSecond === undefined) {
    response.end(body);
    return;
  }
  const stream = typeof body === 'string' ? Readable.from([Buffer.from(body)]) : body();
  const paced = shaping.bytesPerSecond === undefined ? stream : stream.pipe(slowed(shaping.bytesPerSecond));
  if (shaping.cutAfter === undefined) await pipeline(paced, response);
  else await sendAndCut(request, response, paced, shaping.cutAfter);
}

/** Sends this many bytes, then cuts the connection. */
async function sendAndCut(
  request: IncomingMessage,
  response: ServerResponse,
  stream: Readable,
  bytes: number,
): Promise<void> {
  let left = bytes;
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    const piece = chunk.subarray(0, left);
    left -= piece.length;
    if (!response.write(piece)) await new Promise((resolve) => response.once('drain', resolve));
    if (left <= 0) break;
  }
  // Let the bytes leave before the connection is cut.
  await sleep(20);
  dropConnection(request);
}

function render(
  reply: Reply,
  format: 'json' | 'pjson' | 'html',
  url: string,
): { status: number; headers: Record<string, string | number>; body: string | (() => Readable) } {
  switch (reply.kind) {
    case 'redirect':
      return { status: 302, headers: { location: reply.location, 'content-length': 0 }, body: '' };
    case 'stream':
      return { status: reply.status, headers: { ...reply.headers }, body: reply.open };
    case 'html': {
      const body = reply.body === '' ? frontEndPage(reply.status ?? 200) : reply.body;
      return { status: reply.status ?? 200, headers: text('text/html', body, reply.headers), body };
    }
    case 'json': {
      const status = reply.status ?? 200;
      if (format === 'html') {
        const body = htmlPage(url.split('?')[0] ?? '', reply.body);
        return { status, headers: text('text/html', body), body };
      }
      const body = JSON.stringify(reply.body, null, format === 'pjson' ? 2 : undefined);
      return { status, headers: text('application/json', body), body };
    }
  }
}

function text(type: string, body: string, more: object = {}): Record<string, string | number> {
  return { 'content-type': `${type};charset=utf-8`, 'content-length': Buffer.byteLength(body), ...more };
}

function slowed(bytesPerSecond: number): Transform {
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      void sleep((chunk.length / bytesPerSecond) * 1000).then(() => done(null, chunk));
    },
  });
}
