import { createHash } from 'node:crypto';
import { once } from 'node:events';
import http, { type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Transform } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { Router } from '../../src/simulator/http/router';
import { routes } from '../../src/simulator/routes';

/**
 * How far a request is: sent, but never received; received, but not processed; half of its bytes or its response's have
 * passed; processed, but not answered; just answered.
 */
export const points = ['lost', 'received', 'half', 'processed', 'answered'] as const;
export type Point = (typeof points)[number];

/** A request that passed, whether the server received it or not. */
export interface Crossing {
  /** As in request logs; an import is `import` or `preview`. */
  readonly operation: string;
  readonly at: number;
  /** Its body, or its response's, is passed on as it comes. */
  isFile: boolean;
}

export interface Trap {
  readonly operation: string;
  readonly point: Point;
  /** Which of them, from 1. */
  readonly nth: number;
  /** Only requests after this operation count. */
  readonly after?: string;
  /** The request is held until this resolves. A response that was not sent can be destroyed. */
  readonly spring: (response: ServerResponse) => Promise<void>;
  /** Called when the response has arrived at the client; only for `answered`. */
  readonly heard?: () => void;
}

/** Answers in place of the server. */
export type Reply = (request: IncomingMessage, response: ServerResponse) => void;

/** Paths below the server's, and what is answered there. */
export type Replies = readonly (readonly [below: RegExp, reply: Reply])[];

export interface WireOptions {
  /** Names a request to a server that is no portal. */
  readonly name?: (request: IncomingMessage) => string;
}

/** Larger requests are files, and are passed on as they come. */
const FORM_MAX_BYTES = 1024 ** 2;
const isPreview = /name="previewOnly"\r\n\r\ntrue\r\n/;

/** A proxy before a portal or another server that notes each request, and can hold one at any point. */
export class Wire {
  readonly crossings: Crossing[] = [];
  /** The first match answers; all else goes to the server. */
  replies: Replies = [];
  url = '';
  private readonly server = http.createServer((request, response) => {
    // A killed client hears nothing, and a killed portal says nothing.
    void this.pass(request, response).catch(() => response.destroy());
  });
  private readonly router = new Router(routes);
  private readonly upstream: URL;
  /** Operations whose responses get lost, each request's once. */
  private losing: ReadonlySet<string> = new Set();
  private readonly lostKeys = new Set<string>();
  /** Operations of which a response was lost. */
  readonly lost = new Set<string>();
  private armed: { readonly trap: Trap; seen: number; isOpen: boolean } | undefined;

  private constructor(
    url: string,
    private readonly options: WireOptions,
  ) {
    this.upstream = new URL(url);
  }

  static async to(url: string, options: WireOptions = {}): Promise<Wire> {
    const wire = new Wire(url, options);
    wire.server.listen(0, '127.0.0.1');
    await once(wire.server, 'listening');
    const { port } = wire.server.address() as AddressInfo;
    wire.url = `http://127.0.0.1:${port}${wire.upstream.pathname}`;
    return wire;
  }

  /** Springs once. Another trap takes its place. */
  arm(trap: Trap): void {
    this.armed = { trap, seen: 0, isOpen: trap.after === undefined };
  }

  /** From now on the first response to each request of these operations is lost; a repeated request is answered. */
  loseResponses(operations: ReadonlySet<string>): void {
    this.losing = operations;
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }

  private async pass(request: IncomingMessage, response: ServerResponse): Promise<void> {
    response.on('error', () => undefined);
    const below = (request.url ?? '').slice(this.upstream.pathname.length).replace(/^\//, '');
    const [, reply] = this.replies.find(([pattern]) => pattern.test(below)) ?? [];
    if (reply) {
      request.resume();
      return reply(request, response);
    }
    const isFile = Number(request.headers['content-length'] ?? 0) > FORM_MAX_BYTES;
    const form = isFile ? undefined : await buffer(request);
    const { method = 'GET', url = '/' } = request;
    const operation = this.options.name?.(request) ?? this.nameOf(request, form);
    const crossing = { operation, at: Date.now(), isFile };
    this.crossings.push(crossing);
    const trap = this.sprung(operation);
    const spring = async (): Promise<void> => trap?.spring(response);

    if (trap?.point === 'lost') {
      await spring();
      return void response.destroy();
    }
    if (trap?.point === 'received') await spring();
    const { connection: _, ...headers } = request.headers;
    const { hostname, port } = this.upstream;
    // No connection is reused: it may be that of a killed portal.
    const upstream = http.request({ agent: false, hostname, port, method, path: url, headers });
    // It can break behind the head of its response too.
    upstream.on('error', () => response.destroy());
    const answered = once(upstream, 'response') as Promise<[IncomingMessage]>;
    if (form) upstream.end(form);
    else {
      if (request.destroyed) return void upstream.destroy();
      request.once('close', () => void (request.complete || upstream.destroy()));
      const isHeld = trap?.point === 'half' && method !== 'GET';
      (isHeld ? request.pipe(atHalf(request, spring)) : request).pipe(upstream);
    }
    const [answer] = await answered;
    crossing.isFile ||= Number(answer.headers['content-length'] ?? 0) > FORM_MAX_BYTES;
    response.once('close', () => void (response.writableFinished || answer.destroy()));
    answer.once('error', () => response.destroy());
    if (this.isLost(operation, request, form)) {
      answer.resume();
      await once(answer, 'end');
      return void response.destroy();
    }
    if (trap?.point === 'processed' || trap?.point === 'answered') {
      const body = await buffer(answer);
      await spring();
      // What has arrived is still to be read there.
      if (trap.point === 'answered')
        response.once('close', () => setTimeout(() => trap.heard?.(), Math.random() * 20));
      response.writeHead(answer.statusCode ?? 502, answer.headers).end(body);
      return;
    }
    response.writeHead(answer.statusCode ?? 502, answer.headers);
    const isHeld = trap?.point === 'half' && method === 'GET';
    (isHeld ? answer.pipe(atHalf(answer, spring)) : answer).pipe(response);
  }

  private nameOf({ method = 'GET', url = '/' }: IncomingMessage, form: Buffer | undefined): string {
    const operation = this.router.match(method, new URL(url, 'http://localhost').pathname)?.route.operation;
    if (operation !== 'group.import') return operation ?? 'none';
    return isPreview.test(form?.toString() ?? '') ? 'preview' : 'import';
  }

  private isLost(operation: string, { url = '', headers }: IncomingMessage, form?: Buffer): boolean {
    if (!this.losing.has(operation)) return false;
    // A repeated form has another boundary.
    const boundary = /boundary=(.+)$/.exec(headers['content-type'] ?? '')?.[1] ?? '\0';
    const content = (form?.toString('latin1') ?? '').replaceAll(boundary, '');
    const key = createHash('sha256').update(`${operation} ${url} ${content}`).digest('hex');
    if (this.lostKeys.has(key)) return false;
    this.lostKeys.add(key);
    this.lost.add(operation);
    return true;
  }

  private sprung(operation: string): Trap | undefined {
    const { armed } = this;
    if (!armed) return undefined;
    const { trap } = armed;
    if (armed.isOpen && operation === trap.operation) armed.seen += 1;
    if (operation === trap.after) armed.isOpen = true;
    if (armed.seen !== trap.nth) return undefined;
    this.armed = undefined;
    return trap;
  }
}

/** Passes bytes on, and waits once half of those that were announced have passed. */
function atHalf({ headers }: IncomingMessage, spring: () => Promise<void>): Transform {
  const half = Number(headers['content-length'] ?? 0) / 2;
  let passed = 0;
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      const before = passed;
      passed += chunk.length;
      if (before >= half || passed < half) done(null, chunk);
      else
        void spring().then(
          () => done(null, chunk),
          (error: Error) => done(error),
        );
    },
  });
}
