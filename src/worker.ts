import type { Logger } from 'pino';
import { createActivities } from './activities/activities';
import { callerInterceptor, Callers } from './activities/attempt/callers';
import { useClock, HeartbeatInterceptor } from './activities/attempt/heartbeat';
import { openDeps } from './activities/deps';
import { recordRouteMetrics } from './activities/snapshot/ages';
import type { Config } from './config/config';
import { keyMarksOf, readEncryptionKeys } from './config/temporal/encryption-keys';
import { temporalConnection } from './config/temporal/temporal-connection';
import { workerIdentity } from './domain/run/worker-view';
import type { WorkerView } from './model/run/worker-view';
import { connectTemporal, fromTemporal } from './temporal/connection';
import { installRuntime, type RunningWorker, startWorker } from './temporal/worker';
import { registerSearchAttributes } from './temporal/search-attributes';
import { serverTime, watchServer } from './temporal/server-clock';
import { untilPolling } from './temporal/task-queue';
import { createWorkerLog } from './temporal/worker-log';
import { tracing } from './tracing/tracing';

export interface WorkerOptions {
  /** @default one JSON line per event on stderr, with secrets masked */
  readonly logger?: Logger;
  /** @default the built bundle */
  readonly bundlePath?: string;
  /** Clock for windows and snapshots. @default Temporal's, in milliseconds since the epoch */
  readonly clock?: () => number;
  /** How often it checks that Temporal still accepts it. @default once a minute @format milliseconds */
  readonly accessEveryMs?: number;
}

/** A worker and what its configuration allows; unknown if its store was unreadable at the start. */
export interface ConfiguredWorker extends RunningWorker {
  readonly view?: WorkerView;
}

/**
 * Runs the worker of this configuration. Returns once the server has seen it poll. It runs until `stop()`, or until
 * Temporal has refused it for some minutes, for example because its key has expired.
 * @throws PortolanError `TEMPORAL_UNREACHABLE` in under five seconds, `SEARCH_ATTRIBUTES_MISSING` if it may not register
 * them, and `SECRET_UNREADABLE` for a key of `temporal.encryption`
 */
export async function runWorker(config: Config, options: WorkerOptions = {}): Promise<ConfiguredWorker> {
  const { logger = createWorkerLog(), clock = serverTime, bundlePath, accessEveryMs } = options;
  const { address, namespace, taskQueue, worker: tuning } = config.temporal;
  const connection = temporalConnection(config.temporal);
  const encryption = await readEncryptionKeys(config.temporal.encryption);
  const connect = () => connectTemporal(connection, namespace, encryption);
  const ended = new AbortController();
  const temporal = await connect();
  try {
    await registerSearchAttributes(temporal.connection, namespace);
    const access = await watchServer(connect, taskQueue, ended.signal, accessEveryMs);
    useClock(serverTime);

    const deps = await openDeps(config, clock, (end) => {
      logger.debug(end, 'portal request');
      tracing()?.requestEnded(end);
    });
    const view = await deps.view().catch((err: unknown) => {
      // Activities that need the store retry until it is back.
      logger.warn({ err }, 'cannot read the store, so this worker cannot report which one it uses');
      return undefined;
    });
    const meter = installRuntime(logger, config.metrics?.address);
    const callers = new Callers(deps.authority);
    const worker = await startWorker({
      connection,
      namespace,
      taskQueue,
      tuning,
      encryption,
      bundlePath,
      identity: workerIdentity(view, keyMarksOf(encryption)),
      activities: createActivities(deps),
      interceptors: [
        (context) => ({ inbound: new HeartbeatInterceptor(context) }),
        (context) => ({ inbound: callerInterceptor(callers, context) }),
      ],
    });
    await untilPolling(temporal, taskQueue, worker.identity);

    if (config.metrics) {
      const stopMetrics = recordRouteMetrics(meter, [...config.routes.values()], deps.snapshots, (err) =>
        logger.warn({ err }, 'cannot read the route metrics'),
      );
      ended.signal.addEventListener('abort', stopMetrics);
    }
    const stop = (): Promise<void> =>
      worker.stop().finally(async () => {
        ended.abort();
        await deps.portals.close();
      });
    const stopped = Promise.race([worker.stopped, access.refused]).finally(stop);
    stopped.catch(() => undefined);
    return { ...worker, view, stopped, stop };
  } catch (thrown) {
    ended.abort();
    throw fromTemporal(thrown, address, namespace);
  } finally {
    await temporal.connection.close();
  }
}
