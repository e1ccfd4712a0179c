import { AsyncResource } from 'node:async_hooks';
import type { LookupFunction } from 'node:net';
import type { ErrorCode } from '../../model/errors/error-codes';
import { PortolanError } from '../../model/errors/errors';
import { requireSafe, sharingUrl } from './address';
import { type Answer, statusError } from './response';
import type { Body } from './body';
import type { Deadline } from './deadline';
import { REDIRECTS_MAX, type Timeouts } from './limits';
import { type NetworkContext, networkFault } from './network-fault';
import { portalError } from './response-limits';
import { drop, howRead, type Opened, readUpTo } from './opened';
import { AllowedAddresses } from './allowed-addresses';
import type { RequestEnd } from './request';
import { Scrubber } from './scrubber';
import { Transport } from './transport';

interface ConnectionRequest {
  readonly operation: string;
  readonly method: 'GET' | 'POST';
  readonly url: URL;
  /** Sent to the portal and its aliases; a redirect away from them drops all but Range and If-Range. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: Body;
  readonly deadline: Deadline;
  readonly beforeSending?: () => Promise<void>;
  readonly headersTimeoutMs?: number;
  /** Which redirects are followed; a POST's never unless it keeps its method. */
  readonly follow: 'never' | 'same origin' | 'anywhere';
}

/** State of a request in progress. */
interface Seen {
  status?: number;
  receivedBytes?: number;
  /** A response that the caller reads itself. */
  opened?: Opened;
}

/** Requests over connections to a portal: referer, redirects, time limits, log, and the meaning of what breaks. */
export class Connection {
  readonly scrubber = new Scrubber();
  /** Tokens are bound to it; the same with every request. */
  readonly referer: string;
  readonly #transport: Transport;
  readonly #allowed: AllowedAddresses;
  readonly #origins: ReadonlySet<string>;
  /** Beginnings of the addresses of the portal's own interface. */
  readonly #interfaces: readonly string[];

  constructor(
    private readonly options: {
      readonly name: string;
      readonly url: string;
      readonly ca?: string;
      readonly proxy?: string;
      readonly aliases?: readonly string[];
      readonly insecure?: boolean;
      readonly timeouts: Timeouts;
      readonly lookup?: LookupFunction;
      readonly ended?: (end: RequestEnd) => void;
    },
  ) {
    this.referer = options.url;
    this.#allowed = new AllowedAddresses(options);
    this.#transport = new Transport({ ...options, lookup: this.#allowed.lookup });
    const addresses = [options.url, ...(options.aliases ?? [])].filter(
      (address) => /^https?:/i.test(address) && URL.canParse(address),
    );
    this.#origins = new Set(addresses.map((address) => new URL(address).origin));
    this.#interfaces = addresses.map((address) => `${sharingUrl(new URL(address).href)}/`);
    if (options.proxy && URL.canParse(options.proxy)) {
      this.scrubber.learn(decodeURIComponent(new URL(options.proxy).password));
    }
  }

  close(): Promise<void> {
    return this.#transport.close();
  }

  /** Sends a request, reads its answer as text and has it judged. */
  read<T>(request: ConnectionRequest, maxBytes: number, judge: (answer: Answer) => T): Promise<T> {
    return this.#observed(request, async (seen) => {
      const opened = await this.#follow(request);
      const { status, headers } = opened;
      seen.status = status;
      // A file may take its time to go up; the answer to it may not.
      request.deadline.limit(this.options.timeouts.call);
      const { bytes, whole } = await readUpTo(opened, maxBytes);
      seen.receivedBytes = bytes.length;
      if (whole) return judge({ status, headers, text: bytes.toString('utf8') });
      throw this.#error('ANSWER_TOO_LARGE', `sent more than ${maxBytes} bytes`, request, status);
    });
  }

  /** Sends a request and follows its redirects by hand, up to the head of an answer that is none. */
  open(request: ConnectionRequest): Promise<Opened> {
    return this.#observed(request, async (seen) => {
      seen.opened = await this.#follow(request);
      seen.status = seen.opened.status;
      return seen.opened;
    });
  }

  /** What a thrown thing means, before an answer has begun. */
  fault(thrown: unknown, operation: string, deadline: Deadline): PortolanError {
    return this.#fault(thrown, {
      operation,
      deadline,
      answered: false,
      host: new URL(this.options.url).host,
    });
  }

  async #observed<T>(request: ConnectionRequest, act: (seen: Seen) => Promise<T>): Promise<T> {
    const { operation, method, url } = request;
    const { ended, name: portal } = this.options;
    const started = performance.now();
    const startedAt = Date.now();
    // The end of a file comes in nobody's name.
    const tell = ended && AsyncResource.bind(ended);
    const seen: Seen = {};
    let fault: PortolanError | undefined;
    try {
      return await act(seen);
    } catch (error) {
      fault = PortolanError.from(error);
      throw error;
    } finally {
      const own = url.origin === new URL(this.options.url).origin;
      const end = (): void =>
        tell?.({
          portal,
          operation,
          method,
          host: url.hostname,
          startedAt,
          port: url.port === '' ? undefined : Number(url.port),
          path: own ? url.pathname : undefined,
          status: seen.status,
          portalCode: fault?.facts.portalCode,
          error: fault?.code,
          endedAt: startedAt + (performance.now() - started),
          sentBytes: request.body?.length,
          receivedBytes: seen.receivedBytes,
          ...(seen.opened && howRead(seen.opened)),
        });
      if (tell && seen.opened && !fault && !seen.opened.body.destroyed) seen.opened.body.once('close', end);
      else end();
    }
  }

  async #follow(request: ConnectionRequest): Promise<Opened> {
    let url = request.url;
    for (let hops = 0; hops <= REDIRECTS_MAX; hops++) {
      const opened = await this.#send(request, url);
      if (opened.status < 300 || opened.status >= 400 || opened.status === 304) {
        await this.#refuseCompressed(request, opened);
        return opened;
      }
      await drop(opened.body);
      url = this.#next(request, url, opened);
    }
    throw this.#error('REDIRECT_LOOP', `redirects ${request.operation} endlessly`, request);
  }

  /** Nobody here unpacks what comes: `identity` is all that is asked for. What is refused is told by its status. */
  async #refuseCompressed(request: ConnectionRequest, { status, headers, body }: Opened): Promise<void> {
    const coding = [headers['content-encoding']].flat()[0]?.trim().toLowerCase() || 'identity';
    if (status >= 300 || coding === 'identity') return;
    await drop(body);
    const hint = 'A proxy or web server compresses responses unasked. Turn that off.';
    const words = `sent an unrequested compressed response to ${request.operation} (${coding.slice(0, 20)})`;
    throw this.#error('BAD_RESPONSE', words, request, status, hint);
  }

  async #send(request: ConnectionRequest, url: URL): Promise<Opened> {
    const { operation, method, body, deadline } = request;
    const home = this.#isHome(url, request);
    const at = { operation, deadline, host: url.host };
    try {
      await this.#allowed.require(url);
    } catch (thrown) {
      throw this.#fault(thrown, { ...at, answered: false });
    }
    await request.beforeSending?.();
    try {
      const {
        statusCode,
        headers,
        body: answer,
      } = await this.#transport.send({
        url,
        method,
        headers: this.#headers(request, home),
        signal: deadline.signal,
        ...(body && { body: body.open() }),
        headersTimeoutMs: request.headersTimeoutMs,
      });
      return {
        status: statusCode,
        headers,
        body: answer,
        deadline,
        ...(!home && { redirectedToHost: url.host }),
        fault: (thrown) => this.#fault(thrown, { ...at, answered: true }),
      };
    } catch (thrown) {
      throw this.#fault(thrown, { ...at, answered: false });
    }
  }

  #fault(thrown: unknown, context: Omit<NetworkContext, 'portal'>): PortolanError {
    return networkFault(thrown, { portal: this.options.name, ...context });
  }

  #error(
    code: ErrorCode,
    words: string,
    { operation }: ConnectionRequest,
    httpStatus?: number,
    hint?: string,
  ): PortolanError {
    return portalError(code, this.options.name, operation, words, { httpStatus, ...(hint && { hint }) });
  }

  #headers({ headers, body }: ConnectionRequest, home: boolean): Record<string, string> {
    const described: Record<string, string> = body
      ? { 'content-type': body.contentType, 'content-length': String(body.length) }
      : {};
    if (home) return { referer: this.referer, ...headers, ...described };
    const kept = Object.entries(headers).filter(([name]) => name === 'range' || name === 'if-range');
    return Object.fromEntries(kept);
  }

  /**
   * Where the token may go: the portal, its aliases, and the origin that the caller itself named. A file's
   * redirect may lead to a store behind the portal's own host name, so there only its interface counts.
   */
  #isHome(url: URL, request: ConnectionRequest): boolean {
    if (url.href === request.url.href) return true;
    return request.follow === 'anywhere'
      ? this.#interfaces.some((address) => url.href.startsWith(address))
      : url.origin === request.url.origin || this.#origins.has(url.origin);
  }

  #next(request: ConnectionRequest, from: URL, opened: Opened): URL {
    const location = [opened.headers['location']].flat()[0] ?? '';
    const url = location && URL.canParse(location, from.href) ? new URL(location, from) : undefined;
    const keepsMethod = request.method === 'GET' || opened.status === 307 || opened.status === 308;
    const may =
      request.follow === 'anywhere' ||
      (request.follow === 'same origin' && url && this.#isHome(url, request));
    if (!url || !may || !keepsMethod) {
      const words = `redirects ${request.operation} to ${url ? url.host : 'no address'}`;
      const hint = "Set url to the portal's final address, without redirects.";
      throw this.#error('BAD_RESPONSE', words, request, opened.status, hint);
    }
    if (from.protocol === 'https:' || url.origin !== from.origin) requireSafe(url, this.options);
    return url;
  }
}

/** An error of a content store that a redirect led to: its address was made for once, a repeat gets another. */
export const storeError = (
  answer: Answer,
  context: Parameters<typeof statusError>[1],
  host: string,
): PortolanError => {
  const hint = "Retries failed. Check that the portal's content store is running.";
  const facts = { ...statusError(answer, context).facts, hint };
  return new PortolanError(
    'UNAVAILABLE',
    `${context.portal}: its content store ${host} returned HTTP ${answer.status}.`,
    facts,
  );
};
