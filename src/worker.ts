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

/** For whoever's process the worker has to itself. */
export { setHeapGrowth } from './temporal/runtime';

export interface WorkerOptions {
  /** @default one JSON line an event on stderr, secrets masked */
  readonly logger?: Logger;
  /** @default the bundle of the build */
  readonly bundlePath?: string;
  /** By which windows of portals open. @default Temporal's, in milliseconds since the epoch */
  readonly clock?: () => number;
  /** How often it looks whether Temporal still lets it in. @default once a minute @format milliseconds */
  readonly accessEveryMs?: number;
}

/** A worker, and what it can do; that is unknown where its store could not be had at its start. */
export interface AbleWorker extends RunningWorker {
  readonly view?: WorkerView;
}

/**
 * Starts the worker of this configuration: checks that Temporal answers, registers the search attributes that it
 * misses, and polls both task queues, which the server has seen when this returns. It runs until `stop()`,
 * or until Temporal has not let it in for some minutes, as by a key that has ended.
 * @throws PortolanError `TEMPORAL_UNREACHABLE` in under five seconds, `SEARCH_ATTRIBUTES_MISSING` where it may not, and
 * `SECRET_UNREADABLE` for a key of `temporal.encryption`
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
      // An earlier worker of this process goes by its own clock until this one has taken over.
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
    // What works without its store for a while waits for it.
    logger.warn({ err }, 'cannot read the store; others are not told which store this is');
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
      notify: config.notify,
    }),
    interceptors: {
      activity: [
        // Around the others, for it sees a failure as Temporal gets it.
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

/** The gauges that each route is to have, also while nothing was backed up or drilled. */
const expectedOf = ({ routes }: Config): ExpectedOfRoute[] =>
  [...routes.values()].map(({ name, backup: { maxAgeMs, drill } }) => ({
    route: name,
    good: maxAgeMs !== undefined,
    proven: drill !== undefined,
  }));
