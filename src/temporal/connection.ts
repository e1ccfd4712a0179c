import { setTimeout as sleep } from 'node:timers/promises';
import {
  Client,
  Connection,
  type ConnectionOptions,
  defaultGrpcRetryOptions,
  isGrpcServiceError,
  makeGrpcRetryInterceptor,
  ServiceError,
} from '@temporalio/client';
import { InterceptingCall, type Interceptor, Metadata, status } from '@grpc/grpc-js';
import type { Config } from '../config/config';
import { type EncryptionKeys, readEncryptionKeys } from '../config/temporal/encryption-keys';
import { temporalConnection } from '../config/temporal/temporal-connection';
import { isLoopback } from '../model/identity';
import { PortolanError } from '../model/errors/errors';
import { tracing } from '../tracing/tracing';
import { answersAt, parseAddress } from './dev-server/address';
import { dataConverterOf } from './encryption/payload-codec';
import { isRefusal, refused, unreachable, whyUnreachable } from './unreachable';

/** Longest wait for an unresponsive server, so that a command can report it within five seconds. */
const CONNECT_TIMEOUT_MS = 3_000;
/** Longer than connecting within a continent takes. @format milliseconds */
const LOOK_AFTER_MS = 500;

export interface TemporalClient {
  readonly client: Client;
  readonly connection: Connection;
  readonly namespace: string;
}

/**
 * Connects, does the work, and always closes the connection. Throws `TEMPORAL_UNREACHABLE`, and `SECRET_UNREADABLE`
 * for a key of `temporal.encryption`.
 */
export async function withTemporal<T>(
  config: Config,
  work: (temporal: TemporalClient) => Promise<T>,
): Promise<T> {
  const { address, namespace } = config.temporal;
  const temporal = await openTemporal(config);
  try {
    return await work(temporal);
  } catch (thrown) {
    throw fromTemporal(thrown, address, namespace);
  } finally {
    await temporal.connection.close();
  }
}

/** Connects to Temporal of a configuration. Throws `TEMPORAL_UNREACHABLE`. */
export async function openTemporal({ temporal }: Config): Promise<TemporalClient> {
  await requireListener(temporal.address);
  const keys = await readEncryptionKeys(temporal.encryption);
  return await connectTemporal(temporalConnection(temporal), temporal.namespace, keys);
}

/** On this machine a refused connection is known at once; the client would retry for seconds. */
async function requireListener(address: string): Promise<void> {
  const server = parseAddress(address);
  if (isLoopback(server.host) && !(await answersAt(server))) throw unreachable(address, undefined);
}

/**
 * Connects a client.
 * @param options `address` (`host:port`), TLS and API key as `temporalConnection` of the configuration gives them
 * @param encryption with what payloads are encrypted, as `readEncryptionKeys` gives it
 * @throws PortolanError `TEMPORAL_UNREACHABLE` in under five seconds where nothing answers
 */
export async function connectTemporal(
  options: ConnectionOptions,
  namespace: string,
  encryption?: EncryptionKeys,
): Promise<TemporalClient> {
  const dataConverter = dataConverterOf(encryption);
  const connection = await connected(options);
  const interceptors = { workflow: tracing()?.workflowStarts };
  const client = new Client({ connection, namespace, dataConverter, interceptors });
  return { client, connection, namespace };
}

async function connected(options: ConnectionOptions): Promise<Connection> {
  const connection = Connection.lazy({
    interceptors: [makeGrpcRetryInterceptor(defaultGrpcRetryOptions()), endsWhenClosed],
    ...options,
    connectTimeout: CONNECT_TIMEOUT_MS,
  });
  const isThere = connection.ensureConnected();
  const isOver = new AbortController();
  try {
    await Promise.race([isThere, reasonAgainst(options, isOver.signal)]);
    return connection;
  } catch (error) {
    isThere.catch(() => undefined);
    await connection.close();
    if (error instanceof PortolanError) throw error;
    const details = refusedAccess(error);
    throw details === undefined
      ? unreachable(options.address, error)
      : refused(options.address, details, error);
  } finally {
    isOver.abort();
  }
}

/** Throws once the cause of a failed connection is known; otherwise never settles. */
async function reasonAgainst(options: ConnectionOptions, signal: AbortSignal): Promise<never> {
  const never = new Promise<never>(() => undefined);
  if (!(await sleep(LOOK_AFTER_MS, true, { signal }).catch(() => false))) return await never;
  const reason = await whyUnreachable(options);
  if (reason === undefined) return await never;
  throw reason;
}

type SentCall = ReturnType<Parameters<Interceptor>[1]>;

/**
 * Cancels calls on a closed connection. The SDK retries failed calls from a timer; on a closed connection gRPC would
 * throw there and end the process.
 */
const endsWhenClosed: Interceptor = (options, nextCall) => {
  let call: SentCall;
  try {
    call = nextCall(options);
  } catch {
    call = cancelledCall;
  }
  return new InterceptingCall(call);
};

const ignore = (): void => undefined;

/** A call that is never sent. */
const cancelledCall: SentCall = {
  start(_metadata, listener) {
    listener?.onReceiveMessage?.(null);
    listener?.onReceiveStatus?.({
      code: status.CANCELLED,
      details: 'The connection was closed before the call was answered',
      metadata: new Metadata(),
    });
  },
  sendMessageWithContext: ignore,
  sendMessage: ignore,
  halfClose: ignore,
  startRead: ignore,
  cancelWithStatus: ignore,
  getPeer: () => '',
  getAuthContext: () => null,
};

function grpcCauseOf(thrown: unknown): { code: status; details: string } | undefined {
  const cause = thrown instanceof ServiceError ? thrown.cause : thrown;
  return isGrpcServiceError(cause) ? { code: cause.code, details: cause.details } : undefined;
}

const hasStatus = (thrown: unknown, code: status): boolean => grpcCauseOf(thrown)?.code === code;

/** The server's message if it has one of these statuses. */
function detailsIf(thrown: unknown, ...codes: status[]): string | undefined {
  const cause = grpcCauseOf(thrown);
  return cause && codes.includes(cause.code) ? cause.details : undefined;
}

/** Whether the connection to the server is lost. */
export const isCutOff = (thrown: unknown): boolean => hasStatus(thrown, status.UNAVAILABLE);

/** Whether the server responds: reads the namespace from its database. */
export async function answersAtAll(
  { connection, namespace }: TemporalClient,
  withinMs: number,
): Promise<boolean> {
  try {
    await connection.withDeadline(Date.now() + withinMs, () =>
      connection.workflowService.describeNamespace({ namespace }),
    );
    return true;
  } catch (thrown) {
    return !isLate(thrown) && !isCutOff(thrown);
  }
}

/** Whether a call timed out, because the server is slow or away. */
export const isLate = (thrown: unknown): boolean => hasStatus(thrown, status.DEADLINE_EXCEEDED);

/** Whether the server refused a query, as it does before it knows our search attributes. */
export const isRefusedQuery = (thrown: unknown): boolean => hasStatus(thrown, status.INVALID_ARGUMENT);

export const isAlreadyThere = (thrown: unknown): boolean => hasStatus(thrown, status.ALREADY_EXISTS);

export const isNotFound = (thrown: unknown): boolean => hasStatus(thrown, status.NOT_FOUND);

/** The server's message if this account lacks a right or the operation is not available; else undefined. */
export const refusedRight = (thrown: unknown): string | undefined =>
  detailsIf(thrown, status.PERMISSION_DENIED, status.UNAUTHENTICATED, status.UNIMPLEMENTED);

/** The server's message if it denies access, as a whole or to this; else undefined. */
const refusedAccess = (thrown: unknown): string | undefined =>
  detailsIf(thrown, status.PERMISSION_DENIED, status.UNAUTHENTICATED);

/** Whether the server denies access, for example because a key or certificate has expired. */
export const isRefusedAccess = (thrown: unknown): boolean =>
  thrown instanceof PortolanError ? isRefusal(thrown) : refusedAccess(thrown) !== undefined;

const CLOUD_HOST = /\.(?:tmprl\.cloud|api\.temporal\.io)$/;

/** Whether this is a namespace of Temporal Cloud, also if it is reached by another name than its certificate has. */
export function isAtCloud({ options }: Connection): boolean {
  const name = options.channelArgs?.['grpc.ssl_target_name_override'];
  return [options.address.replace(/:\d+$/, ''), String(name ?? '')].some((host) => CLOUD_HOST.test(host));
}

/** Converts Temporal connection errors; returns others unchanged. */
export function fromTemporal(thrown: unknown, address: string, namespace: string): unknown {
  const cause = grpcCauseOf(thrown);
  if (cause === undefined) return thrown;
  switch (cause.code) {
    case status.NOT_FOUND:
      return new PortolanError('TEMPORAL_UNREACHABLE', `Temporal at ${address} returned: ${cause.details}`, {
        hint: `Check temporal.namespace ("${namespace}") in portolan.yaml.`,
      });
    case status.PERMISSION_DENIED:
    case status.UNAUTHENTICATED:
      return refused(address, cause.details, thrown, `, and temporal.namespace ("${namespace}")`);
    default:
      return new PortolanError(
        'TEMPORAL_UNREACHABLE',
        `Temporal at ${address} does not respond: ${cause.details}`,
      );
  }
}
