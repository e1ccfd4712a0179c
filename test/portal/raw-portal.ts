import { errorOf } from '../support/error-of';
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { Server } from 'node:net';
import { Portal, type PortalAuth, type PortalOptions } from '../../src/portal/client';
import { close, listen, portOf, withBody } from '../support/listening';

/** What came over the line, whole. */
export interface Seen {
  readonly method: string;
  /** Path below /portal/sharing/rest, or the whole path where it lies elsewhere. */
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
  /** A urlencoded body. */
  readonly form: URLSearchParams;
}

export type Reply = (seen: Seen, response: ServerResponse) => void | Promise<void>;

export const PASSWORD = 'pa55-word-not-to-be-seen';

/** A bare HTTP server that answers whatever a test wants, with a sign-in that counts its tokens. */
export class RawPortal {
  readonly seen: Seen[] = [];
  /** Tokens given so far: `token-not-to-be-seen-1`, `-2`, … */
  tokens = 0;
  /** Life of a token. @format milliseconds */
  tokenLife = 3_600_000;
  readonly #server;
  readonly #portals: Portal[] = [];
  readonly #scheme: string;

  private constructor(
    private readonly replies: Record<string, Reply>,
    tls?: { key: string; cert: string },
  ) {
    const listener = withBody(({ url: asked = '/', method = '', headers }, body, response) => {
      const url = new URL(asked, 'http://raw');
      const path = url.pathname.replace(/^\/portal\/sharing\/rest\/?/, '');
      const form = new URLSearchParams(body.toString('latin1'));
      const seen = { method, path, query: url.searchParams, headers, body, form };
      this.seen.push(seen);
      return (this.replies[path] ?? this.#own[path] ?? missing)(seen, response);
    });
    this.#scheme = tls ? 'https' : 'http';
    this.#server = tls ? createTlsServer(tls, listener) : createServer(listener);
  }

  static async start(
    replies: Record<string, Reply>,
    tls?: { key: string; cert: string },
  ): Promise<RawPortal> {
    const portal = new RawPortal(replies, tls);
    await listen(portal.#server);
    return portal;
  }

  get port(): number {
    return portOf(this.#server);
  }

  get url(): string {
    return `${this.#scheme}://127.0.0.1:${this.port}/portal/sharing/rest`;
  }

  client(options: Partial<PortalOptions> = {}): Portal {
    const auth: PortalAuth = { type: 'password', username: 'sync', secret: () => Promise.resolve(PASSWORD) };
    const portal = new Portal({ name: 'staging', url: this.url, auth, ...options });
    this.#portals.push(portal);
    return portal;
  }

  /** Requests for one path. */
  at(path: string): Seen[] {
    return this.seen.filter((each) => each.path === path);
  }

  async stop(): Promise<void> {
    await Promise.all(this.#portals.map((portal) => portal.close()));
    await close(this.#server);
  }

  readonly #own: Record<string, Reply> = {
    generateToken: (_seen, response) => {
      this.tokens += 1;
      // A date in whole seconds would blur lives of milliseconds.
      response.sendDate = false;
      return json({
        token: `token-not-to-be-seen-${this.tokens}`,
        expires: Date.now() + this.tokenLife,
        ssl: true,
      })(_seen, response);
    },
    'community/self': (seen, response) =>
      (bearerOf(seen) ? json({ username: 'sync' }) : portalError(499, 'Token Required'))(seen, response),
  };
}

const missing: Reply = (_seen, response) => {
  response.writeHead(404, { 'content-type': 'text/html' });
  response.end('<html><title>Nothing here</title></html>');
};

/**
 * Starts portals for the tests of a suite, each of which ends with its test.
 *
 * @param afterEach jest's, called once, where the suite is described
 */
export function portalsOf(afterEach: (end: () => Promise<unknown>) => void) {
  const portals: RawPortal[] = [];
  afterEach(() => Promise.all(portals.splice(0).map((portal) => portal.stop())));
  return async (...given: Parameters<typeof RawPortal.start>): Promise<RawPortal> => {
    const portal = await RawPortal.start(...given);
    portals.push(portal);
    return portal;
  };
}

/** The same for other servers: what is returned has one listen. */
export function serversOf(afterEach: (end: () => Promise<unknown>) => void) {
  const servers: Server[] = [];
  afterEach(() => Promise.all(servers.splice(0).map(close)));
  return (server: Server): Promise<number> => {
    servers.push(server);
    return listen(server);
  };
}

export const bearerOf = (seen: Seen): string | undefined =>
  String(seen.headers['x-esri-authorization'] ?? '').replace(/^Bearer /, '') || undefined;

export const json =
  (value: unknown, status = 200, headers: Record<string, string> = {}): Reply =>
  (_seen, response) => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers });
    response.end(JSON.stringify(value));
  };

/** Answers with what names the portal's own origin. */
export const jsonAt =
  (value: (origin: string) => unknown): Reply =>
  (seen, response) =>
    json(value(`http://${seen.headers.host}`))(seen, response);

/** What a portal that hosts services answers about itself. */
export const hosting: Record<string, Reply> = {
  'portals/self': json({ id: 'p' }),
  'portals/p/servers': jsonAt((origin) => ({ servers: [{ url: `${origin}/server` }] })),
};

export const words =
  (text: string, status = 200, headers: Record<string, string> = {}): Reply =>
  (_seen, response) => {
    response.writeHead(status, headers);
    response.end(text);
  };

export const portalError = (code: number, message: string, more: Record<string, unknown> = {}): Reply =>
  json({ error: { code, message, details: [], ...more } });

/** A reply to whoever shows this token; any other is one that has ended. */
export const only =
  (token: string, reply: Reply): Reply =>
  (seen, response) =>
    (bearerOf(seen) === token ? reply : portalError(498, 'Invalid token.'))(seen, response);

/** Replies in turn; the last one for good. */
export const inTurn = (...replies: readonly Reply[]): Reply => {
  let calls = 0;
  return (seen, response) => replies[Math.min(calls++, replies.length - 1)]?.(seen, response);
};

/** The code of the error that a promise ends with. */
export const codeOf = async (promise: Promise<unknown>) => (await errorOf(promise)).code;

/** The error a promise ends with, as an object to compare whole. */
export async function failureOf(promise: Promise<unknown>): Promise<Record<string, unknown>> {
  const { code, plainMessage: message, facts } = await errorOf(promise);
  return { code, message, facts };
}
