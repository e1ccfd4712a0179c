import { types } from 'node:util';
import { PortolanError } from '../../model/errors/errors';
import type { ErrorCode } from '../../model/errors/error-codes';
import type { Deadline } from './deadline';

export interface NetworkContext {
  readonly portal: string;
  readonly operation: string;
  readonly host: string;
  /** Whether the answer had begun. */
  readonly answered: boolean;
  readonly deadline?: Deadline;
}

interface Fault {
  readonly code: ErrorCode;
  readonly words: string;
  readonly hint?: string;
}

const noConnection = (words: string, hint?: string): Fault => ({ code: 'CONNECTION_REFUSED', words, hint });
const noName: Fault = { code: 'DNS_FAILED', words: 'the host name does not resolve' };
const lost: Fault = { code: 'CONNECTION_LOST', words: 'the connection broke before the answer' };
const late = (words: string): Fault => ({ code: 'TIMEOUT', words });

/** What a system's or undici's error code means for a call. */
const faults: Readonly<Record<string, Fault>> = {
  ENOTFOUND: noName,
  EAI_AGAIN: noName,
  EAI_FAIL: noName,
  EAI_NODATA: noName,
  EAI_NONAME: noName,
  ECONNREFUSED: noConnection('the connection was refused'),
  EHOSTUNREACH: noConnection('there is no route to the host'),
  EHOSTDOWN: noConnection('the host is down'),
  ENETUNREACH: noConnection('there is no route to its network'),
  EADDRNOTAVAIL: noConnection('there is no local address left for the connection'),
  UND_ERR_CONNECT_TIMEOUT: noConnection('no connection was made in time'),
  ECONNRESET: lost,
  ECONNABORTED: lost,
  ENETRESET: lost,
  EPIPE: lost,
  UND_ERR_SOCKET: lost,
  UND_ERR_CLOSED: lost,
  UND_ERR_DESTROYED: lost,
  UND_ERR_INFO: lost,
  ETIMEDOUT: late('the connection went silent'),
  UND_ERR_HEADERS_TIMEOUT: late('the answer did not begin in time'),
  UND_ERR_BODY_TIMEOUT: late('the answer stopped coming'),
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: {
    code: 'RESPONSE_CUT',
    words: 'the answer has not the length it announced',
  },
  UND_ERR_REQ_CONTENT_LENGTH_MISMATCH: { code: 'STORE_BROKEN', words: 'the file has not the length it had' },
  UND_ERR_RESPONSE_EXCEEDED_MAX_SIZE: { code: 'BAD_RESPONSE', words: 'the answer is too long' },
  UND_ERR_HEADERS_OVERFLOW: { code: 'BAD_RESPONSE', words: 'the answer has too many headers' },
  UND_ERR_PRX_TLS: { code: 'TLS_FAILED', words: 'the proxy has no certificate that is trusted here' },
};

const tlsCode =
  /^(ERR_TLS|ERR_SSL|CERT_|CRL_|UNABLE_TO_|DEPTH_ZERO_SELF_SIGNED_CERT|SELF_SIGNED_CERT|ERROR_IN_C|INVALID_(CA|PURPOSE)|PATH_LENGTH|HOSTNAME_MISMATCH|EPROTO)/;

/** What to do about TLS where another authority would not help. */
const tlsHints: readonly (readonly [code: RegExp, hint: string])[] = [
  [
    /HAS_EXPIRED|NOT_YET_VALID/,
    "The portal's certificate has ended, or has not begun: have it renewed, and check both clocks.",
  ],
  [/ALTNAME|HOSTNAME/, 'The certificate is for another name: use the url with the name that it is for.'],
  [
    /WRONG_VERSION_NUMBER|PACKET_LENGTH|HTTP_REQUEST/,
    'What listens there does not speak TLS: check the scheme and the port of the url.',
  ],
  [/^(EPROTO|ERR_SSL)/, 'Both sides agree on no TLS: have the portal offer TLS 1.2 or later.'],
];

/** Turns whatever broke a call below HTTP into an error of the closed table. A PortolanError stays as it is. */
export function networkFault(thrown: unknown, context: NetworkContext): PortolanError {
  const chain = causesOf(thrown);
  const ours = chain.find((each) => each instanceof PortolanError);
  if (ours) return ours;
  const { portal, operation, host } = context;
  const fault = faultOf(chain, context);
  const facts = {
    portal,
    operation,
    systemCode: chain.map(codeOf).find(Boolean),
    ...(fault.hint && { hint: fault.hint }),
  };
  return new PortolanError(fault.code, `${portal} (${host}): ${fault.words}.`, facts, {
    cause: plain(thrown),
  });
}

function faultOf(chain: readonly Error[], { deadline, answered }: NetworkContext): Fault {
  if (deadline?.ended === 'aborted') return { code: 'ABORTED', words: 'the call was aborted' };
  if (deadline?.ended === 'timed out') return late('the call did not end in time');
  for (const error of chain) {
    const code = codeOf(error);
    const proxy = /Proxy response \(?(\d+)?/i.exec(error.message);
    if (proxy) return refusedByProxy(proxy[1]);
    if (code === 'ETIMEDOUT' && 'syscall' in error && error.syscall === 'connect')
      return noConnection('no connection was made in time');
    if (tlsCode.test(code)) {
      const words = `its certificate or TLS is not accepted (${code})`;
      return { code: 'TLS_FAILED', words, hint: tlsHints.find(([codes]) => codes.test(code))?.[1] };
    }
    if (error.name === 'HTTPParserError' || code.startsWith('HPE_')) {
      return answered ? cut : { code: 'BAD_RESPONSE', words: 'what listens there does not speak HTTP' };
    }
    const fault = faults[code];
    if (fault) return answered && fault.code === 'CONNECTION_LOST' ? cut : fault;
    if (/terminated|other side closed|premature close|aborted/i.test(error.message))
      return answered ? cut : lost;
  }
  return { code: 'INTERNAL', words: `the call failed (${chain[0]?.name ?? 'unknown'})` };
}

const refusedByProxy = (status: string | undefined): Fault =>
  noConnection(
    `the proxy refused the connection${status ? ` with ${status}` : ''}`,
    status === '407'
      ? "Check user and password of this portal's proxy in portolan.yaml."
      : 'The proxy does not reach the portal: check its rules, and that the portal is up.',
  );

const cut: Fault = { code: 'RESPONSE_CUT', words: 'the answer ended early' };

const codeOf = (error: Error): string =>
  'code' in error && typeof error.code === 'string' ? error.code : '';

/** The error, what it was made from, and the tries of a host with several addresses. */
function causesOf(thrown: unknown): Error[] {
  const found: Error[] = [];
  const queue: unknown[] = [thrown];
  while (queue.length > 0 && found.length < 20) {
    const next = queue.shift();
    if (!isError(next) || found.includes(next)) continue;
    found.push(next);
    queue.push(next.cause, ...('errors' in next && Array.isArray(next.errors) ? next.errors : []));
  }
  return found;
}

/** Also for errors of Node's own that come from another realm, as under a test runner. */
const isError = (value: unknown): value is Error => value instanceof Error || types.isNativeError(value);

/** An undici error carries sockets and bodies; only its words go along. */
function plain(thrown: unknown): Error {
  return isError(thrown)
    ? new Error(`${thrown.name}: ${codeOf(thrown) || 'no code'}`)
    : new Error('no error');
}
