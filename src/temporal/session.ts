import { setTimeout as sleep } from 'node:timers/promises';
import type { Config } from '../config/config';
import { temporalConnection } from '../config/temporal-connection';
import { answersAt, isLoopback, parseAddress } from './dev-server/address';
import { connectTemporal, type TemporalClient, unreachable } from './connection';
import { pollersOf } from './pollers';
import { PortolanError } from '../model/errors/errors';
import { fromTemporal } from './temporal-failure';

export type { TemporalClient };

/** A worker that was started a moment ago gets that long to ask for work for the first time. */
const workerGraceMs = 1_500;
const lookEveryMs = 250;

/** Connects, does the work, and closes the connection however that ends. Throws `TEMPORAL_UNREACHABLE`. */
export async function withTemporal<T>(
  config: Config,
  work: (temporal: TemporalClient) => Promise<T>,
): Promise<T> {
  const { address, namespace } = config.temporal;
  await requireListener(address);
  const temporal = await connectTemporal(temporalConnection(config.temporal), namespace);
  try {
    return await work(temporal);
  } catch (thrown) {
    throw fromTemporal(thrown, address, namespace);
  } finally {
    await temporal.connection.close();
  }
}

/** On this machine a refused connection is known at once; the client would try again for seconds. */
async function requireListener(address: string): Promise<void> {
  const place = parseAddress(address);
  if (isLoopback(place.host) && !(await answersAt(place))) throw unreachable(address, undefined);
}

/** Names of the workers that take work from the queue, each once. */
export async function workersOf(
  { connection, namespace }: TemporalClient,
  taskQueue: string,
): Promise<string[]> {
  const pollers = await connection.withDeadline(Date.now() + 2_000, () =>
    pollersOf(connection, namespace, taskQueue),
  );
  return [...new Set(pollers.map(({ identity }) => identity))];
}

/** The workers that are there, at least one. Throws `NO_WORKER` within two seconds. */
export async function requireWorkers(temporal: TemporalClient, taskQueue: string): Promise<string[]> {
  const deadline = Date.now() + workerGraceMs;
  for (;;) {
    const workers = await workersOf(temporal, taskQueue);
    if (workers.length > 0) return workers;
    if (Date.now() > deadline) {
      throw new PortolanError(
        'NO_WORKER',
        `No worker takes work from task queue "${taskQueue}" in namespace "${temporal.namespace}".`,
      );
    }
    await sleep(lookEveryMs);
  }
}
