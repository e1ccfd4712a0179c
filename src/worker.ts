import { readGroupMembers } from './portal/resources/groups';
import os from 'node:os';
import type { Logger } from 'pino';
import { createActivities } from './activities/activities';
import { useClock } from './activities/attempt/clock';
import { CallerInterceptor, Callers } from './activities/attempt/callers';
import { ActivityInterceptor } from './activities/attempt/heartbeat';
import type { Config } from './config/config';
import { PortalPool } from './config/portal-pool';
import { type EncryptionKeys, keyMarksOf, readEncryptionKeys } from './config/temporal/encryption-keys';
import { temporalConnection } from './config/temporal/temporal-connection';
import { type ExpectedOfRoute, RouteMetrics } from './activities/run/route-metrics';
import { watchAccess } from './temporal/access-watch';
import { connectTemporal, fromTemporal } from './temporal/connection';
import { installRuntime } from './temporal/runtime';
import { clockOffset, ServerClock } from './temporal/server-clock';
import { registerSearchAttributes } from './temporal/search-attributes';
import { untilPolling } from './temporal/task-queue';
import { type RunningWorker, startWorker } from './temporal/worker';
import { Authority } from './domain/control/authority';
import { type Control, openControl } from './domain/control/control';
import { Policy } from './domain/policy/policy';
import { StageChecks } from './domain/release/checks/stage-checks';
import { completeRunIndex } from './domain/run/run-index';
import { markOf, viewOf } from './domain/run/worker-view';
import { openSnapshots } from './domain/snapshot/open-snapshots';
import { closeStoreToOthers, openStore } from './store/open-store';
import { identityOf, type WorkerView } from './model/run/worker-view';
import { createWorkerLog } from './temporal/worker-log';
import { tracing } from './tracing/tracing';

/** For a worker with a process of its own. */
export { setHeapGrowth } from './temporal/runtime';

export interface WorkerOptions {
  /** @default one JSON line per event on stderr, with secrets masked */
  readonly logger?: Logger;
  /** @default the built bundle */
  readonly bundlePath?: string;
  /** Clock for the windows of portals. @default Temporal's, in milliseconds since the epoch */
  readonly clock?: () => number;
  /** How often it checks that Temporal still accepts it. @default once a minute @format milliseconds */
  readonly accessEveryMs?: number;
}

/** A worker and what its configuration allows; unknown if its store was unreadable at the start. */
export interface AbleWorker extends RunningWorker {
  readonly view?: WorkerView;
}

/**
 * Starts the worker of this configuration: checks that Temporal responds, registers missing search attributes, and polls
 * both task queues. Returns once the server has seen it poll. It runs until `stop()`, or until Temporal has refused it
 * for some minutes, for example because its key has expired.
 * @throws PortolanError `TEMPORAL_UNREACHABLE` in under five seconds, `SEARCH_ATTRIBUTES_MISSING` if it may not register
 * them, and `SECRET_UNREADABLE` for a key of `temporal.encryption`
 */
export async function runWorker(config: Config, options: WorkerOptions = {}): Promise<AbleWorker> {
  const { namespace, taskQueue } = config.temporal;
  const connection = temporalConnection(config.temporal);
  const encryption = await readEncryptionKeys(config.temporal.encryption);
  const temporal = await connectTemporal(connection, namespace, encryption);
  try {
    await registerSearchAttributes(temporal.connection, namespace);
    const clock = new ServerClock();
    const leaveClock = await clock.keepUp(async () => {
      const asked = await connectTemporal(connection, namespace, encryption);
      return await clockOffset(asked, taskQueue).finally(() => asked.connection.close());
    });
    try {
      const by = { ...options, clock: options.clock ?? clock.now };
      const worker = await startOn(connection, config, encryption, by);
      await untilPolling(temporal, taskQueue, worker.identity);
      // Until now an earlier worker of this process used its own clock.
      useClock(clock.now);
      const access = watchAccess(async () => {
        const asked = await connectTemporal(connection, namespace, encryption);
        await asked.connection.close();
      }, options.accessEveryMs);
      const stop = (): Promise<void> =>
        worker.stop().finally(() => {
          leaveClock();
          access.end();
        });
      const stopped = Promise.race([worker.stopped, access.refused]).finally(stop);
      stopped.catch(() => undefined);
      return { ...worker, stopped, stop };
    } catch (thrown) {
      leaveClock();
      throw thrown;
    }
  } catch (thrown) {
    throw fromTemporal(thrown, config.temporal.address, namespace);
  } finally {
    await temporal.connection.close();
  }
}

async function startOn(
  connection: ReturnType<typeof temporalConnection>,
  config: Config,
  encryption: EncryptionKeys,
  options: WorkerOptions,
): Promise<AbleWorker> {
  const logger = options.logger ?? createWorkerLog();
  const { namespace, taskQueue, worker: tuning } = config.temporal;
  await closeStoreToOthers(config.store);
  const store = openStore(config);
  const snapshots = openSnapshots(config, store, options.clock);
  const metrics = new RouteMetrics(installRuntime(logger, config.metrics?.address), expectedOf(config));
  const portals = new PortalPool(config, {
    log: (event) => logger.debug(event, 'portal request'),
    ended: (end) => tracing()?.requestEnded(end),
  });
  const policy = new Policy(config, store, options.clock, (portal, group) =>
    readGroupMembers(portals.open(portal), group),
  );
  const controlOf = (): Promise<Control> => openControl(config);
  const authority = new Authority(controlOf, policy, store);
  const callers = new Callers(authority);
  const name = `${process.pid}@${os.hostname()}`;
  const viewHere = (): Promise<WorkerView> => viewOf(config, store, name);
  const view = await viewHere().catch((err: unknown) => {
    // Activities that need the store retry until it is back.
    logger.warn({ err }, 'cannot read the store, so this worker cannot report which one it uses');
    return undefined;
  });
  const worker = await startWorker({
    connection,
    namespace,
    taskQueue,
    tuning,
    identity: view ? identityOf(markOf(view, keyMarksOf(encryption), Date.now())) : name,
    activities: createActivities({
      config,
      portals,
      store,
      snapshots,
      policy,
      authority,
      openControl: controlOf,
      view: viewHere,
      checks: new StageChecks(config, snapshots),
      indexed: new Set(),
    }),
    interceptors: {
      activity: [
        // Outermost, to see failures as Temporal receives them.
        ...(tracing()?.activities ?? []),
        (context) => ({ inbound: new ActivityInterceptor(context) }),
        (context) => ({ inbound: new CallerInterceptor(context, callers) }),
      ],
    },
    bundlePath: options.bundlePath,
    encryption,
    logger,
  });
  let isEnding = false;
  const indexing = completeRunIndex(store, () => isEnding).catch((err: unknown) => {
    logger.warn({ err }, 'cannot complete the index of runs; the next worker start tries again');
  });
  const stopMetrics = config.metrics
    ? metrics.keepUp(snapshots, (err) => logger.warn({ err }, 'cannot read the route metrics'))
    : undefined;
  const close = async (): Promise<void> => {
    stopMetrics?.();
    isEnding = true;
    await indexing;
    await portals.close();
  };
  return { ...worker, view, stop: () => worker.stop().finally(close) };
}

/** The gauges each route should have, even before its first backup or drill. */
const expectedOf = ({ routes }: Config): ExpectedOfRoute[] =>
  [...routes.values()].map(({ name, backup: { maxAgeMs, drill } }) => ({
    route: name,
    good: maxAgeMs !== undefined,
    proven: drill !== undefined,
  }));
