import { setTimeout as sleep } from 'node:timers/promises';
import os from 'node:os';
import { tsToMs } from '@temporalio/common/lib/time';
import { temporal as wire } from '@temporalio/proto';
import type { WorkflowExecutionDescription } from '@temporalio/client';
import { PortolanError } from '../model/errors/errors';
import { markIn, nameIn, type WorkerMark } from '../model/run/worker-view';
import { type TemporalClient, isNotFound } from './connection';
import { clockOffset } from './server-clock';

/** Time a new worker gets to poll for the first time. */
const workerGraceMs = 1_500;
const lookEveryMs = 250;

/** Workers poll soon after their start. */
const seenWithinMs = 10_000;
const seenEveryMs = 20;

/** Workflows and portal calls use the configured queue; transfers use the one beside it. */
export const transferQueueOf = (taskQueue: string): string => `${taskQueue}-transfer`;

/** A worker that polls the queue. */
export interface PollingWorker {
  /** `pid@host` unless it was given another name. */
  readonly name: string;
  /** What it reports. */
  readonly mark?: WorkerMark;
  /** Its Build ID; undefined without versioning. */
  readonly build?: string;
}

/** Names a version of the workflow code: Temporal's Worker Deployment, and the Build ID of its workers. */
type WorkerVersion = Readonly<Record<'deploymentName' | 'buildId', string>>;

/** What makes a worker version start all new runs. */
export const setCurrentWords = (namespace: string, { deploymentName, buildId }: WorkerVersion): string =>
  `temporal worker deployment set-current-version --namespace ${namespace} --deployment-name ${deploymentName} --build-id ${buildId}`;

/** Names of the workers that poll the queue, each once. @param build as for `pollingWorkers` */
export const workersOf = async (
  temporal: TemporalClient,
  taskQueue: string,
  build?: string,
): Promise<string[]> => (await pollingWorkers(temporal, taskQueue, build)).map(({ name }) => name);

/**
 * Workers that poll for a build, each once, by their latest report.
 * @param build @default the build that new work goes to
 */
export async function pollingWorkers(
  temporal: TemporalClient,
  taskQueue: string,
  build?: string,
): Promise<PollingWorker[]> {
  const { pollers, begins } = await readQueue(temporal, taskQueue);
  return workersOfBuilds(pollers, build === undefined ? begins : [build]);
}

const workersOfBuilds = (pollers: readonly Poller[], builds: readonly (string | undefined)[]) =>
  workersAmong(pollers.filter(({ version }) => builds.includes(version?.buildId)));

/** The workers, each once per version, by what they reported last. */
export function workersAmong(pollers: readonly Poller[]): PollingWorker[] {
  const workers = new Map<string, PollingWorker>();
  for (const { identity, version } of pollers) {
    const build = version?.buildId;
    const [name, mark] = [nameIn(identity), markIn(identity)];
    const key = `${name} ${build ?? ''}`;
    if ((workers.get(key)?.mark?.at ?? -1) < (mark?.at ?? 0)) workers.set(key, { name, mark, build });
  }
  return [...workers.values()];
}

/** The running workers, at least one. Throws `NO_WORKER` within two seconds. */
export async function requireWorkers(temporal: TemporalClient, taskQueue: string): Promise<PollingWorker[]> {
  const deadline = Date.now() + workerGraceMs;
  for (;;) {
    const { pollers, begins } = await readQueue(temporal, taskQueue);
    const workers = workersOfBuilds(pollers, begins);
    if (workers.length > 0) return workers;
    if (Date.now() > deadline) throw noWorker(temporal.namespace, taskQueue, pollers);
    await sleep(lookEveryMs);
  }
}

function noWorker(namespace: string, taskQueue: string, pollers: readonly Poller[]): PortolanError {
  const version = pollers.find((poller) => poller.version)?.version;
  const where = `task queue "${taskQueue}" in namespace "${namespace}"`;
  if (version === undefined) return new PortolanError('NO_WORKER', `No worker accepts work from ${where}.`);
  return new PortolanError(
    'NO_WORKER',
    `Workers of version ${version.buildId} are running, but none of the current version, in ${where}.`,
    { hint: `Make that version current: ${setCurrentWords(namespace, version)}` },
  );
}

/**
 * Returns once the server has seen a worker poll, so that a run started then finds it. Does not wait for a server
 * that does not report polls.
 */
export async function untilPolling(
  temporal: TemporalClient,
  taskQueue: string,
  worker: string,
): Promise<void> {
  for (const deadline = Date.now() + seenWithinMs; Date.now() < deadline; await sleep(seenEveryMs)) {
    const pollers = await pollersOf(temporal, taskQueue).catch(() => undefined);
    if (pollers === undefined || pollers.some(({ identity }) => identity === worker)) return;
  }
}

/** A waiting worker polls at least once a minute; one that has not for longer is gone. */
const STALE_MS = 75_000;

/** Further in the future means that the clocks differ. @format milliseconds */
const AHEAD_MS = 5_000;

const { WORKER_VERSIONING_MODE_VERSIONED: VERSIONED } = wire.api.enums.v1.WorkerVersioningMode;

/** Task queue types, with Temporal's numbers. */
const queueTypes = { workflows: 1, activities: 2 } as const;
export type QueueKind = keyof typeof queueTypes;

interface Poller {
  /** `pid@host` and what the worker tells of itself, unless it was given another name. */
  readonly identity: string;
  readonly lastAccess: Date;
  /** Absent if the worker is unversioned. */
  readonly version?: WorkerVersion;
}

/**
 * Who takes work from the task queue. The server remembers a poller for minutes after its death: the ones that
 * have not asked lately by its own clock, and those of this machine whose process is gone, are left out.
 */
export const pollersOf = async (
  temporal: TemporalClient,
  taskQueue: string,
  kind: QueueKind = 'workflows',
): Promise<Poller[]> => alive(temporal, taskQueue, (await describeQueue(temporal, taskQueue, kind)).pollers);

/** The backlog, as far as the server reports it: approximate size, and age of the oldest task. */
export async function backlogOf(
  temporal: TemporalClient,
  taskQueue: string,
  kind: QueueKind,
): Promise<{ readonly count: number; readonly ageMs: number } | undefined> {
  const { stats } = await describeQueue(temporal, taskQueue, kind);
  if (!stats) return undefined;
  const { approximateBacklogCount, approximateBacklogAge } = stats;
  const ageMs = approximateBacklogAge ? tsToMs(approximateBacklogAge) : 0;
  return { count: Number(String(approximateBacklogCount ?? 0)), ageMs };
}

const describeQueue = (
  { connection, namespace }: TemporalClient,
  taskQueue: string,
  kind: QueueKind,
): Promise<wire.api.workflowservice.v1.IDescribeTaskQueueResponse> =>
  connection.workflowService.describeTaskQueue({
    namespace,
    taskQueue: { name: taskQueue },
    taskQueueType: queueTypes[kind],
    reportStats: true,
  });

async function alive(
  temporal: TemporalClient,
  taskQueue: string,
  given: readonly wire.api.taskqueue.v1.IPollerInfo[] | null | undefined,
): Promise<Poller[]> {
  const pollers = (given ?? [])
    .map(({ identity, lastAccessTime, deploymentOptions }) => ({
      identity: identity ?? '',
      lastAccess: new Date(lastAccessTime ? tsToMs(lastAccessTime) : 0),
      version:
        deploymentOptions?.workerVersioningMode === VERSIONED
          ? {
              deploymentName: deploymentOptions.deploymentName ?? '',
              buildId: deploymentOptions.buildId ?? '',
            }
          : undefined,
    }))
    .filter(({ identity }) => !isDeadHere(identity));
  const agesBy = (now: number): number[] => pollers.map(({ lastAccess }) => now - lastAccess.getTime());
  let now = Date.now();
  // An implausible age may be this machine's clock, so read Temporal's.
  if (agesBy(now).some((age) => age >= STALE_MS || age < -AHEAD_MS))
    now += (await clockOffset(temporal, taskQueue)) ?? 0;
  const ages = agesBy(now);
  return pollers.filter((_, index) => (ages[index] ?? STALE_MS) < STALE_MS);
}

/** The pollers, and the builds that take new work; undefined means workers without a version. */
async function readQueue(temporal: TemporalClient, taskQueue: string) {
  const { pollers, versioningInfo } = await temporal.connection.withDeadline(Date.now() + 2_000, () =>
    describeQueue(temporal, taskQueue, 'workflows'),
  );
  const { currentDeploymentVersion: current, rampingDeploymentVersion: ramping } = versioningInfo ?? {};
  const begins = [current?.buildId ?? undefined, ...(ramping?.buildId ? [ramping.buildId] : [])];
  return { pollers: await alive(temporal, taskQueue, pollers), begins };
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

const { VersioningBehavior, WorkerDeploymentVersionStatus } = wire.api.enums.v1;
const { PinnedOverrideBehavior } = wire.api.workflow.v1.VersioningOverride;

/** A Worker Deployment as the server holds it. */
interface Deployment {
  /** Build ID of the version that starts runs. */
  readonly current?: string;
  readonly versions: readonly { readonly buildId: string; readonly state: string }[];
}

const states: Readonly<Record<number, string>> = {
  [WorkerDeploymentVersionStatus.WORKER_DEPLOYMENT_VERSION_STATUS_CURRENT]: 'current',
  [WorkerDeploymentVersionStatus.WORKER_DEPLOYMENT_VERSION_STATUS_RAMPING]: 'ramping',
  [WorkerDeploymentVersionStatus.WORKER_DEPLOYMENT_VERSION_STATUS_DRAINING]: 'draining',
  [WorkerDeploymentVersionStatus.WORKER_DEPLOYMENT_VERSION_STATUS_DRAINED]: 'drained',
};

/** Undefined if no worker of the deployment has ever connected. */
export async function readDeployment(
  { connection, namespace }: TemporalClient,
  deploymentName: string,
): Promise<Deployment | undefined> {
  try {
    const request = { namespace, deploymentName };
    const { workerDeploymentInfo } = await connection.workflowService.describeWorkerDeployment(request);
    return {
      current: workerDeploymentInfo?.routingConfig?.currentDeploymentVersion?.buildId ?? undefined,
      versions: (workerDeploymentInfo?.versionSummaries ?? []).map(({ deploymentVersion, status }) => ({
        buildId: deploymentVersion?.buildId ?? '',
        state: states[status ?? 0] ?? 'inactive',
      })),
    };
  } catch (thrown) {
    if (isNotFound(thrown)) return undefined;
    throw thrown;
  }
}

/** The version a run is pinned to; undefined if it follows the current one. */
export function pinnedVersionOf({
  raw,
}: Pick<WorkflowExecutionDescription, 'raw'>): WorkerVersion | undefined {
  const { behavior, deploymentVersion, versioningOverride } = raw.workflowExecutionInfo?.versioningInfo ?? {};
  if (versioningOverride?.autoUpgrade) return undefined;
  const isPinned = behavior === VersioningBehavior.VERSIONING_BEHAVIOR_PINNED;
  const { deploymentName, buildId } =
    versioningOverride?.pinned?.version ?? (isPinned ? deploymentVersion : undefined) ?? {};
  return deploymentName && buildId ? { deploymentName, buildId } : undefined;
}

/**
 * Pins an open run to the current version of its deployment if workers have that version but none has the run's own.
 * Throws `WorkflowNotFoundError` if the run is not known.
 */
export async function moveIfStranded(temporal: TemporalClient, workflowId: string): Promise<void> {
  const { client, connection, namespace } = temporal;
  const description = await client.workflow.getHandle(workflowId).describe();
  const pinned = pinnedVersionOf(description);
  if (!pinned) return;
  const { deploymentName } = pinned;
  const hasWorkers = async (buildId: string): Promise<boolean> =>
    (await workersOf(temporal, description.taskQueue, buildId)).length > 0;
  if (await hasWorkers(pinned.buildId)) return;
  const buildId = (await readDeployment(temporal, deploymentName))?.current;
  if (!buildId || !(await hasWorkers(buildId))) return;
  await connection.workflowService.updateWorkflowExecutionOptions({
    namespace,
    workflowExecution: { workflowId },
    workflowExecutionOptions: {
      versioningOverride: {
        pinned: {
          behavior: PinnedOverrideBehavior.PINNED_OVERRIDE_BEHAVIOR_PINNED,
          version: { deploymentName, buildId },
        },
      },
    },
    updateMask: { paths: ['versioning_override'] },
  });
}
