import { setTimeout as sleep } from 'node:timers/promises';
import type { WorkflowExecutionDescription } from '@temporalio/client';
import { tsToMs } from '@temporalio/common/lib/time';
import { temporal as wire } from '@temporalio/proto';
import { PortolanError } from '../model/errors/errors';
import { openExecutions } from '../model/open-execution';
import { isNotFound, refusedNow, type TemporalClient } from './connection';

const { VersioningBehavior, WorkerDeploymentVersionStatus } = wire.api.enums.v1;
const { PinnedOverrideBehavior } = wire.api.workflow.v1.VersioningOverride;

/** @format milliseconds */
const TAKEN_WITHIN_MS = 10_000;
const ASKED_EVERY_MS = 500;

/** How a build stands: it begins runs, begins some of them, has never begun one, ends those that it began, or has none left. */
export type BuildState = 'current' | 'ramping' | 'inactive' | 'draining' | 'drained';

export interface Build {
  /** As `buildIdOf` gives it. */
  readonly id: string;
  readonly state: BuildState;
  /** When its first worker came. */
  readonly since: string;
}

/** A Worker Deployment as the server holds it. */
export interface Deployment {
  readonly name: string;
  readonly current?: string;
  /** Which build begins a part of the runs, and how many of a hundred. */
  readonly ramping?: { readonly build: string; readonly percent: number };
  /** The newest first. */
  readonly builds: readonly Build[];
}

const states: Readonly<Record<number, BuildState>> = {
  [WorkerDeploymentVersionStatus.WORKER_DEPLOYMENT_VERSION_STATUS_CURRENT]: 'current',
  [WorkerDeploymentVersionStatus.WORKER_DEPLOYMENT_VERSION_STATUS_RAMPING]: 'ramping',
  [WorkerDeploymentVersionStatus.WORKER_DEPLOYMENT_VERSION_STATUS_DRAINING]: 'draining',
  [WorkerDeploymentVersionStatus.WORKER_DEPLOYMENT_VERSION_STATUS_DRAINED]: 'drained',
};

/** Undefined where no worker of it has ever come. */
export async function readDeployment(
  { connection, namespace }: TemporalClient,
  name: string,
): Promise<Deployment | undefined> {
  try {
    const asked = { namespace, deploymentName: name };
    const { workerDeploymentInfo } = await connection.workflowService.describeWorkerDeployment(asked);
    const { routingConfig, versionSummaries } = workerDeploymentInfo ?? {};
    const { currentDeploymentVersion, rampingDeploymentVersion, rampingVersionPercentage } =
      routingConfig ?? {};
    const ramping = rampingDeploymentVersion?.buildId;
    const builds = (versionSummaries ?? []).map(({ deploymentVersion, status, createTime }): Build => ({
      id: deploymentVersion?.buildId ?? '',
      state: states[status ?? 0] ?? 'inactive',
      since: new Date(createTime ? tsToMs(createTime) : 0).toISOString(),
    }));
    return {
      name,
      current: currentDeploymentVersion?.buildId ?? undefined,
      ramping: ramping ? { build: ramping, percent: rampingVersionPercentage ?? 0 } : undefined,
      builds: builds.sort((a, b) => b.since.localeCompare(a.since)),
    };
  } catch (thrown) {
    if (isNotFound(thrown)) return undefined;
    throw thrown;
  }
}

/** Has a build begin all runs from now on. Throws `USAGE` in the server's words where it may not. */
export const makeCurrent = (
  temporal: TemporalClient,
  deploymentName: string,
  buildId: string,
): Promise<void> =>
  unlessRefused(() =>
    temporal.connection.workflowService.setWorkerDeploymentCurrentVersion({
      ...routing(temporal, deploymentName),
      buildId,
    }),
  );

/** Has a build begin so many of a hundred runs. Throws as `makeCurrent`. */
export const makeRamping = (
  temporal: TemporalClient,
  deploymentName: string,
  buildId: string,
  percentage: number,
): Promise<void> =>
  unlessRefused(() =>
    temporal.connection.workflowService.setWorkerDeploymentRampingVersion({
      ...routing(temporal, deploymentName),
      ...{ buildId, percentage },
    }),
  );

const routing = (
  { namespace, client: { options } }: TemporalClient,
  deploymentName: string,
): Record<'namespace' | 'identity' | 'deploymentName', string> => ({
  ...{ namespace, identity: options.identity, deploymentName },
});

/** The server knows both queues of a worker that has just come a moment after it has come, and refuses until then. */
async function unlessRefused(ask: () => Promise<unknown>): Promise<void> {
  for (const deadline = Date.now() + TAKEN_WITHIN_MS; ; await sleep(ASKED_EVERY_MS)) {
    try {
      await ask();
      return;
    } catch (thrown) {
      const words = refusedNow(thrown);
      if (words === undefined) throw thrown;
      if (Date.now() > deadline) throw notTaken(words);
    }
  }
}

const notTaken = (words: string): PortolanError =>
  new PortolanError('USAGE', `Temporal rejected it: ${words}`, {
    hint: 'List versions and their workers: portolan deploy status',
  });

/** The version a run is pinned to; undefined if it follows the current one. */
export function buildOf({ raw }: Pick<WorkflowExecutionDescription, 'raw'>): string | undefined {
  const { behavior, deploymentVersion, versioningOverride } = raw.workflowExecutionInfo?.versioningInfo ?? {};
  if (versioningOverride?.autoUpgrade) return undefined;
  const moved = versioningOverride?.pinned?.version?.buildId;
  if (moved) return moved;
  const isPinned = behavior === VersioningBehavior.VERSIONING_BEHAVIOR_PINNED;
  return isPinned ? (deploymentVersion?.buildId ?? undefined) : undefined;
}

/** Has a run go on with another build, to which it keeps from then on. False where it is over. */
export async function moveToBuild(
  { connection, namespace }: TemporalClient,
  workflowId: string,
  deploymentName: string,
  buildId: string,
): Promise<boolean> {
  const version = { deploymentName, buildId };
  const pinned = { behavior: PinnedOverrideBehavior.PINNED_OVERRIDE_BEHAVIOR_PINNED, version };
  try {
    await connection.workflowService.updateWorkflowExecutionOptions({
      ...{ namespace, workflowExecution: { workflowId } },
      workflowExecutionOptions: { versioningOverride: { pinned } },
      updateMask: { paths: ['versioning_override'] },
    });
    return true;
  } catch (thrown) {
    if (isNotFound(thrown)) return false;
    throw thrown;
  }
}

/** The open runs of a task queue that keep to a build, for the index of the server. */
export const keepingTo = (taskQueue: string, deploymentName: string, buildId: string): string =>
  [
    `TaskQueue = '${taskQueue}'`,
    `TemporalWorkerDeploymentVersion = '${deploymentName}:${buildId}'`,
    `TemporalWorkflowVersioningBehavior = 'Pinned'`,
    openExecutions,
  ].join(' AND ');
