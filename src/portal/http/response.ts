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
  const envelope = parsed.kind === 'json' ? envelopeIn(parsed.value, context) : undefined;
  if (envelope) throw envelopeError(envelope, answer, context);
  if (answer.status >= 400) throw statusError(answer, context);
  if (parsed.kind === 'json') return parsed.value;
  if (parsed.kind === 'much') throw tooMuch(context.portal, context.operation, parsed.what);
  throw fault(unreadable[parsed.kind], pageTitle(answer.text) || wordsFor[parsed.kind], answer, context);
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
  const places = read.error.issues.map((issue) => issue.path.join('.') || 'the response').slice(0, 5);
  const words = `answered ${operation} with unexpected data: ${places.join(', ')}`;
  throw portalError('BAD_RESPONSE', portal, operation, words, { httpStatus: answer.status });
}

/** An error for an HTTP status without an envelope: a page of a proxy, or nothing. */
export function statusError(answer: Answer, context: AnswerContext): PortolanError {
  const words = pageTitle(answer.text) || `HTTP ${answer.status}`;
  const code = codeByStatus(answer.status);
  // A page with 404 comes from a web server that knows no such address: it proves nothing about the resource.
  const hint = pageHints[answer.status];
  return fault(code === 'NOT_FOUND' ? 'BAD_RESPONSE' : code, words, answer, context, hint ? { hint } : {});
}

/** Hints for statuses of proxies and web servers, which say nothing about account or package. */
const pageHints: Readonly<Record<number, string>> = {
  401: "The portal's web server asks for its own sign-in. Use an address without one.",
  403: 'The page comes from a proxy or firewall. Ask its administrator to let this machine through.',
  407: "Check the user name and password of this portal's proxy in portolan.yaml.",
  413: 'A proxy or web server refuses a request this large. Raise its limit, or sync fewer items with --items.',
};

type Unreadable = 'html' | 'cut' | 'empty' | 'other';
const unreadable = {
  html: 'HTML_RESPONSE',
  cut: 'RESPONSE_CUT',
  empty: 'BAD_RESPONSE',
  other: 'BAD_RESPONSE',
} as const;
const wordsFor: Readonly<Record<Unreadable, string>> = {
  html: 'a web page instead of data',
  cut: 'truncated JSON',
  empty: 'an empty response',
  other: 'not JSON',
};

type Parsed = { kind: 'json'; value: unknown } | { kind: 'much'; what: string } | { kind: Unreadable };

function parse(raw: string): Parsed {
  const text = raw.replace(/^\uFEFF/, '').trim();
  if (text === '') return { kind: 'empty' };
  if (text.startsWith('<')) return { kind: 'html' };
  const what = excessIn(text);
  if (what !== undefined) return { kind: 'much', what };
  try {
    return { kind: 'json', value: JSON.parse(text) };
  } catch (error) {
    // The parser's own words quote the text, which may hold a token: only the place is taken from them.
    const words = error instanceof Error ? error.message : '';
    const position = Number(/position (\d+)/.exec(words)?.[1] ?? Number.NaN);
    const ended = /end of JSON|Unterminated/i.test(words) || position >= text.length;
    return { kind: /^[{[]/.test(text) && ended ? 'cut' : 'other' };
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
  const sources = [
    error['message'],
    error['error_description'],
    error['messages'],
    error['details'],
    error['statusMessage'],
  ];
  const words = sources.flatMap((each) => toList(each).flatMap((one) => toText(one)?.trim() || []));
  const code = toNumber(error['code']);
  return {
    // Nought says no more than nothing.
    code: code || undefined,
    subcode: toNumber(error['subcode']),
    messageCode: toText(error['messageCode']) ?? (code === undefined ? toText(error['code']) : undefined),
    words: [...new Set(words)].join(' ').slice(0, WORDS_MAX),
    retryAfter: error['retryAfter'],
  };
}

/** A status message is sometimes itself JSON that holds code and message. */
function insideOf(message: unknown): Record<string, unknown> {
  const parsed = parse(toText(message) ?? '');
  return (parsed.kind === 'json' && toRecord(parsed.value)) || {};
}

function envelopeError(envelope: Envelope, answer: Answer, context: AnswerContext): PortolanError {
  const words = envelope.words || `error ${envelope.code ?? 'without code or message'}`;
  const retryAfterMs = retryAfter(answer, envelope);
  const known = knownError(envelope);
  return fault(known?.code ?? codeFor(envelope, answer.status, context), words, answer, context, {
    ...(known && { hint: known.hint }),
    ...(envelope.code !== undefined && { portalCode: envelope.code }),
    ...(envelope.messageCode && {
      messageCode: context.scrubber.excerpt(envelope.messageCode, 60),
    }),
    ...(retryAfterMs !== undefined && { retryAfterMs }),
  });
}

/** The only mapping from portal errors to error codes. */
function codeFor(
  { code, subcode, messageCode, words }: Envelope,
  status: number,
  context: AnswerContext,
): ErrorCode {
  const number = code ?? (status >= 400 ? status : undefined);
  if (/token is valid but access is denied/i.test(words)) return 'PERMISSION_DENIED';
  if (/^\W*(invalid token|token required)\b/i.test(words)) return 'TOKEN_REFUSED';
  if (number === undefined && messageCode && Object.hasOwn(codeByOAuthWord, messageCode)) {
    return codeByOAuthWord[messageCode] ?? 'SERVER_ERROR';
  }
  if (number === 403) return subcode === 4 ? 'INSECURE_URL' : 'PERMISSION_DENIED';
  const byNumber = number === undefined ? undefined : codeByStatus(number);
  if (byNumber === 'TOKEN_REFUSED' || byNumber === 'RATE_LIMITED' || byNumber === 'UNAVAILABLE')
    return byNumber;
  if (/too many requests/i.test(words)) return 'RATE_LIMITED';
  if (
    byNumber === 'NOT_FOUND' ||
    messageCode === 'CONT_0001' ||
    /does not exist or is inaccessible/i.test(words)
  ) {
    return context.missing ?? 'NOT_FOUND';
  }
  if (number === undefined && /do(es)? not have permission/i.test(words)) return 'PERMISSION_DENIED';
  return byNumber ?? 'SERVER_ERROR';
}

/** The words of OAuth 2.0 for what is refused, where they come without a number (RFC 6749, 5.2; RFC 6750, 3.1). */
const codeByOAuthWord: Readonly<Record<string, ErrorCode>> = {
  invalid_token: 'TOKEN_REFUSED',
  invalid_request: 'BAD_REQUEST',
  invalid_client: 'BAD_REQUEST',
  invalid_grant: 'BAD_REQUEST',
  unauthorized_client: 'BAD_REQUEST',
  insufficient_scope: 'PERMISSION_DENIED',
};

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
  more: Readonly<Record<string, unknown>> = {},
): PortolanError {
  const retryAfterMs = retryAfter(answer);
  const portalWords = scrubber.excerpt(words.slice(0, WORDS_MAX).replace(/\s+/g, ' ').trim());
  return new PortolanError(code, `${portal} answered ${operation}: ${portalWords}`, {
    portal,
    operation,
    httpStatus: answer.status,
    portalWords,
    ...(retryAfterMs !== undefined && { retryAfterMs }),
    ...more,
  });
}

/** Retry-After as seconds or date, in the header, the envelope, or its words, up to the longest that is granted. @format milliseconds */
function retryAfter(answer: Answer, envelope?: Envelope): number | undefined {
  const header = [answer.headers['retry-after']].flat()[0] ?? toText(envelope?.retryAfter);
  const inWords = /(?:after|in|wait)\s+(\d+)\s*s(?:ec|\b)/i.exec(envelope?.words ?? '')?.[1];
  const value = header ?? inWords;
  if (value === undefined) return undefined;
  const seconds = toNumber(value);
  const ms = seconds === undefined ? Date.parse(value) - Date.now() : seconds * 1000;
  return Number.isFinite(ms) ? Math.min(Math.max(0, Math.ceil(ms)), RETRY_AFTER_MAX_MS) : undefined;
}

/** The title of a page, which is all that is said of it. */
function pageTitle(text: string): string {
  // Found step by step: one expression for all of it would begin anew at each `<title` of a page made of them.
  const start = text.search(/<title[\s>]/i);
  const open = start < 0 ? -1 : text.indexOf('>', start);
  const close = open < 0 ? -1 : text.indexOf('<', open);
  if (close < 0) return '';
  const title = text
    .slice(open + 1, Math.min(close, open + WORDS_MAX))
    .replace(/\s+/g, ' ')
    .trim();
  return title ? `a page titled "${title.slice(0, 100)}"` : '';
}
