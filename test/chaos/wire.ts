import http, { type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { once } from 'node:events';
import { buffer } from 'node:stream/consumers';
import { Router } from '../../src/simulator/http/router';
import { routes } from '../../src/simulator/routes';

/**
 * How far a request has come when something happens to it: it was sent and never reaches the portal; it has come and
 * the portal is about to work; half of its bytes, or of its answer's, are over; the portal has worked and nobody
 * has heard it; the answer has just arrived.
 */
export type Point = 'lost' | 'asked' | 'half' | 'done' | 'told';

export interface Trap {
  /** The name that request logs have for it; an import is `import` or `preview`. */
  readonly operation: string;
  readonly point: Point;
  /** Which of them, from 1. @default 1 */
  readonly nth?: number;
  /** Only those count that come after this operation. */
  readonly after?: string;
}

interface Armed {
  readonly trap: Trap;
  readonly spring: () => void;
  seen: number;
  isOpen: boolean;
}

/** One request as it came over the wire, whether it reached the portal or not. */
export interface Crossing {
  readonly operation: string;
  readonly at: number;
}

/** What is longer is a file, and passes as it comes. */
const formBytesMax = 1024 ** 2;
const isPreview = /name="previewOnly"\r\n\r\ntrue\r\n/;

/** The connection between a worker and a portal: whoever holds it sees each request, and can strike at any point of it. */
export class Wire {
  readonly crossings: Crossing[] = [];
  url = '';
  private readonly server = http.createServer((request, response) => {
    // Whoever was killed hears nothing; a portal that was killed says nothing.
    void this.pass(request, response).catch(() => response.destroy());
  });
  private readonly router = new Router(routes);
  private readonly behind: URL;
  private armed: Armed | undefined;

  private constructor(
    url: string,
    private readonly name?: (request: IncomingMessage) => string,
  ) {
    this.behind = new URL(url);
  }

  /** @param name what a request is called, where it is no portal that lies behind */
  static async to(url: string, name?: (request: IncomingMessage) => string): Promise<Wire> {
    const wire = new Wire(url, name);
    wire.server.listen(0, '127.0.0.1');
    await once(wire.server, 'listening');
    const { port } = wire.server.address() as AddressInfo;
    wire.url = `http://127.0.0.1:${port}${wire.behind.pathname}`;
    return wire;
  }

  /** Calls `spring` once, at that point of that request. Another trap takes its place. */
  arm(trap: Trap, spring: () => void): void {
    this.armed = { trap, spring, seen: 0, isOpen: trap.after === undefined };
  }

  disarm(): void {
    this.armed = undefined;
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }

  private async pass(request: IncomingMessage, response: ServerResponse): Promise<void> {
    response.on('error', () => undefined);
    const isFile = Number(request.headers['content-length'] ?? 0) > formBytesMax;
    const form = isFile ? undefined : await buffer(request);
    const operation = this.name?.(request) ?? this.nameOf(request, form);
    this.crossings.push({ operation, at: Date.now() });
    const { point, spring } = this.sprung(operation) ?? {};

    if (point === 'lost') {
      spring?.();
      return void response.destroy();
    }
    if (point === 'asked') spring?.();
    const { connection: _, ...headers } = request.headers;
    const { hostname, port } = this.behind;
    // A connection of its own for each request: one that is kept may be that of a portal that was killed.
    const onward = http.request({
      agent: false,
      hostname,
      port,
      method: request.method,
      path: request.url,
      headers,
    });
    const heard = once(onward, 'response') as Promise<[IncomingMessage]>;
    if (form) onward.end(form);
    else {
      request.once('close', () => void (request.complete || onward.destroy()));
      if (point === 'half' && request.method !== 'GET') atHalf(request, spring);
      request.pipe(onward);
    }
    const [answer] = await heard;
    response.once('close', () => void (response.writableFinished || answer.destroy()));
    if (point === 'done') {
      const body = await buffer(answer);
      spring?.();
      response.writeHead(answer.statusCode ?? 502, answer.headers).end(body);
      return;
    }
    if (point === 'half' && request.method === 'GET') atHalf(answer, spring);
    if (point === 'told') response.once('finish', () => spring && setTimeout(spring, 10));
    response.writeHead(answer.statusCode ?? 502, answer.headers);
    answer.once('error', () => response.destroy());
    answer.pipe(response);
  }

  private nameOf({ method = 'GET', url = '/' }: IncomingMessage, form: Buffer | undefined): string {
    const operation = this.router.match(method, new URL(url, 'http://localhost').pathname)?.route.operation;
    if (operation !== 'group.import') return operation ?? 'none';
    return isPreview.test(form?.toString() ?? '') ? 'preview' : 'import';
  }

  private sprung(operation: string): { point: Point; spring: () => void } | undefined {
    const { armed } = this;
    if (!armed) return undefined;
    const { trap, spring } = armed;
    if (armed.isOpen && operation === trap.operation) armed.seen += 1;
    if (operation === trap.after) armed.isOpen = true;
    if (armed.seen !== (trap.nth ?? 1)) return undefined;
    this.armed = undefined;
    return { point: trap.point, spring };
  }
}

/** Calls once half of the bytes that were announced have passed. */
function atHalf(stream: IncomingMessage, spring: (() => void) | undefined): void {
  const half = Number(stream.headers['content-length'] ?? 0) / 2;
  let seen = 0;
  const count = (chunk: Buffer): void => {
    seen += chunk.length;
    if (seen < half) return;
    stream.off('data', count);
    spring?.();
  };
  stream.on('data', count);
}
