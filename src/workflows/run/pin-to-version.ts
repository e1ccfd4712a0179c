import { setWorkflowOptions, workflowInfo } from '@temporalio/workflow';

type Workflow = Parameters<typeof setWorkflowOptions>[1];

/**
 * Pins runs of these workflows to the worker version that started them, so that a deployment cannot change an import
 * halfway. Portal queues, bisects and deliveries can stay open for weeks, so they follow the current version. So do
 * runs that an unversioned worker started.
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
