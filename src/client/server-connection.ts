import { setTimeout as sleep } from 'node:timers/promises';
import { createParser } from 'eventsource-parser';
import { Agent, type Dispatcher, errors, request } from 'undici';
import type { ZodType } from 'zod';
import type { ServerAddress } from './server-address';
import { PortolanError } from '../model/errors/errors';
import { outgoingTrace } from '../tracing/tracing';
import { errorOfProblem } from './problem';

/** Maximum size of a response. @format bytes */
export const ANSWER_MAX = 32 * 1024 * 1024;
/** Some requests run checks on portals, which takes up to a minute. @format milliseconds */
const ANSWERED_WITHIN_MS = 120_000;
/** Silence after which a stream counts as lost; servers send a sign of life every 15 s. @format milliseconds */
const SILENT_MS = 45_000;
/** @format milliseconds */
const CONNECT_MS = 10_000;
/** Total wait while the server has too many requests of this caller. @format milliseconds */
const TURN_WITHIN_MS = 60_000;
const TURN_MAX_MS = 10_000;

/** Options of a request. */
export interface RequestOptions {
  readonly method?: 'GET' | 'POST';
  readonly query?: Readonly<Record<string, string | number | boolean | undefined>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  /** Sends a body and changes nothing. */
  readonly isLook?: boolean;
}

/** An event of a stream. */
export interface StreamEvent {
  readonly event: string;
  readonly data: unknown;
}

/**
 * The connection to a server, with a credential. Responses are untrusted: they are limited in size and parsed by
 * schema. Redirects are not followed, so the credential goes nowhere else.
 */
export class ServerLine {
  private readonly agent = new Agent({
    connect: { timeout: CONNECT_MS },
    headersTimeout: ANSWERED_WITHIN_MS,
    bodyTimeout: SILENT_MS,
  });

  constructor(
    readonly server: ServerAddress,
    /** A key, or a sign-in token. @default the server answers without one, or refuses */
    private readonly credential?: string,
  ) {}

  /**
   * The response to a request. Throws the error the server reports, `SERVER_UNREACHABLE`, and `SERVER_ANSWER` for an
   * invalid response.
   */
  async ask<T>(path: string, schema: ZodType<T>, asked: RequestOptions = {}): Promise<T> {
    const answer = await this.send(path, asked);
    return this.read(path, schema, await this.textOf(answer, asked));
  }

  /** The events of a stream, until it ends or the signal fires. */
  async *events(path: string, signal?: AbortSignal, body?: unknown): AsyncGenerator<StreamEvent> {
    const answer = await this.send(
      path,
      { headers: { accept: 'text/event-stream' }, body, isLook: true },
      signal,
    );
    if (!/^text\/event-stream\b/.test(String(answer.headers['content-type'])))
      throw this.noAnswer(path, 'is no stream of events');
    const found: { readonly event: string; readonly data: string }[] = [];
    const parser = createParser({
      onEvent: ({ event = 'message', data }) => void found.push({ event, data }),
    });
    const decoder = new TextDecoder();
    let unread = 0;
    try {
      for await (const chunk of answer.body as AsyncIterable<Buffer>) {
        unread += chunk.length;
        parser.feed(decoder.decode(chunk, { stream: true }));
        if (found.length > 0) unread = 0;
        if (unread > ANSWER_MAX) throw this.tooLarge(path);
        for (const { event, data } of found.splice(0)) yield { event, data: this.parse(path, data) };
      }
    } catch (thrown) {
      throw this.away(thrown, {});
    } finally {
      leave(answer);
    }
  }

  /** Parses a response. Throws `SERVER_ANSWER` if it does not match. */
  claim<T>(path: string, schema: ZodType<T>, value: unknown): T {
    const parsed = schema.safeParse(value);
    if (parsed.success) return parsed.data;
    const [issue] = parsed.error.issues;
    const at = issue?.path.map(String).join('.').slice(0, 80) || 'its whole';
    throw this.noAnswer(path, `has a different version of Portolan, at ${at}`);
  }

  /** The raw response; redirects are not followed. Throws `SERVER_UNREACHABLE`. */
  async statusOf(path: string): Promise<number> {
    const answer = await this.request(path, {});
    leave(answer);
    return answer.statusCode;
  }

  async close(): Promise<void> {
    await this.agent.destroy();
  }

  private async send(
    path: string,
    asked: RequestOptions,
    signal?: AbortSignal,
  ): Promise<Dispatcher.ResponseData> {
    for (const until = Date.now() + TURN_WITHIN_MS; ;) {
      const answer = await this.request(path, asked, signal);
      if (answer.statusCode >= 200 && answer.statusCode < 300) return answer;
      const pauseMs = pauseOf(answer);
      if (pauseMs === undefined || Date.now() + pauseMs > until)
        throw await this.refusal(path, answer, asked);
      leave(answer);
      await sleep(pauseMs, undefined, { signal });
    }
  }

  private async request(
    path: string,
    asked: RequestOptions,
    signal?: AbortSignal,
  ): Promise<Dispatcher.ResponseData> {
    const { method = asked.body === undefined ? 'GET' : 'POST', query = {}, headers, body } = asked;
    const url = new URL(`${this.server.url}${path}`);
    for (const [name, value] of Object.entries(query))
      if (value !== undefined) url.searchParams.set(name, String(value));
    try {
      return await request(url, {
        method,
        signal,
        dispatcher: this.agent,
        body: body === undefined ? null : JSON.stringify(body),
        headers: {
          accept: 'application/json',
          ...(body !== undefined && { 'content-type': 'application/json' }),
          ...(this.credential !== undefined && { authorization: `Bearer ${this.credential}` }),
          // Only writing requests are traced with a run.
          ...(method === 'POST' && outgoingTrace()),
          ...headers,
        },
      });
    } catch (thrown) {
      throw this.away(thrown, asked);
    }
  }

  /** The error of a failed request. */
  private async refusal(
    path: string,
    answer: Dispatcher.ResponseData,
    asked: RequestOptions,
  ): Promise<PortolanError> {
    const { statusCode: status, headers } = answer;
    if (status >= 300 && status < 400) {
      leave(answer);
      const { location } = headers;
      const to = typeof location === 'string' && URL.canParse(location, this.server.url);
      const where = to ? ` (to ${new URL(location, this.server.url).origin.slice(0, 200)})` : '';
      return new PortolanError(
        'SERVER_ANSWER',
        `${this.server.url} redirects${where}; a key is never sent to a redirect.`,
        {
          hint: "Set the server's own address: server in the file, or PORTOLAN_SERVER.",
        },
      );
    }
    const text = await this.textOf(answer, asked);
    const problem = errorOfProblem(this.server, jsonOf(text));
    if (problem) return problem;
    if (status === 502 || status === 503 || status === 504)
      return this.unreachable(`HTTP ${status}, from a proxy or another server`, asked);
    return this.noAnswer(path, `is HTTP ${status} without a reason`);
  }

  private async textOf(answer: Dispatcher.ResponseData, asked: RequestOptions): Promise<string> {
    const chunks: Buffer[] = [];
    let length = 0;
    try {
      for await (const chunk of answer.body as AsyncIterable<Buffer>) {
        length += chunk.length;
        if (length > ANSWER_MAX) throw this.tooLarge('');
        chunks.push(chunk);
      }
    } catch (thrown) {
      throw this.away(thrown, asked);
    } finally {
      leave(answer);
    }
    return this.withoutCredential(Buffer.concat(chunks).toString('utf8'));
  }

  /** Removes the credential from text a server sends back. */
  private withoutCredential(text: string): string {
    return this.credential === undefined ? text : text.replaceAll(this.credential, '...');
  }

  private read<T>(path: string, schema: ZodType<T>, text: string): T {
    return this.claim(path, schema, this.parse(path, text));
  }

  private parse(path: string, text: string): unknown {
    const value = jsonOf(this.withoutCredential(text));
    if (value === undefined) throw this.noAnswer(path, 'is not JSON');
    return value;
  }

  private noAnswer(path: string, words: string): PortolanError {
    const what = path.replace(/\?.*/, '').slice(0, 200);
    return new PortolanError(
      'SERVER_ANSWER',
      `${this.server.url} is not a portolan serve, or another version: its response to ${what} ${words}.`,
    );
  }

  private tooLarge(path: string): PortolanError {
    return this.noAnswer(path, `is larger than ${ANSWER_MAX / 1024 / 1024} MB`);
  }

  private away(thrown: unknown, asked: RequestOptions): PortolanError {
    if (thrown instanceof PortolanError) return thrown;
    const { code, message } = (thrown ?? {}) as { readonly code?: unknown; readonly message?: unknown };
    const words = typeof code === 'string' ? code : String(message ?? thrown).slice(0, 200);
    return this.unreachable(
      thrown instanceof errors.HeadersTimeoutError ? 'no response in time' : words,
      asked,
    );
  }

  private unreachable(words: string, { body, isLook }: RequestOptions): PortolanError {
    const { url } = this.server;
    const look =
      body !== undefined && !isLook
        ? ' The request may have been carried out; check before you repeat it.'
        : '';
    const isCertificate = /CERT|SELF_SIGNED|UNABLE_TO_VERIFY|ALTNAME/.test(words);
    return new PortolanError('SERVER_UNREACHABLE', `${url} does not respond: ${words}.${look}`, {
      hint: isCertificate
        ? 'Its certificate is not trusted here. Set NODE_EXTRA_CA_CERTS to the certificate of its authority.'
        : 'Check that portolan serve is running there, and the address in server or PORTOLAN_SERVER.',
    });
  }
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

/** How long to wait before a retry, if the server asks for one. @format milliseconds */
function pauseOf({ statusCode, headers }: Dispatcher.ResponseData): number | undefined {
  const seconds = Number(headers['retry-after']);
  if (statusCode !== 429 || !Number.isFinite(seconds)) return undefined;
  return Math.min(Math.max(seconds * 1_000, 100), TURN_MAX_MS);
}

/** Drops the rest of a response, ignoring errors. */
function leave({ body }: Dispatcher.ResponseData): void {
  body.on('error', () => undefined).destroy();
}
