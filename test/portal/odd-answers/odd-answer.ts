import type { Server } from 'node:net';
import type { ErrorCode } from '../../../src/model/errors/error-codes';
import type { Portal, PortalOptions } from '../../../src/portal/client';
import { bearerOf, type RawPortal, type Reply, type Seen } from '../raw-portal';
import type { PlaceName } from './places';

/** An answer that a portal, a proxy or a network gives now and then, and what Portolan makes of it. */
export interface OddAnswer {
  /** What came, for the title of the test. */
  readonly came: string;
  /** Calls that it is played to, each on a socket of its own. @default `calls` */
  readonly on?: readonly PlaceName[];
  /** What the portal answers the call. */
  readonly reply?: Reply;
  /** How the call is made where it is not made to a portal that answers so. */
  readonly made?: (site: Site) => Promise<Portal>;
  readonly code: ErrorCode;

  /** A part of the message. */
  readonly says: string;
  /** What a person is told to do, where more is known than the table of codes says. */
  readonly hint?: string;
  /** Pause until the next attempt, where the portal names one. @format milliseconds */
  readonly pauseMs?: number;
  /** Time that the call is given. @format milliseconds */
  readonly timeoutMs?: number;
}

/** Starts what an answer needs, all of it ended after the test. */
export interface Site {
  portal(replies: Record<string, Reply>, tls?: Tls): Promise<RawPortal>;
  /** A client of a portal that need not be there; it signs in by nothing. */
  client(url: string, options?: Partial<PortalOptions>): Portal;
  /** Port of a server that is ended with the site. */
  listen(server: Server): Promise<number>;
  /** A port that nobody listens on. */
  deafPort(): Promise<number>;
}

export interface Tls {
  readonly key: string;
  readonly cert: string;
}

/** A read and a write. */
export const calls = ['read', 'write'] as const;

/** What no message may hold: what the client sent as a secret comes back in the answer. */
export const secretOf = (seen: Seen): string =>
  bearerOf(seen) ?? seen.form.get('password') ?? seen.query.get('key') ?? 'nobody';

/** An error object, its words with the token that came. */
export const error = (fields: Record<string, unknown>, status = 200): Reply => {
  const message = typeof fields['message'] === 'string' ? `${fields['message']} (TOKEN)` : undefined;
  return body({ error: { ...fields, ...(message && { message }) } }, status);
};

/** JSON as it is, `TOKEN` in it replaced by the token that came. */
export const body =
  (value: unknown, status = 200): Reply =>
  (seen, response) => {
    const text = JSON.stringify(value).replaceAll('TOKEN', secretOf(seen));
    response.writeHead(status, { 'content-type': 'application/json' });
    response.end(text);
  };

/** A page, its title with the token that came. */
export const page =
  (status: number, title: string, headers: Record<string, string> = {}): Reply =>
  (seen, response) => {
    response.writeHead(status, { 'content-type': 'text/html', ...headers });
    response.end(`<!DOCTYPE html>\n<html><head><title>${title} ${secretOf(seen)}</title></head></html>`);
  };

/** Bytes as they are, and then the end of the connection. */
export const raw =
  (bytes: string): Reply =>
  (_seen, response) =>
    void response.socket?.end(bytes);

/** A redirect whose address holds what nobody may see. */
export const redirect =
  (to: string | ((seen: Seen) => string), status = 302): Reply =>
  (seen, response) => {
    const address = typeof to === 'string' ? to : to(seen);
    const location = address === '' ? {} : { location: `${address}?signature=${SIGNATURE}` };
    response.writeHead(status, location);
    response.end();
  };

export const SIGNATURE = 'signature-not-to-be-seen';
