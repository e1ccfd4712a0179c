import {
  Client,
  Connection,
  type ConnectionOptions,
  defaultGrpcRetryOptions,
  makeGrpcRetryInterceptor,
} from '@temporalio/client';
import { PortolanError } from '../model/errors/errors';
import { endsWhenClosed } from './closed-connection';

/** Longest wait for a server that does not answer, so that a command can say so within five seconds. */
const CONNECT_TIMEOUT_MS = 3_000;

export interface TemporalClient {
  readonly client: Client;
  readonly connection: Connection;
  readonly namespace: string;
}

/**
 * Connects a client.
 * @param options `address` (`host:port`), TLS and API key as `temporalConnection` of the configuration gives them
 * @throws PortolanError `TEMPORAL_UNREACHABLE` in under five seconds where nothing answers
 */
export async function connectTemporal(
  options: ConnectionOptions,
  namespace: string,
): Promise<TemporalClient> {
  try {
    const connection = await Connection.connect({
      interceptors: [makeGrpcRetryInterceptor(defaultGrpcRetryOptions()), endsWhenClosed],
      ...options,
      connectTimeout: CONNECT_TIMEOUT_MS,
    });
    return { client: new Client({ connection, namespace }), connection, namespace };
  } catch (error) {
    throw unreachable(options.address, error);
  }
}

/** @param address the server's `host:port` */
export const unreachable = (address: string | undefined, cause: unknown): PortolanError =>
  new PortolanError('TEMPORAL_UNREACHABLE', `No Temporal server answers at ${address}`, {}, { cause });
