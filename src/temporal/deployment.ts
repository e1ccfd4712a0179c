import type { WorkflowExecutionDescription } from '@temporalio/client';
import { temporal as wire } from '@temporalio/proto';
import { isNotFound, type TemporalClient } from './connection';
import { workersOf, type WorkerVersion } from './task-queue';

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
