import type { Config } from '../config/config';
import { readEncryptionKeys } from '../config/temporal/encryption-keys';
import { temporalConnection } from '../config/temporal/temporal-connection';
import { isLoopback } from '../model/address/loopback';
import { answersAt, parseAddress } from './dev-server/address';
import { connectTemporal, fromTemporal, type TemporalClient } from './connection';
import { unreachable } from './unreachable';

export type { TemporalClient };

/**
 * Connects, does the work, and always closes the connection. Throws `TEMPORAL_UNREACHABLE`, and `SECRET_UNREADABLE`
 * for a key of `temporal.encryption`.
 */
export async function withTemporal<T>(
  config: Config,
  work: (temporal: TemporalClient) => Promise<T>,
): Promise<T> {
  const { address, namespace } = config.temporal;
  await requireListener(address);
  const keys = await readEncryptionKeys(config.temporal.encryption);
  const temporal = await connectTemporal(temporalConnection(config.temporal), namespace, keys);
  try {
    return await work(temporal);
  } catch (thrown) {
    throw fromTemporal(thrown, address, namespace);
  } finally {
    await temporal.connection.close();
  }
}

/** On this machine a refused connection is known at once; the client would retry for seconds. */
async function requireListener(address: string): Promise<void> {
  const server = parseAddress(address);
  if (isLoopback(server.host) && !(await answersAt(server))) throw unreachable(address, undefined);
}
