import { setTimeout as sleep } from 'node:timers/promises';
import os from 'node:os';
import type { Connection } from '@temporalio/client';
import { tsToMs } from '@temporalio/common/lib/time';
import type { Config } from '../config/config';
import { readEncryptionKeys } from '../config/temporal/encryption-keys';
import { temporalConnection } from '../config/temporal/temporal-connection';
import { answersAt, isLoopback, parseAddress } from './dev-server/address';
import { connectTemporal, fromTemporal, type TemporalClient, unreachable } from './connection';
import { PortolanError } from '../model/errors/errors';
import { markIn, nameIn, type WorkerMark } from '../model/run/worker-view';

export type { TemporalClient };

/** A worker that was started a moment ago gets that long to ask for work for the first time. */
const workerGraceMs = 1_500;
const lookEveryMs = 250;

/** A worker asks within moments of its start. */
const seenWithinMs = 10_000;
const seenEveryMs = 20;

/**
 * Connects, does the work, and closes the connection however that ends. Throws `TEMPORAL_UNREACHABLE`, and
 * `SECRET_UNREADABLE` for a key of `temporal.encryption`.
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

/** On this machine a refused connection is known at once; the client would try again for seconds. */
async function requireListener(address: string): Promise<void> {
  const server = parseAddress(address);
  if (isLoopback(server.host) && !(await answersAt(server))) throw unreachable(address, undefined);
}

/** A worker that takes work from the queue. */
export interface PollingWorker {
  /** `pid@host` unless it was given another name. */
  readonly name: string;
  /** What it tells of itself. */
  readonly mark?: WorkerMark;
}

/** Names of the workers that take work from the queue, each once. */
export const workersOf = async (temporal: TemporalClient, taskQueue: string): Promise<string[]> =>
  (await pollingWorkers(temporal, taskQueue)).map(({ name }) => name);

/** The workers that take work from the queue, each once, by what it told of itself last. */
export async function pollingWorkers(
  { connection, namespace }: TemporalClient,
  taskQueue: string,
): Promise<PollingWorker[]> {
  const pollers = await connection.withDeadline(Date.now() + 2_000, () =>
    pollersOf(connection, namespace, taskQueue),
  );
  const workers = new Map<string, PollingWorker>();
  for (const { identity } of pollers) {
    const [name, mark] = [nameIn(identity), markIn(identity)];
    if ((workers.get(name)?.mark?.at ?? -1) < (mark?.at ?? 0)) workers.set(name, { name, mark });
  }
  return [...workers.values()];
}

/** The workers that are there, at least one. Throws `NO_WORKER` within two seconds. */
export async function requireWorkers(temporal: TemporalClient, taskQueue: string): Promise<PollingWorker[]> {
  const deadline = Date.now() + workerGraceMs;
  for (;;) {
    const workers = await pollingWorkers(temporal, taskQueue);
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

/**
 * Returns once the server has seen a worker ask for work: who starts a run right then finds it. A server that does not
 * tell is not waited for.
 */
export async function untilPolling(
  { connection, namespace }: TemporalClient,
  taskQueue: string,
  worker: string,
): Promise<void> {
  for (const deadline = Date.now() + seenWithinMs; Date.now() < deadline; await sleep(seenEveryMs)) {
    const pollers = await pollersOf(connection, namespace, taskQueue).catch(() => undefined);
    if (pollers === undefined || pollers.some(({ identity }) => identity === worker)) return;
  }
}

/** A worker that waits asks again at least once a minute; who has not asked for longer is gone. */
const STALE_MS = 75_000;

const WORKFLOW_QUEUE = 1;
const ACTIVITY_QUEUE = 2;

interface Poller {
  /** `pid@host` and what the worker tells of itself, unless it was given another name. */
  readonly identity: string;
  readonly lastAccess: Date;
}

/**
 * Who takes work from the task queue. The server remembers a poller for minutes after its death: the ones that
 * have not asked lately, and those of this machine whose process is gone, are left out.
 */
export async function pollersOf(
  connection: Connection,
  namespace: string,
  taskQueue: string,
  kind: 'workflows' | 'activities' = 'workflows',
): Promise<Poller[]> {
  const { pollers } = await connection.workflowService.describeTaskQueue({
    namespace,
    taskQueue: { name: taskQueue },
    taskQueueType: kind === 'workflows' ? WORKFLOW_QUEUE : ACTIVITY_QUEUE,
  });
  return (pollers ?? [])
    .map(({ identity, lastAccessTime }) => ({
      identity: identity ?? '',
      lastAccess: new Date(lastAccessTime ? tsToMs(lastAccessTime) : 0),
    }))
    .filter((poller) => Date.now() - poller.lastAccess.getTime() < STALE_MS && !isDeadHere(poller.identity));
}

function isDeadHere(identity: string): boolean {
  const match = /^(\d+)@(.+)$/.exec(nameIn(identity));
  if (match === null || match[2] !== os.hostname()) return false;
  try {
    process.kill(Number(match[1]), 0);
    return false;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ESRCH';
  }
}
