import type { Logger } from 'pino';
import { createActivities } from './activities/activities';
import type { ActivityDeps, Portals } from './activities/deps';
import type { Config } from './config/config';
import { openPortal } from './config/open-portal';
import { temporalConnection } from './config/temporal-connection';
import { connectTemporal } from './embedded/connection';
import { registerSearchAttributes } from './embedded/search-attributes';
import { type RunningWorker, startWorker } from './embedded/worker';
import type { Portal } from './portal/client';
import { openStore } from './store/open-store';
import { createWorkerLog } from './worker-log';

export interface WorkerOptions {
  /** @default one JSON line an event on stderr, secrets masked */
  readonly logger?: Logger;
  /** @default the bundle of the build */
  readonly bundlePath?: string;
}

/**
 * Starts the worker of this configuration: checks that Temporal answers, registers the search attributes that it
 * misses, and polls both task queues. It runs until `stop()`.
 * @throws PortolanError `TEMPORAL_UNREACHABLE` in under five seconds
 */
export async function runWorker(config: Config, options: WorkerOptions = {}): Promise<RunningWorker> {
  const logger = options.logger ?? createWorkerLog();
  const { namespace, taskQueue } = config.temporal;
  const connectionOptions = temporalConnection(config.temporal);
  const { connection } = await connectTemporal(connectionOptions, namespace);
  try {
    await registerSearchAttributes(connection, namespace);
  } finally {
    await connection.close();
  }
  const { deps, close } = dependencies(config, logger);
  const worker = await startWorker({
    connection: connectionOptions,
    namespace,
    taskQueue,
    activities: createActivities(deps),
    bundlePath: options.bundlePath,
    logger,
  });
  return { ...worker, stop: () => worker.stop().finally(close) };
}

/** Portals are opened when they are first used and kept, so that their tokens are shared by all activities. */
function dependencies(config: Config, logger: Logger): { deps: ActivityDeps; close: () => Promise<void> } {
  const opened = new Map<string, Portal>();
  const portals: Portals = {
    open(name) {
      const known = opened.get(name);
      if (known !== undefined) return known;
      const portal = openPortal(config, name, (event) => logger.debug(event, 'portal request'));
      opened.set(name, portal);
      return portal;
    },
    urlOf: (name) => config.portals.get(name)?.url,
  };
  return {
    deps: { portals, store: openStore(config.store) },
    async close() {
      await Promise.all([...opened.values()].map((portal) => portal.close()));
    },
  };
}
