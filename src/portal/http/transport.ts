import type { LookupFunction } from 'node:net';
import type { Readable } from 'node:stream';
import { rootCertificates } from 'node:tls';
import { Agent, type Dispatcher, ProxyAgent, request } from 'undici';
import { CONNECTIONS_MAX, type Timeouts } from './limits';
import './paused-parser';

interface HttpRequest {
  readonly url: URL;
  readonly method: 'GET' | 'POST';
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: Buffer | AsyncIterable<Buffer>;
  readonly signal: AbortSignal;
  /** @format milliseconds @default the portal's */
  readonly headersTimeoutMs?: number;
}

type HttpAnswer = Pick<Dispatcher.ResponseData, 'statusCode' | 'headers' | 'body'>;

/**
 * The connections to one portal, with their certificates, proxy and time limits. Redirects come back as they are.
 * Reads share kept connections; a POST takes one of its own, since a kept one that the portal has just
 * closed would leave open whether the work began.
 */
export class Transport {
  readonly #kept: Dispatcher;
  readonly #fresh: Dispatcher;
  readonly #timeouts: Timeouts;

  /**
   * @param ca PEM text, trusted besides the usual roots
   * @param lookup resolves the names of hosts; behind a proxy the proxy does
   */
  constructor({
    ca,
    proxy,
    timeouts,
    lookup,
  }: {
    ca?: string;
    proxy?: string;
    timeouts: Timeouts;
    lookup: LookupFunction;
  }) {
    this.#timeouts = timeouts;
    const tls = ca ? { ca: [...rootCertificates, ca] } : {};
    const shared = { headersTimeout: timeouts.headers, bodyTimeout: timeouts.body };
    const kept = {
      ...shared,
      connections: CONNECTIONS_MAX,
      pipelining: 1,
      keepAliveTimeout: timeouts.keepAlive,
      keepAliveMaxTimeout: timeouts.keepAlive,
    };
    const fresh = { ...shared, pipelining: 0 };
    const connect = { ...tls, timeout: timeouts.connect };
    const open = (options: Agent.Options): Dispatcher =>
      proxy
        ? new ProxyAgent({
            ...options,
            uri: proxy,
            requestTls: connect,
            proxyTls: connect,
            proxyTunnel: false,
          })
        : new Agent({ ...options, connect: { ...connect, lookup } });
    this.#kept = open(kept);
    this.#fresh = open(fresh);
  }

  send(http: HttpRequest): Promise<HttpAnswer> {
    return request(http.url, {
      dispatcher: http.method === 'POST' ? this.#fresh : this.#kept,
      method: http.method,
      headers: { 'user-agent': 'portolan', 'accept-encoding': 'identity', ...http.headers },
      // undici sends any async iterable, and faster than the same wrapped into a stream; its types name streams only.
      body: (http.body as Buffer | Readable | undefined) ?? null,
      signal: http.signal,
      headersTimeout: http.headersTimeoutMs ?? this.#timeouts.headers,
      bodyTimeout: this.#timeouts.body,
    });
  }

  /** Drops every connection, busy ones too. */
  async close(): Promise<void> {
    await Promise.all([this.#kept.destroy(), this.#fresh.destroy()]);
  }
}
