import { setWorkflowOptions, workflowInfo } from '@temporalio/workflow';

type Workflow = Parameters<typeof setWorkflowOptions>[1];

/**
 * Pins runs of these workflows to the worker version that started them, so that a deployment in the middle of an import
 * changes nothing about it. Portal queues, bisects and deliveries can stay open for weeks. They follow the current version, as do runs that an
 * unversioned worker started.
 *
 * Set for each execution, because an unversioned worker may set no versioning behavior.
 * @see https://docs.temporal.io/production-deployment/worker-deployments/worker-versioning
 */
export function pinToVersion(...workflows: readonly Workflow[]): void {
  for (const workflow of workflows)
    setWorkflowOptions(
      () => (workflowInfo().currentDeploymentVersion?.deploymentName ? { versioningBehavior: 'PINNED' } : {}),
      workflow,
    );
}
