import type { ZodType } from 'zod';
import { RETRY_AFTER_MAX_MS } from '../../model/errors/budgets';
import type { ErrorCode } from '../../model/errors/error-codes';
import { PortolanError } from '../../model/errors/errors';
import { toList, toNumber, toRecord, toText } from './reading';
import { excessIn, portalError, tooMuch } from './response-limits';
import { type Envelope, knownError } from '../known-errors';
import { withIds } from './ids';
import { type Scrubber, WORDS_MAX } from './scrubber';

/** An HTTP answer, read to its end. */
export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
}

export interface AnswerContext {
  readonly portal: string;
  readonly operation: string;
  readonly scrubber: Scrubber;
  readonly missing?: ErrorCode;
  readonly statusIsData?: boolean;
}

/**
 * The JSON of an answer. Everything that is an error in it, by HTTP status, in one of the envelopes in a
 * 200, or because it is not JSON at all, is thrown. docs/reference/portal-interface.md, "Errors"
 */
export function jsonOf(answer: Answer, context: AnswerContext): unknown {
  const parsed = parse(answer.text);
  const envelope = envelopeIn(parsed.value, context);
  if (envelope) throw envelopeError(envelope, answer, context);
  if (answer.status >= 400) throw statusError(answer, context);
  if (parsed.kind === 'json') return parsed.value;
  if (parsed.excess !== undefined) throw tooMuch(context.portal, context.operation, parsed.excess);
  const { code, words } = unreadable[parsed.kind];
  throw fault(code, pageTitle(answer.text) || words, answer, context);
}

/**
 * An answer read by a schema.
 * @throws PortolanError as jsonOf does; BAD_RESPONSE, naming the places, where it has another shape; ID_REFUSED
 */
export function valueIn<T>(answer: Answer, schema: ZodType<T>, context: AnswerContext): T {
  const value = jsonOf(answer, context);
  const read = withIds(context, () => schema.safeParse(value));
  if (read.success) return read.data;
  const { portal, operation } = context;
  const places = read.error.issues.slice(0, 5).map((issue) => issue.path.join('.') || 'the response');
  const words = `answered ${operation} with unexpected data: ${places.join(', ')}`;
  throw portalError('BAD_RESPONSE', portal, operation, words, { httpStatus: answer.status });
}

/** An error for an HTTP status without an envelope: a page of a proxy, or nothing. */
export function statusError(answer: Answer, context: AnswerContext): PortolanError {
  const words = pageTitle(answer.text) || `HTTP ${answer.status}`;
  const code = codeByStatus(answer.status);
  // A page with 404 comes from a web server that knows no such address: it proves nothing about the resource.
  const hint = pageHints[answer.status];
  return fault(code === 'NOT_FOUND' ? 'BAD_RESPONSE' : code, words, answer, context, { hint });
}

/** Hints for statuses of proxies and web servers, which say nothing about account or package. */
const pageHints: Readonly<Record<number, string>> = {
  401: "The portal's web server asks for its own sign-in. Use an address without one.",
  403: 'The page comes from a proxy or firewall. Ask its administrator to let this machine through.',
  407: "Check the user name and password of this portal's proxy in portolan.yaml.",
  413: 'A proxy or web server refuses a request this large. Raise its limit, or sync fewer items with --items.',
};

const unreadable = {
  html: { code: 'HTML_RESPONSE', words: 'a web page instead of data' },
  cut: { code: 'RESPONSE_CUT', words: 'truncated JSON' },
  empty: { code: 'BAD_RESPONSE', words: 'an empty response' },
  other: { code: 'BAD_RESPONSE', words: 'not JSON' },
} as const;

interface Parsed {
  readonly kind: 'json' | keyof typeof unreadable;
  readonly value?: unknown;
  /** What is too much of it. */
  readonly excess?: string;
}

function parse(raw: string): Parsed {
  const text = raw.trim();
  if (text === '') return { kind: 'empty' };
  if (text.startsWith('<')) return { kind: 'html' };
  const excess = excessIn(text);
  if (excess !== undefined) return { kind: 'other', excess };
  try {
    return { kind: 'json', value: JSON.parse(text) };
  } catch (error) {
    // The parser's own words quote the text, which may hold a token: only the place is taken from them.
    const words = String(error);
    const position = Number(/position (\d+)/.exec(words)?.[1]);
    return { kind: /end of JSON/.test(words) || position >= text.length ? 'cut' : 'other' };
  }
}

function envelopeIn(value: unknown, context: AnswerContext): Envelope | undefined {
  const fields = toRecord(value);
  if (!fields) return undefined;
  const error = toRecord(fields['error']);
  if (error) return fromError(error);
  if (typeof fields['error'] === 'string' && fields['error'] !== '') {
    const message = toText(fields['error_description']) ?? fields['error'];
    return fromError({ messageCode: fields['error'], ...fields, message });
  }
  const status = toText(fields['status'])?.toLowerCase();
  if (status === 'error' || status === 'failed' || status === 'failure') {
    // A record of a job that failed may carry a code of its own.
    const isRecord =
      context.statusIsData && ('id' in fields || (fields['code'] === undefined && status !== 'error'));
    return isRecord ? undefined : fromError({ ...insideOf(fields['statusMessage']), ...fields });
  }
  return fields['success'] === false ? fromError(fields) : undefined;
}

function fromError(error: Record<string, unknown>): Envelope {
  const names = ['message', 'error_description', 'messages', 'details', 'statusMessage'];
  const sources = names.map((name) => error[name]);
  const words = sources.flatMap((each) => toList(each).flatMap((one) => toText(one) || []));
  const code = toNumber(error['code']);
  return {
    // Nought says no more than nothing.
    code: code || undefined,
    subcode: toNumber(error['subcode']),
    messageCode: toText(error['messageCode']) ?? toText(error['code']),
    words: [...new Set(words)].join(' ').slice(0, WORDS_MAX),
    retryAfter: error['retryAfter'],
  };
}

/** A status message is sometimes itself JSON that holds code and message. */
function insideOf(message: unknown): Record<string, unknown> {
  return toRecord(parse(toText(message) ?? '').value) ?? {};
}

function envelopeError(envelope: Envelope, answer: Answer, context: AnswerContext): PortolanError {
  const words = envelope.words || `error ${envelope.code ?? 'without code or message'}`;
  const known = knownError(envelope);
  const code = known?.code ?? codeFor(envelope, answer.status, context);
  const facts = { hint: known?.hint, portalCode: envelope.code };
  return fault(code, words, answer, context, facts, toText(envelope.retryAfter));
}

/** The only mapping from portal errors to error codes. */
function codeFor(
  { code, subcode, messageCode = '', words }: Envelope,
  status: number,
  context: AnswerContext,
): ErrorCode {
  const number = code ?? (status >= 400 ? status : undefined);
  if (/token is valid but access is denied/i.test(words)) return 'PERMISSION_DENIED';
  if (/^\W*(invalid token|token required)\b/i.test(words)) return 'TOKEN_REFUSED';
  if (number === undefined) {
    if (messageCode === 'invalid_token') return 'TOKEN_REFUSED';
    if (messageCode === 'insufficient_scope') return 'PERMISSION_DENIED';
    // Other words of OAuth 2.0 (RFC 6749, 5.2)
    if (/(invalid|unauthorized)_/.test(messageCode)) return 'BAD_REQUEST';
    if (/do(es)? not have permission/i.test(words)) return 'PERMISSION_DENIED';
  }
  if (number === 403 && subcode === 4) return 'INSECURE_URL';
  const byNumber = codeByStatus(number ?? 500);
  if (byNumber !== 'NOT_FOUND' && byNumber !== 'BAD_REQUEST' && byNumber !== 'SERVER_ERROR') return byNumber;
  if (/too many requests/i.test(words)) return 'RATE_LIMITED';
  const isMissing =
    byNumber === 'NOT_FOUND' ||
    messageCode === 'CONT_0001' ||
    /does not exist or is inaccessible/i.test(words);
  return isMissing ? (context.missing ?? 'NOT_FOUND') : byNumber;
}

function codeByStatus(status: number): ErrorCode {
  switch (status) {
    case 401:
    case 498:
    case 499:
      return 'TOKEN_REFUSED';
    case 403:
      return 'PERMISSION_DENIED';
    case 404:
      return 'NOT_FOUND';
    case 407:
      return 'CONNECTION_REFUSED';
    case 408:
      return 'TIMEOUT';
    case 413:
      return 'PACKAGE_TOO_LARGE';
    case 429:
      return 'RATE_LIMITED';
    case 502:
    case 503:
    case 504:
      return 'UNAVAILABLE';
    default:
      return status >= 400 && status < 500 ? 'BAD_REQUEST' : 'SERVER_ERROR';
  }
}

function fault(
  code: ErrorCode,
  words: string,
  answer: Answer,
  { portal, operation, scrubber }: AnswerContext,
  more: PortolanError['facts'] = {},
  pause?: string,
): PortolanError {
  const portalWords = scrubber.excerpt(words.replace(/\s+/g, ' ').trim());
  return new PortolanError(code, `${portal} answered ${operation}: ${portalWords}`, {
    portal,
    operation,
    httpStatus: answer.status,
    portalWords,
    retryAfterMs: retryAfter(answer, words, pause),
    ...more,
  });
}

/** Retry-After as seconds or date, in the header, in what the envelope says, or in words, up to the longest that is granted. @format milliseconds */
function retryAfter({ headers }: Answer, words: string, pause: string | undefined): number | undefined {
  const inWords = /(?:after|in|wait)\s+(\d+)\s*s(?:ec|\b)/i.exec(words)?.[1];
  const value = [headers['retry-after']].flat()[0] ?? pause ?? inWords;
  const seconds = toNumber(value);
  const ms = seconds === undefined ? Date.parse(String(value)) - Date.now() : seconds * 1000;
  return Number.isFinite(ms) ? Math.min(Math.max(0, Math.ceil(ms)), RETRY_AFTER_MAX_MS) : undefined;
}

/** The title of a page, which is all that is said of it. No attempt at a match goes beyond the next tag. */
function pageTitle(text: string): string {
  const title = /<title(?:\s[^<>]*)?>([^<]*)</i.exec(text)?.[1]?.trim();
  return title ? `a page titled "${title.slice(0, 100)}"` : '';
}
