import net from 'node:net';
import tls from 'node:tls';
import type { ConnectionOptions } from '@temporalio/client';
import { PortolanError } from '../model/errors/errors';
import { isLoopback } from '../model/identity';
import { parseAddress } from './dev-server/address';

/** Long enough for a handshake; a command says within five seconds that it has no server. @format milliseconds */
const LOOK_MS = 1_000;
/** Servers that require a client certificate say so right after the handshake. @format milliseconds */
const REFUSED_WITHIN_MS = 300;

/** What was seen, as text after "ADDRESS ", and the fix. */
interface Finding {
  readonly saw: string;
  readonly todo: string;
  /** The server is running and denies access. @default false */
  readonly isRefusal?: boolean;
}

const AUTHORITY =
  'Set TEMPORAL_TLS_SERVER_CA_CERT_PATH, or server_ca_cert_path of the profile, to the certificate of its authority.';
const CLIENT =
  'Set a certificate it trusts, and its key, in TEMPORAL_TLS_CLIENT_CERT_PATH and TEMPORAL_TLS_CLIENT_KEY_PATH, or client_cert_path and client_key_path of the profile.';
const KEY =
  'Check TEMPORAL_API_KEY (api_key of the profile) or the certificate in TEMPORAL_TLS_CLIENT_CERT_PATH: has it expired, and what may its account do';
const NAME =
  "Write temporal.address as in the server's certificate, or set TEMPORAL_TLS_SERVER_NAME (server_name of the profile).";

/** @param address the server's `host:port` */
export function unreachable(address: string | undefined, cause: unknown): PortolanError {
  const isHere = address === undefined || isLoopback(address.replace(/:\d+$/, ''));
  const hint = isHere
    ? {}
    : { hint: 'Check temporal.address, and that the server is running and reachable.' };
  return new PortolanError('TEMPORAL_UNREACHABLE', `Cannot reach Temporal at ${address}`, hint, {
    cause,
  });
}

/**
 * Finds out why a connection fails with a plain TLS handshake, because gRPC only reports a timeout. Undefined if
 * that shows nothing, for example if nothing listens.
 * @param options with which it is tried
 */
export async function whyUnreachable(options: ConnectionOptions): Promise<PortolanError | undefined> {
  const finding = await look(options).catch(() => undefined);
  return finding && found(options.address, finding);
}

/** Why a worker's connection, in Rust, was refused. */
export async function whyCoreUnreachable(options: ConnectionOptions, cause: unknown): Promise<PortolanError> {
  const finding = ofCore(cause) ?? (await look(options).catch(() => undefined));
  return finding ? found(options.address, finding, cause) : unreachable(options.address, cause);
}

/**
 * The error of a server that responds and denies access.
 * @param details in its own words
 * @param more to be checked, as it reads behind "what its account may do"
 */
export const refused = (
  address: string | undefined,
  details: string,
  cause: unknown,
  more = '',
): PortolanError =>
  found(address, { saw: `denies access: ${details}`, todo: `${KEY}${more}.`, isRefusal: true }, cause);

function found(
  address: string | undefined,
  { saw, todo, isRefusal = false }: Finding,
  cause?: unknown,
): PortolanError {
  const facts = { hint: todo, ...(isRefusal && { isRefusal }) };
  return new PortolanError('TEMPORAL_UNREACHABLE', `Temporal at ${address} ${saw}`, facts, { cause });
}

/** Whether one of these errors means that the server denied access. */
export const isRefusal = ({ facts }: PortolanError): boolean => facts['isRefusal'] === true;

/** What the Rust core checks more strictly than Node, by its messages. */
function ofCore(cause: unknown): Finding | undefined {
  const words = cause instanceof Error ? cause.message : '';
  if (/valid authentication credentials|not have permission/.test(words))
    return { saw: 'denies access', todo: `${KEY}.`, isRefusal: true };
  const [, what] = /InvalidCertificate\((?:Other\(OtherError\()?(\w+)/.exec(words) ?? [];
  if (what === undefined) return undefined;
  return {
    saw: `has a certificate that workers do not accept (${what})`,
    todo: 'It must name the server as a subject alternative name and be issued by an authority, not self-signed. Set that authority in TEMPORAL_TLS_SERVER_CA_CERT_PATH.',
  };
}

async function look({ address = '', tls: asked }: ConnectionOptions): Promise<Finding | undefined> {
  const { host, port } = parseAddress(address);
  if (!asked)
    return speaksTls(await handshake({ host, port, rejectUnauthorized: false })) ? TLS_ONLY : undefined;
  const { serverNameOverride, serverRootCACertificate, clientCertPair } = asked === true ? {} : asked;
  const seen = await handshake({
    host,
    port,
    ...(serverRootCACertificate && { ca: Buffer.from(serverRootCACertificate) }),
    ...(clientCertPair && { cert: Buffer.from(clientCertPair.crt), key: Buffer.from(clientCertPair.key) }),
    ...((serverNameOverride ?? net.isIP(host) === 0) && { servername: serverNameOverride ?? host }),
  });
  return findingOf(seen, { host: serverNameOverride ?? host, shows: clientCertPair != null });
}

const TLS_ONLY: Finding = {
  saw: 'needs TLS, but the connection was unencrypted',
  todo: 'Set TEMPORAL_TLS=true, its authority (TEMPORAL_TLS_SERVER_CA_CERT_PATH) or a key (TEMPORAL_API_KEY). Settings for an address other than temporal.address are not used.',
};

const speaksTls = ({ code = '' }: Seen): boolean => code === '' || code === CLOSED || code.includes('ALERT');

/** The server closed the connection after a successful handshake. */
const CLOSED = 'CLOSED';

interface Seen {
  /** Of the error; absent where the handshake went well. */
  readonly code?: string;
  readonly words?: string;
}

function findingOf(
  { code, words = '' }: Seen,
  { host, shows }: { readonly host: string; readonly shows: boolean },
): Finding | undefined {
  switch (code) {
    case 'UNABLE_TO_VERIFY_LEAF_SIGNATURE':
    case 'UNABLE_TO_GET_ISSUER_CERT':
    case 'UNABLE_TO_GET_ISSUER_CERT_LOCALLY':
    case 'SELF_SIGNED_CERT_IN_CHAIN':
    case 'DEPTH_ZERO_SELF_SIGNED_CERT':
    case 'CERT_SIGNATURE_FAILURE':
    case 'CERT_UNTRUSTED':
      return { saw: 'has a certificate of an authority that is not trusted here', todo: AUTHORITY };
    case 'ERR_TLS_CERT_ALTNAME_INVALID':
      return { saw: `has a certificate for a name other than ${host}`, todo: NAME };
    case 'CERT_HAS_EXPIRED':
    case 'CERT_NOT_YET_VALID':
      return {
        saw: `has a certificate that ${code === 'CERT_HAS_EXPIRED' ? 'has expired' : 'is not valid yet'}`,
        todo: "Renew it, or set this machine's clock.",
      };
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return { saw: 'has an unknown host name', todo: 'Check temporal.address.' };
    case 'ERR_SSL_WRONG_VERSION_NUMBER':
    case 'ERR_SSL_PACKET_LENGTH_TOO_LONG':
      return {
        saw: 'has no TLS, but the connection used it',
        todo: 'Unset TEMPORAL_API_KEY and TEMPORAL_TLS_… here, and api_key and tls in the profile; each of them turns TLS on.',
      };
    case CLOSED:
      // Without a certificate, it may also be a proxy whose server is away.
      return shows
        ? {
            saw: 'closes the connection after receiving the client certificate',
            todo: CLIENT,
            isRefusal: true,
          }
        : { saw: 'closes the connection, as a server that needs a client certificate does', todo: CLIENT };
    default:
      // An alert of TLS: certificate required, bad certificate, unknown authority.
      return /ALERT.*(CERT|_CA$)/.test(code ?? '') || /alert.*(certificate|ca\b)/i.test(words)
        ? {
            saw: shows ? 'rejects the client certificate' : 'needs a client certificate, but none was sent',
            todo: CLIENT,
            isRefusal: true,
          }
        : undefined;
  }
}

/** The result of a handshake, and what follows it. */
const handshake = (options: tls.ConnectionOptions): Promise<Seen> =>
  new Promise((resolve) => {
    const socket = tls.connect({ ...options, ALPNProtocols: ['h2'] });
    const end = (seen: Seen): void => {
      socket.destroy();
      resolve(seen);
    };
    let isOver = false;
    socket.setTimeout(LOOK_MS);
    socket.once('timeout', () => end(isOver ? {} : { code: 'ETIMEDOUT' }));
    socket.once('error', ({ code = 'UNKNOWN', message }: NodeJS.ErrnoException) =>
      end({ code, words: message }),
    );
    socket.once('secureConnect', () => {
      socket.once('close', () => end({ code: CLOSED }));
      isOver = true;
      socket.setTimeout(REFUSED_WITHIN_MS);
      socket.resume();
    });
  });
