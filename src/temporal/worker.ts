import {
  NativeConnection,
  Worker,
  type WorkerDeploymentOptions,
  type WorkerInterceptors,
} from '@temporalio/worker';
import type pino from 'pino';
import type { TemporalConfig } from '../config/config';
import type { temporalConnection } from '../config/temporal/temporal-connection';
import type { EncryptionKeys } from '../config/temporal/encryption-keys';
import { whyCoreUnreachable } from './unreachable';
import { installRuntime } from './runtime';
import { dataConverterOf, NO_KEYS } from './encryption/data-converter';
import { buildIdOf, encodingFailures, type WorkflowBundle, workflowBundle } from './workflow-bundle';
import { transferQueueOf } from './task-queue';
import { tracing } from '../tracing/tracing';
import { callSlots, transferSlots } from './worker-slots';

/**
 * How both workers treat time: a cancellation reaches an activity within five seconds; a worker that ends gives its
 * activities five seconds, and thirty in all.
 */
export const timing = {
  maxHeartbeatThrottleInterval: '5s',
  shutdownGraceTime: '5s',
  shutdownForceTime: '30s',
} as const;

export interface WorkerSettings {
  readonly connection: ReturnType<typeof temporalConnection>;
  readonly namespace: string;
  readonly taskQueue: string;
  /** Under which Temporal lists it. */
  readonly identity: string;
  readonly activities: object;
  readonly tuning: TemporalConfig['worker'];
  readonly interceptors?: WorkerInterceptors;
  /** @default the build's bundle, or one made from the sources */
  readonly bundlePath?: string;
  /** With what payloads are encrypted. @default they are in clear */
  readonly encryption?: EncryptionKeys;
  readonly logger?: pino.BaseLogger;
}

export interface RunningWorker {
  /** Under which Temporal lists its pollers. */
  readonly identity: string;
  /** Its build of the workflow code; absent where runs keep to none. */
  readonly build?: string;
  /** Settles when both workers have ended; rejects where one failed. */
  readonly stopped: Promise<void>;
  /** Lets running activities end or be cancelled, then ends both workers. */
  stop(): Promise<void>;
}

/**
 * Starts the two workers of one process, for calls and for files.
 * @throws PortolanError `TEMPORAL_UNREACHABLE`
 */
export async function startWorker(settings: WorkerSettings): Promise<RunningWorker> {
  const { namespace, taskQueue, identity, activities, bundlePath, tuning } = settings;
  // What an activity starts belongs to what has called it.
  const client = { workflow: [...(tracing()?.workflowStarts ?? [])] };
  const interceptors = { ...settings.interceptors, client };
  const { encryption = NO_KEYS } = settings;
  installRuntime(settings.logger);
  const connection = await connectCore(settings.connection);
  try {
    const dataConverter = dataConverterOf(encryption);
    const bundle = await workflowBundle(bundlePath);
    const workerDeploymentOptions = await deploymentOptions(tuning.deployment, bundle);
    const common = {
      ...{
        connection,
        namespace,
        identity,
        activities,
        interceptors,
        dataConverter,
        workerDeploymentOptions,
      },
      ...timing,
    };
    const calls = await Worker.create({
      ...common,
      ...callSlots(tuning),
      taskQueue,
      workflowBundle: encryption.writing === undefined ? bundle : await encodingFailures(bundle),
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

/** Workers have a connection of their own, in Rust, which takes the same options as that of a client. */
async function connectCore(options: WorkerSettings['connection']): Promise<NativeConnection> {
  try {
    return await NativeConnection.connect(options);
  } catch (error) {
    throw await whyCoreUnreachable(options, error);
  }
}

/** Both workers are of one version: what a run has done for it is done by its own build. */
async function deploymentOptions(
  deploymentName: string | undefined,
  bundle: WorkflowBundle,
): Promise<WorkerDeploymentOptions | undefined> {
  if (deploymentName === undefined) return undefined;
  return {
    version: { deploymentName, buildId: await buildIdOf(bundle) },
    useWorkerVersioning: true,
    // Runs pin themselves: `workflows/run/pin-to-version.ts`.
    defaultVersioningBehavior: 'AUTO_UPGRADE',
  };
}

function runBoth(workers: readonly Worker[], connection: NativeConnection, identity: string): RunningWorker {
  const shutDown = () => {
    for (const worker of workers) if (worker.getState() === 'RUNNING') worker.shutdown();
  };
  // Where one ends, for whatever reason, the other has to end as well: half a worker would leave runs waiting.
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
