import type { Readable } from 'node:stream';
import { PortolanError } from '../model/errors';
import { requireSafe } from './address';
import { type Answer, statusError } from './answer';
import type { Body } from './body';
import type { Deadline } from './deadline';
import { REDIRECTS_MAX } from './limits';
import { networkFault } from './network-fault';
import type { RequestLogEvent } from './request';
import { Scrubber } from './scrubber';
import { Transport } from './transport';

export interface LineRequest {
  readonly operation: string;
  readonly method: 'GET' | 'POST';
  readonly url: URL;
  /** Sent to the portal and its aliases; a redirect to another origin drops all but Range and If-Range. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: Body;
  readonly deadline: Deadline;
  readonly headersTimeoutMs?: number;
  /** Which redirects are followed; a POST's never unless it keeps its method. */
  readonly follow: 'never' | 'same origin' | 'anywhere';
}

/** An answer whose body has not been read. */
export interface Opened {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: Readable;
  /** Host of another origin that a redirect led to. Its URL is a secret. */
  readonly redirectedToHost?: string;
  readonly deadline: Deadline;
  /** Maps an error of the body. */
  readonly fault: (thrown: unknown) => PortolanError;
}

/** Requests over the line to a portal: referer, redirects, time limits, log, and the meaning of what breaks. */
export class Line {
  readonly scrubber = new Scrubber();
  /** Tokens are bound to it; the same with every request. */
  readonly referer: string;
  readonly #transport: Transport;
  readonly #origins: ReadonlySet<string>;

  constructor(
    private readonly options: {
      readonly name: string;
      readonly url: string;
      readonly ca?: string;
      readonly proxy?: string;
      readonly aliases?: readonly string[];
      readonly insecure?: boolean;
      readonly log?: (event: RequestLogEvent) => void;
    },
  ) {
    this.referer = options.url;
    this.#transport = new Transport(options);
    const addresses = [options.url, ...(options.aliases ?? [])].filter((address) => URL.canParse(address));
    this.#origins = new Set(addresses.map((address) => new URL(address).origin));
    if (options.proxy && URL.canParse(options.proxy)) {
      this.scrubber.learn(decodeURIComponent(new URL(options.proxy).password));
    }
  }

  close(): Promise<void> {
    return this.#transport.close();
  }

  /** Sends a request and reads its answer as text. */
  async read(request: LineRequest, maxBytes: number): Promise<Answer> {
    const opened = await this.open(request);
    const { status, headers } = opened;
    const { bytes, whole } = await readUpTo(opened, maxBytes);
    if (!whole) {
      throw new PortolanError(
        'BAD_RESPONSE',
        `${this.options.name} answered with more than ${maxBytes} bytes.`,
        {
          portal: this.options.name,
          operation: request.operation,
          httpStatus: status,
        },
      );
    }
    return { status, headers, text: bytes.toString('utf8') };
  }

  /** Sends a request and follows its redirects by hand, up to the head of an answer that is none. */
  async open(request: LineRequest): Promise<Opened> {
    let url = request.url;
    for (let hops = 0; hops <= REDIRECTS_MAX; hops++) {
      const opened = await this.#send(request, url);
      if (opened.status < 300 || opened.status >= 400 || opened.status === 304) return opened;
      await drop(opened.body);
      url = this.#next(request, url, opened);
    }
    throw new PortolanError(
      'REDIRECT_LOOP',
      `${this.options.name} redirects ${request.operation} without end.`,
      {
        portal: this.options.name,
        operation: request.operation,
      },
    );
  }

  /** What a thrown thing means; before an answer has begun. */
  fault(
    thrown: unknown,
    operation: string,
    deadline?: Deadline,
    at?: { host: string; answered: boolean },
  ): PortolanError {
    const { host = new URL(this.options.url).host, answered = false } = at ?? {};
    return networkFault(thrown, { portal: this.options.name, operation, host, answered, deadline });
  }

  /** Runs what judges an answer, and logs the error that it finds in one that looked well. */
  judged<T>(operation: string, answer: Answer, judge: () => T): T {
    try {
      return judge();
    } catch (error) {
      if (error instanceof PortolanError) {
        this.#log({
          operation,
          method: '',
          path: '',
          status: answer.status,
          ms: 0,
          portalCode: error.facts.portalCode,
          error: error.code,
        });
      }
      throw error;
    }
  }

  async #send(request: LineRequest, url: URL): Promise<Opened> {
    const { operation, method, body, deadline } = request;
    const home = this.#isHome(url, request);
    const started = performance.now();
    const path = home ? url.pathname : url.host;
    const done = (more: Pick<RequestLogEvent, 'status' | 'error'>) =>
      this.#log({ operation, method, path, ms: Math.round(performance.now() - started), ...more });
    try {
      const answer = await this.#transport.send({
        url,
        method,
        headers: this.#headers(request, home),
        signal: deadline.signal,
        ...(body && { body: body.open() }),
        headersTimeoutMs: request.headersTimeoutMs,
      });
      done({ status: answer.statusCode });
      return {
        status: answer.statusCode,
        headers: answer.headers,
        body: answer.body,
        deadline,
        ...(home ? {} : { redirectedToHost: url.host }),
        fault: (thrown) => this.fault(thrown, operation, deadline, { host: url.host, answered: true }),
      };
    } catch (thrown) {
      const fault = this.fault(thrown, operation, deadline, { host: url.host, answered: false });
      done({ error: fault.code });
      throw fault;
    }
  }

  #headers({ headers, body }: LineRequest, home: boolean): Record<string, string> {
    const described: Record<string, string> = body
      ? { 'content-type': body.contentType, 'content-length': String(body.length) }
      : {};
    if (home) return { accept: 'application/json', referer: this.referer, ...headers, ...described };
    const kept = Object.entries(headers).filter(([name]) => name === 'range' || name === 'if-range');
    return Object.fromEntries(kept);
  }

  /** Where the token may go: the portal, its aliases, and the origin that the caller itself named. */
  #isHome(url: URL, request: LineRequest): boolean {
    return url.origin === request.url.origin || this.#origins.has(url.origin);
  }

  #next(request: LineRequest, from: URL, opened: Opened): URL {
    const location = [opened.headers['location']].flat()[0] ?? '';
    const url = URL.canParse(location, from.href) ? new URL(location, from) : undefined;
    const keepsMethod = request.method === 'GET' || opened.status === 307 || opened.status === 308;
    const may =
      request.follow === 'anywhere' ||
      (request.follow === 'same origin' && url && this.#isHome(url, request));
    if (!url || !may || !keepsMethod) {
      const where = url ? `to ${url.host}` : 'to nowhere';
      throw new PortolanError(
        'BAD_RESPONSE',
        `${this.options.name} redirects ${request.operation} ${where}.`,
        {
          portal: this.options.name,
          operation: request.operation,
          httpStatus: opened.status,
          hint: 'Set the url of this portal to the address that it answers under, without a detour.',
        },
      );
    }
    if (from.protocol === 'https:' || url.origin !== from.origin) requireSafe(url, this.options);
    return url;
  }

  #log(event: Omit<RequestLogEvent, 'portal'>): void {
    this.options.log?.({ portal: this.options.name, ...event });
  }
}

/** The first bytes of an answer; what comes after them is dropped. */
export async function readUpTo(opened: Opened, maxBytes: number): Promise<{ bytes: Buffer; whole: boolean }> {
  const chunks: Buffer[] = [];
  let length = 0;
  try {
    for await (const chunk of opened.body) {
      const bytes: Buffer = Buffer.isBuffer(chunk) ? chunk : Buffer.from(chunk);
      chunks.push(bytes);
      length += bytes.length;
      if (length > maxBytes) break;
    }
  } catch (error) {
    throw opened.fault(error);
  }
  return { bytes: Buffer.concat(chunks).subarray(0, maxBytes), whole: length <= maxBytes };
}

/** Ends an answer that nobody reads, without an error that nobody catches. */
export function drop(body: Readable): Promise<void> {
  return new Promise((resolve) => {
    if (body.destroyed) return resolve();
    body.once('error', () => {});
    body.once('close', () => resolve());
    body.destroy();
  });
}

/** An error of a content store that a redirect led to: its address was made for once, a repeat gets another. */
export const storeError = (
  answer: Answer,
  context: Parameters<typeof statusError>[1],
  host: string,
): PortolanError => {
  const { facts } = statusError(answer, context);
  return new PortolanError(
    'UNAVAILABLE',
    `${context.portal}: its content store ${host} answered HTTP ${answer.status}.`,
    facts,
  );
};
