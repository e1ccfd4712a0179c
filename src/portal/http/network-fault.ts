import { types } from 'node:util';
import { PortolanError } from '../../model/errors/errors';
import type { ErrorCode } from '../../model/errors/error-codes';
import type { Deadline } from './deadline';

export interface NetworkContext {
  readonly portal: string;
  readonly operation: string;
  readonly host: string;
  /** Whether the response had started. */
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
const lost: Fault = { code: 'CONNECTION_LOST', words: 'the connection broke before the response' };
const late = (words: string): Fault => ({ code: 'TIMEOUT', words });

/** Meanings of system and undici error codes. */
const faults: Readonly<Record<string, Fault>> = {
  ENOTFOUND: noName,
  EAI_AGAIN: noName,
  EAI_FAIL: noName,
  EAI_NODATA: noName,
  EAI_NONAME: noName,
  ECONNREFUSED: noConnection('the connection was refused'),
  EHOSTUNREACH: noConnection('there is no route to the host'),
  EHOSTDOWN: noConnection('the host is down'),
  ENETUNREACH: noConnection('the network is unreachable'),
  EADDRNOTAVAIL: noConnection('no local address is left for the connection'),
  UND_ERR_CONNECT_TIMEOUT: noConnection('the connection timed out'),
  ECONNRESET: lost,
  ECONNABORTED: lost,
  ENETRESET: lost,
  EPIPE: lost,
  UND_ERR_SOCKET: lost,
  UND_ERR_CLOSED: lost,
  UND_ERR_DESTROYED: lost,
  UND_ERR_INFO: lost,
  ETIMEDOUT: late('the connection went silent'),
  UND_ERR_HEADERS_TIMEOUT: late('no response in time'),
  UND_ERR_BODY_TIMEOUT: late('the response stalled'),
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: {
    code: 'RESPONSE_CUT',
    words: 'the response is not as long as announced',
  },
  UND_ERR_REQ_CONTENT_LENGTH_MISMATCH: {
    code: 'STORE_BROKEN',
    words: 'the file changed its length while it was sent',
  },
  UND_ERR_RESPONSE_EXCEEDED_MAX_SIZE: { code: 'BAD_RESPONSE', words: 'the response is too long' },
  UND_ERR_HEADERS_OVERFLOW: { code: 'BAD_RESPONSE', words: 'the response has too many headers' },
  UND_ERR_PRX_TLS: { code: 'TLS_FAILED', words: 'the certificate of the proxy is not trusted' },
};

const tlsCode =
  /^(ERR_TLS|ERR_SSL|CERT_|CRL_|UNABLE_TO_|DEPTH_ZERO_SELF_SIGNED_CERT|SELF_SIGNED_CERT|ERROR_IN_C|INVALID_(CA|PURPOSE)|PATH_LENGTH|HOSTNAME_MISMATCH|EPROTO)/;

/** Hints for TLS errors that another CA would not fix. */
const tlsHints: readonly (readonly [code: RegExp, hint: string])[] = [
  [
    /HAS_EXPIRED|NOT_YET_VALID/,
    "The portal's certificate has expired or is not yet valid. Renew it, and check both clocks.",
  ],
  [/ALTNAME|HOSTNAME/, 'The certificate is for another host name. Use that name in url.'],
  [
    /WRONG_VERSION_NUMBER|PACKET_LENGTH|HTTP_REQUEST/,
    'No TLS at this address. Check the scheme and port of url.',
  ],
  [/^(EPROTO|ERR_SSL)/, 'No common TLS version. Enable TLS 1.2 or later on the portal.'],
];

/** Converts network errors to PortolanError; leaves PortolanErrors unchanged. */
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
  if (deadline?.ended === 'timed out') return late('the call timed out');
  for (const error of chain) {
    const code = codeOf(error);
    const proxy = /Proxy response \(?(\d+)?/i.exec(error.message);
    if (proxy) return refusedByProxy(proxy[1]);
    if (code === 'ETIMEDOUT' && 'syscall' in error && error.syscall === 'connect')
      return noConnection('the connection timed out');
    if (tlsCode.test(code)) {
      const words = `its certificate or TLS was rejected (${code})`;
      return { code: 'TLS_FAILED', words, hint: tlsHints.find(([codes]) => codes.test(code))?.[1] };
    }
    if (error.name === 'HTTPParserError' || code.startsWith('HPE_')) {
      return answered ? cut : { code: 'BAD_RESPONSE', words: 'the server does not speak HTTP' };
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
      ? "Check the user name and password of this portal's proxy in portolan.yaml."
      : 'The proxy cannot reach the portal. Check its rules, and that the portal is running.',
  );

const cut: Fault = { code: 'RESPONSE_CUT', words: 'the response ended early' };

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
