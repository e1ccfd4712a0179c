import { createHash, timingSafeEqual } from 'node:crypto';
import type { FastifyRequest } from 'fastify';
import type { ServeConfig, ServeKey } from '../config/config';
import { type Right, rights } from '../model/rights';
import { isLoopback } from '../model/identity';
import { type Caller, May } from '../service/may';
import { whoTypes } from '../service/run/who';
import { Refusal } from './problem';
import { type Admission, requireSameSite } from './session/same-site';
import type { Session, Sessions } from './session/session';

declare module 'fastify' {
  interface FastifyRequest {
    caller: Caller;
  }
  interface FastifyContextConfig {
    /** What whoever asks has to be allowed. @default 'view' where nothing is changed; nobody may where it is not said */
    right?: Right;
  }
}

/** Keys have as many random bytes: their hash needs no salt, and cannot be guessed. */
export const KEY_BYTES = 32;

export const hashOfKey = (key: string): string => createHash('sha256').update(key).digest('hex');

/** Decides who is answered: by the name under which the server was reached, and by a key or a session. */
export class Access {
  private readonly hosts: ReadonlySet<string>;
  /** Of its own pages, as browsers write them. */
  private readonly origins: ReadonlySet<string>;
  /** The one that a portal sends people back to. */
  readonly origin: string;
  /** `__Host-`: only this server, by https, can have set it. */
  readonly cookie: { readonly session: string; readonly signIn: string };
  /** Browsers send its cookies by https alone, by a link from elsewhere, and show them to no script. */
  readonly cookieOptions: {
    readonly path: '/';
    readonly httpOnly: true;
    readonly sameSite: 'lax';
    readonly secure: boolean;
  };

  constructor(
    private readonly serve: ServeConfig,
    /** The port that it listens on. */
    port: number,
    /** Absent where nobody signs in. */
    private readonly sessions?: Sessions,
  ) {
    const { address, url, tls } = serve;
    const own = address.replace(/:\d+$/, '');
    const names = isLoopback(own) ? [own, 'localhost', '127.0.0.1', '[::1]'] : [own];
    this.hosts = new Set([
      ...names.map((name) => `${name}:${port}`),
      ...(url === undefined ? [] : [new URL(url).host]),
    ]);
    const scheme = tls ? 'https' : 'http';
    this.origin = new URL(url ?? `${scheme}://${own}:${port}`).origin;
    this.origins = new Set([
      this.origin,
      ...names.map((name) => new URL(`${scheme}://${name}:${port}`).origin),
    ]);
    const secure = this.origin.startsWith('https:');
    const prefix = secure ? '__Host-' : '';
    this.cookie = { session: `${prefix}portolan`, signIn: `${prefix}portolan-sign-in` };
    this.cookieOptions = { path: '/', httpOnly: true, sameSite: 'lax', secure };
  }

  /**
   * Throws where a request comes under a name that is not the server's: a web page elsewhere can make its visitor's
   * browser ask, and a name that its owner points at this machine is the one thing that it cannot leave out.
   */
  requireHost({ headers }: FastifyRequest): void {
    if (headers.host !== undefined && this.hosts.has(headers.host.toLowerCase())) return;
    throw new Refusal(
      421,
      'WRONG_HOST',
      'This server cannot be reached by that name.',
      'Use its address, or serve.url of portolan.yaml.',
    );
  }

  /**
   * Sees who asks, by a key, a session, or because the server is open. Throws where it is nobody that may, or where a
   * page elsewhere may have made their browser ask.
   * @param others origins whose pages may ask as well. @default none
   */
  async admit(request: FastifyRequest, others: ReadonlySet<string> = new Set()): Promise<void> {
    const { caller, admission } = await this.require(request);
    Object.assign(request, { caller, admission });
    requireSameSite(request, this.origins, others);
  }

  private async require(request: FastifyRequest): Promise<Admitted> {
    const { authorization } = request.headers;
    if (authorization !== undefined) return await this.byBearer(authorization);
    const cookie = request.cookies[this.cookie.session];
    const session = cookie === undefined ? undefined : await this.sessions?.read('cookie', cookie);
    if (session) return this.bySession('cookie', session);
    if (this.serve.open)
      return { caller: { ...whoTypes(), rights }, admission: { by: 'open', forms: 'open' } };
    if (cookie !== undefined && this.sessions)
      throw new Refusal(
        401,
        'SESSION_OVER',
        'The session has ended, or is not from this server.',
        signInHint,
      );
    throw new Refusal(401, 'KEY_REFUSED', 'No key was sent.', this.sessions ? signInHint : keyHint);
  }

  private async byBearer(authorization: string): Promise<Admitted> {
    const [, given] = /^Bearer +(\S{1,4096})$/i.exec(authorization) ?? [];
    const key = given === undefined ? undefined : this.keyOf(given);
    if (key)
      return { caller: { ...key, who: key.name, identity: 'key' }, admission: { by: 'bearer', forms: '' } };
    const session = given === undefined ? undefined : await this.sessions?.read('bearer', given);
    if (session) return this.bySession('bearer', session);
    throw new Refusal(401, 'KEY_REFUSED', 'The key is not valid for this server.', keyHint);
  }

  private bySession(by: 'bearer' | 'cookie', session: Session): Admitted {
    const caller = this.sessions?.callerOf(session);
    if (!caller) throw new TypeError('a session without sessions');
    return { caller: { ...caller, until: session.until }, admission: { by, forms: session.id } };
  }

  /** All are compared, whichever it is. */
  private keyOf(given: string): ServeKey | undefined {
    const hash = Buffer.from(hashOfKey(given), 'hex');
    return [...this.serve.keys.values()]
      .filter(({ sha256 }) => timingSafeEqual(Buffer.from(sha256, 'hex'), hash))
      .at(0);
  }
}

interface Admitted {
  readonly caller: Caller;
  readonly admission: Admission;
}

const keyHint = 'Send a key as "Authorization: Bearer KEY"; portolan serve key NAME makes one.';
const signInHint = 'Sign in at /sign-in, or send a key as "Authorization: Bearer KEY".';

/** Whether a browser asks for something that people look at. */
export const wantsPage = ({ method, headers: { accept } }: FastifyRequest): boolean =>
  method === 'GET' && /\btext\/html\b/i.test(accept ?? '');

/** Where a page sends whoever has to sign in first, to come back to it. */
export const signInPath = ({ url }: FastifyRequest): string => `/sign-in?return=${encodeURIComponent(url)}`;

/** Throws where somebody may not do what a route of the server does. */
export function requireRight(caller: Caller, { method, routeOptions: { config } }: FastifyRequest): void {
  const isLook = method === 'GET' || method === 'HEAD';
  new May(caller).have(config.right ?? (isLook ? 'view' : undefined));
}
