import { setFlagsFromString } from 'node:v8';
import {
  type ActivityInterceptorsFactory,
  NativeConnection,
  Worker,
  type WorkerDeploymentOptions,
  type WorkerOptions,
  DefaultLogger,
  Runtime,
} from '@temporalio/worker';
import type { LogLevel, MetricMeter } from '@temporalio/common';
import type pino from 'pino';
import type { TemporalConfig } from '../config/config';
import type { temporalConnection } from '../config/temporal/temporal-connection';
import type { EncryptionKeys } from '../config/temporal/encryption-keys';
import { whyCoreUnreachable } from './unreachable';
import { dataConverterOf } from './encryption/payload-codec';
import { buildIdOf, encodingFailures, type WorkflowBundle, workflowBundle } from './workflow-bundle';
import { transferQueueOf } from './task-queue';
import { tracing } from '../tracing/tracing';

/**
 * Timing of both workers: an activity sees its cancellation within five seconds; at shutdown, activities get five
 * seconds, and thirty in all.
 */
export const timing = {
  maxHeartbeatThrottleInterval: '5s',
  shutdownGraceTime: '5s',
  shutdownForceTime: '30s',
} as const;

interface WorkerSettings {
  readonly connection: ReturnType<typeof temporalConnection>;
  readonly namespace: string;
  readonly taskQueue: string;
  /** Under which Temporal lists it. */
  readonly identity: string;
  readonly activities: object;
  readonly tuning: TemporalConfig['worker'];
  readonly interceptors?: readonly ActivityInterceptorsFactory[];
  /** @default the build's bundle, or one made from the sources */
  readonly bundlePath?: string;
  /** @default payloads are in clear */
  readonly encryption?: EncryptionKeys;
}

export interface RunningWorker {
  /** Under which Temporal lists its pollers. */
  readonly identity: string;
  /** Its worker version; undefined without versioning. */
  readonly build?: string;
  /** Settles when both workers have ended; rejects if one failed. */
  readonly stopped: Promise<void>;
  /** Lets running activities end or be cancelled, then ends both workers. */
  stop(): Promise<void>;
}

/**
 * Starts the two workers of one process, for calls and for files.
 * @throws PortolanError `TEMPORAL_UNREACHABLE`
 */
export async function startWorker(settings: WorkerSettings): Promise<RunningWorker> {
  const { namespace, taskQueue, identity, activities, bundlePath, tuning, encryption } = settings;
  const interceptors = {
    // The spans are outermost, to see failures as Temporal receives them.
    activity: [...(tracing()?.activities ?? []), ...(settings.interceptors ?? [])],
    client: { workflow: tracing()?.workflowStarts },
  };
  installRuntime();
  const connection = await connectCore(settings.connection);
  try {
    const dataConverter = dataConverterOf(encryption);
    const bundle = await workflowBundle(bundlePath);
    const workerDeploymentOptions = await deploymentOptions(tuning.deployment, bundle);
    const common = {
      connection,
      namespace,
      identity,
      activities,
      interceptors,
      dataConverter,
      workerDeploymentOptions,
      ...timing,
    };
    const calls = await Worker.create({
      ...common,
      ...callSlots(tuning),
      taskQueue,
      workflowBundle: encryption?.writing ? await encodingFailures(bundle) : bundle,
    });
    const transfers = await Worker.create({
      ...common,
      ...transferSlots(tuning),
      taskQueue: transferQueueOf(taskQueue),
    });
    const build = workerDeploymentOptions?.version.buildId;
    return { ...runBoth([calls, transfers], connection, identity), build };
  } catch (error) {
    await connection.close();
    throw error;
  }
}

/** Workers have their own connection, in Rust, with the same options as a client's. */
async function connectCore(options: WorkerSettings['connection']): Promise<NativeConnection> {
  try {
    return await NativeConnection.connect(options);
  } catch (error) {
    throw await whyCoreUnreachable(options, error);
  }
}

/** Both workers have the same version, so a run's activities run on its own version. */
async function deploymentOptions(
  deploymentName: string | undefined,
  bundle: WorkflowBundle,
): Promise<WorkerDeploymentOptions | undefined> {
  if (deploymentName === undefined) return undefined;
  return {
    version: { deploymentName, buildId: await buildIdOf(bundle) },
    useWorkerVersioning: true,
    // Runs pin themselves: `workflows/run/run-to-end.ts`.
    defaultVersioningBehavior: 'AUTO_UPGRADE',
  };
}

function runBoth(workers: readonly Worker[], connection: NativeConnection, identity: string): RunningWorker {
  const shutDown = () => {
    for (const worker of workers) if (worker.getState() === 'RUNNING') worker.shutdown();
  };
  // If one ends for any reason, the other must end too: otherwise runs would wait.
  const stopped = Promise.allSettled(workers.map((worker) => worker.run().finally(shutDown))).then(
    async (endings) => {
      await connection.close();
      for (const ending of endings) if (ending.status === 'rejected') throw ending.reason;
    },
  );
  stopped.catch(() => {});
  return {
    identity,
    stopped,
    async stop() {
      shutDown();
      await stopped;
    },
  };
}

/** Workflow tasks at a time. */
const WORKFLOW_TASKS = 40;
/** Open polls per kind of task. */
const POLLERS = 10;

/** Slots and pollers of the worker for calls. */
const callSlots = ({ activities }: TemporalConfig['worker']): Partial<WorkerOptions> => ({
  workflowTaskPollerBehavior: pollersFor(WORKFLOW_TASKS),
  activityTaskPollerBehavior: pollersFor(activities),
  maxConcurrentWorkflowTaskExecutions: WORKFLOW_TASKS,
  maxConcurrentActivityTaskExecutions: activities,
  maxConcurrentLocalActivityExecutions: activities,
});

/** Slots and pollers of the worker for files. */
const transferSlots = ({ transfers }: TemporalConfig['worker']): Partial<WorkerOptions> => ({
  activityTaskPollerBehavior: pollersFor(transfers),
  maxConcurrentActivityTaskExecutions: transfers,
});

/** Never more pollers than slots. */
const pollersFor = (slots: number): WorkerOptions['activityTaskPollerBehavior'] => ({
  type: 'simple-maximum',
  maximum: Math.min(POLLERS, slots),
});

const pinoMethods = {
  TRACE: 'trace',
  DEBUG: 'debug',
  INFO: 'info',
  WARN: 'warn',
  ERROR: 'error',
} as const satisfies Record<LogLevel, keyof pino.BaseLogger>;

/** Without a server, forty pollers log each retry; one line per half minute is enough. */
const RETRY_NOTICE_MS = 30_000;
const RETRY_TARGET = 'temporalio_client::retry';

let target: pino.BaseLogger | undefined;
let lastRetryNotice = 0;

const logger = new DefaultLogger('TRACE', ({ level, message, meta }) => {
  if (meta?.['target'] === RETRY_TARGET) {
    if (Date.now() - lastRetryNotice < RETRY_NOTICE_MS) return;
    lastRetryNotice = Date.now();
  }
  target?.[pinoMethods[level]](meta ?? {}, message);
});

/**
 * Lets the heap grow to four times its live size before a full collection, V8's maximum. Otherwise V8 collects every
 * 20 MB of a transfer, which costs more than the transfer.
 */
export function setHeapGrowth(): void {
  setFlagsFromString('--heap-growing-percent=300');
}

let installed = false;

/**
 * Installs the SDK's runtime with our logger and no signal handlers, since workers stop before a local server. Later
 * calls only change the logger.
 *
 * @param metricsAddress `HOST:PORT` that serves Prometheus metrics at `/metrics`. @default none
 * @returns the meter for our own metrics
 */
export function installRuntime(pinoLogger?: pino.BaseLogger, metricsAddress?: string): MetricMeter {
  target = pinoLogger ?? target;
  if (installed) return Runtime.instance().metricMeter;
  Runtime.install({
    logger,
    shutdownSignals: [],
    telemetryOptions: {
      logging: { filter: { core: 'WARN', other: 'ERROR' }, forward: {} },
      ...(metricsAddress && { metrics: { prometheus: { bindAddress: metricsAddress } } }),
    },
  });
  installed = true;
  return Runtime.instance().metricMeter;
}
