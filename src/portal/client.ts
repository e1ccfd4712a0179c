import type { LookupFunction } from 'node:net';
import type { ErrorCode } from '../model/errors/error-codes';
import { PortolanError } from '../model/errors/errors';
import { withoutTrailingSlashes } from '../model/identity';
import { adminUrl, baseUrl } from './http/address';
import { type Answer, type AnswerContext, valueIn } from './http/response';
import { type Body, bodyOf, formBody, pairsOf } from './http/body';
import { Deadline } from './http/deadline';
import { Connection } from './http/connection';
import { drop, type Opened } from './http/opened';
import { JSON_BYTES_MAX, type Timeouts, timeoutsFor } from './http/limits';
import type { CallOptions, OpenRequest, PortalCalls, PortalRequest, RequestEnd } from './http/request';
import { readKnownServers, ServerTokens } from './auth/server-tokens';
import { Session, type Token } from './auth/session';
import { SignedCalls } from './auth/signed-calls';
import { whoIsSignedIn } from './auth/signed-in';
import { exchangeToken, type PortalAuth, signIn, type SignInConnection } from './auth/sign-in';

export type { PortalAuth } from './auth/sign-in';
export type { CallOptions, FileSource, PortalRequest } from './http/request';

export interface PortalOptions {
  /** Name in portolan.yaml. */
  readonly name: string;
  /** Base URL, ending in /sharing/rest. */
  readonly url: string;
  readonly auth: PortalAuth;
  /** Certificates in PEM, trusted besides the usual ones. */
  readonly ca?: string;
  /** URL of an http proxy. */
  readonly proxy?: string;
  /** Further base URLs or prefixes under which this portal is known. */
  readonly aliases?: readonly string[];
  /** Allows plain http beyond this machine. @default false */
  readonly insecure?: boolean;
  /** How long the portal may take to begin an answer. @format milliseconds @default 2 min */
  readonly responseTimeoutMs?: number;
  /** Resolves names of hosts. @default the system's */
  readonly lookup?: LookupFunction;
  /** Told of every request once its answer was read or left, within whatever has sent it; never of a secret. */
  readonly ended?: (end: RequestEnd) => void;
  /** Aborts calls that name no signal of their own; asked at each call. @default nothing aborts them */
  readonly signal?: () => AbortSignal | undefined;
}

/** Throws what the head or the first bytes of a file say has gone wrong. */
type FileCheck<T> = (opened: Opened, context: AnswerContext) => Promise<T>;

/**
 * A portal and the session with it, shared by all who call it in this process. The functions of this
 * room take it as their first argument.
 */
export class Portal implements PortalCalls {
  readonly name: string;
  /** Base URL without a trailing slash. */
  readonly url: string;
  readonly aliases: readonly string[];
  readonly auth: PortalAuth;
  readonly timeouts: Timeouts;
  readonly #connection: Connection;
  readonly #session: Session;
  readonly #signed: SignedCalls;
  readonly #servers: ServerTokens;
  readonly #signal: PortalOptions['signal'];
  #caller: string | undefined;

  /** @throws PortolanError CONFIG_INVALID, INSECURE_URL */
  constructor(options: PortalOptions) {
    const { name, auth, insecure } = options;
    this.name = name;
    this.url = baseUrl(options.url, { name, insecure });
    this.aliases = (options.aliases ?? []).map((alias) => withoutTrailingSlashes(alias));
    this.auth = auth;
    this.#signal = options.signal;
    this.timeouts = timeoutsFor(options.responseTimeoutMs);
    this.#connection = new Connection({ ...options, url: this.url, timeouts: this.timeouts });
    const { scrubber } = this.#connection;
    const unsigned: SignInConnection = {
      name,
      referer: this.#connection.referer,
      scrubber,
      post: (operation, path, pairs, judge) => this.#postUnsigned(operation, path, formBody(pairs), judge),
    };
    this.#session = new Session({ name, auth, scrubber, signIn: (secret) => signIn(unsigned, auth, secret) });
    this.#signed = new SignedCalls(this.#session, this.#connection);
    this.#servers = new ServerTokens({
      name,
      insecure,
      own: [this.url, ...this.aliases],
      // Its answer is for all callers, so none of them aborts it.
      servers: () => readKnownServers(this, { signal: new AbortController().signal }),
      exchange: (token, url) => exchangeToken(unsigned, token, url),
    });
  }

  /** The beginning of a portal message, without secrets. */
  excerpt(words: string): string {
    return this.#connection.scrubber.excerpt(words);
  }

  /** Drops all connections. */
  close(): Promise<void> {
    return this.#connection.close();
  }

  /**
   * One call that answers JSON, signed in. A token that the portal refuses is renewed once and the call
   * repeated; a page in place of JSON renews it too, but repeats reads only, since a write may have begun. A read that
   * ends with a server error is repeated once. It is never repeated without a token, nor for any other reason.
   *
   * @throws PortolanError for everything that is not the answer asked for
   */
  call<T>(request: PortalRequest<T>, options: CallOptions = {}): Promise<T> {
    // How long a file takes is not known beforehand; the connection's own limits end one that stands still.
    const deadline = this.#deadline(options, request.file ? undefined : this.timeouts.call);
    return this.#under(deadline, () =>
      this.#signed.attempt(deadline, request, (token) => this.#exchange(request, token, deadline, options)),
    );
  }

  /**
   * Opens a file: the answer's head and its unread body, which ends with the caller's signal. `check` may
   * throw what the head or the first bytes say; a refused token is then renewed once. `f=json` is sent so
   * that an error is no page; a portal that refuses that for a file is asked once more without.
   */
  async open<T>(request: OpenRequest, check: FileCheck<T>, options: CallOptions = {}): Promise<T> {
    try {
      return await this.#open(request, 'json', check, options);
    } catch (refusal) {
      if (codeOf(refusal) !== 'BAD_REQUEST') throw refusal;
      try {
        return await this.#open(request, undefined, check, options);
      } catch (error) {
        const code = codeOf(error);
        throw code === 'BAD_REQUEST' || code === 'HTML_RESPONSE' ? refusal : error;
      }
    }
  }

  async #open<T>(
    { operation, path, headers }: OpenRequest,
    format: 'json' | undefined,
    check: FileCheck<T>,
    options: CallOptions,
  ): Promise<T> {
    const deadline = this.#deadline(options);
    const context: AnswerContext = { ...this.#context(operation), missing: 'ITEM_NOT_FOUND' };
    const url = new URL(`${this.url}/${path}`);
    if (format) url.searchParams.set('f', format);
    try {
      return await this.#signed.attempt(deadline, { operation }, async (token) => {
        const opened = await this.#connection.open({
          operation,
          method: 'GET',
          url,
          headers: { ...headers, ...bearer(token.value) },
          deadline,
          follow: 'anywhere',
        });
        try {
          return await check(opened, context);
        } catch (error) {
          await drop(opened.body);
          throw error;
        }
      });
    } catch (error) {
      deadline.release();
      throw error;
    }
  }

  /** Signs in if needed. Returns the session, for confirmSignedIn. */
  signedIn(): Promise<Token> {
    return this.#session.current();
  }

  /**
   * Makes sure that the portal still knows who is calling, so that an empty answer means empty.
   * `renewed`: what was read since `session` was taken was read with a token that holds no more, or by
   * nobody, and is to be read again.
   *
   * @throws PortolanError TOKEN_REFUSED
   */
  async confirmSignedIn(session: Token, options?: CallOptions): Promise<'confirmed' | 'renewed'> {
    if (!(await this.#knowsUs(options))) {
      await this.#session.renew(session);
      if (!(await this.#knowsUs(options))) {
        throw new PortolanError('TOKEN_REFUSED', `${this.name} treats the request as not signed in.`, {
          portal: this.name,
        });
      }
    }
    return (await this.#session.current()) === session ? 'confirmed' : 'renewed';
  }

  /** Whether the portal reports the same signed-in user as before. */
  async #knowsUs(options?: CallOptions): Promise<boolean> {
    const caller = await whoIsSignedIn(this, options);
    this.#caller ??= caller;
    return caller !== undefined && caller === this.#caller;
  }

  #deadline({ signal = this.#signal?.(), timeoutMs }: CallOptions, ms?: number): Deadline {
    return new Deadline(signal, timeoutMs ?? ms);
  }

  async #under<T>(deadline: Deadline, act: () => Promise<T>): Promise<T> {
    try {
      return await act();
    } finally {
      deadline.release();
    }
  }

  async #exchange<T>(
    request: PortalRequest<T>,
    token: Token,
    deadline: Deadline,
    { beforeSending, listing }: CallOptions,
  ): Promise<T> {
    const { operation, method = 'GET', below = 'sharing' } = request;
    const url = this.#urlOf(request);
    const value =
      below === 'service'
        ? await this.#signed.waitFor(deadline, operation, this.#servers.tokenFor(url, token))
        : token.value;
    for (const secret of [value, ...(request.secrets ?? [])]) this.#connection.scrubber.learnPassing(secret);
    // The administration takes the token of a POST from the body only.
    const inBody = below === 'admin' && method === 'POST';
    const params = pairsOf({ ...request.params, ...(inBody && { token: value }), f: 'json' });
    const body = method === 'POST' ? bodyOf(request, params) : undefined;
    if (!body) for (const [name, text] of params) url.searchParams.set(name, text);
    return this.#connection.read(
      {
        operation,
        method,
        url,
        headers: { ...acceptJson, ...(inBody ? {} : bearer(value)) },
        body,
        deadline,
        beforeSending,
        follow: 'same origin',
        ...(request.file && { headersTimeoutMs: this.timeouts.headersOfUpload }),
      },
      JSON_BYTES_MAX,
      (answer) => {
        const { statusIsData, missing } = request;
        const context = { ...this.#context(operation), statusIsData, missing };
        const read = valueIn(answer, request.schema, context);
        listing?.add(answer.text);
        return read;
      },
    );
  }

  #urlOf({ path, query, below = 'sharing' }: PortalRequest<unknown>): URL {
    const base = { sharing: `${this.url}/`, admin: `${adminUrl(this.url)}/`, service: '' }[below];
    const url = new URL(path === '' ? base.replace(/\/$/, '') : `${base}${path}`);
    for (const [name, text] of pairsOf(query)) url.searchParams.set(name, text);
    return url;
  }

  #context(operation: string): AnswerContext {
    return { portal: this.name, operation, scrubber: this.#connection.scrubber };
  }

  #postUnsigned<T>(operation: string, path: string, body: Body, judge: (answer: Answer) => T): Promise<T> {
    const url = new URL(`${this.url}/${path}`);
    const request = { operation, method: 'POST', url, headers: acceptJson, body, follow: 'never' } as const;
    const deadline = new Deadline(undefined, this.timeouts.signIn);
    return this.#under(deadline, () =>
      this.#connection.read({ ...request, deadline }, JSON_BYTES_MAX, judge),
    );
  }
}

const codeOf = (error: unknown): ErrorCode | undefined =>
  error instanceof PortolanError ? error.code : undefined;

const acceptJson = { accept: 'application/json' } as const;
const bearer = (token: string): Record<string, string> => ({ 'x-esri-authorization': `Bearer ${token}` });
