import { patched, setWorkflowOptions, workflowInfo } from '@temporalio/workflow';

/** Asked for by the first step of every run: with it come all changes that are named anywhere below. */
const FROM_THE_START = 'changes up to 0.1';

/**
 * Whether a run takes its steps as a change has left them; one that an earlier version began, and that had come past this
 * point, keeps to the old ones.
 *
 * A run of this version has one marker for all of them, from its first task on. One that it asked for only behind a local
 * activity could be looked for too early when the run is replayed, where a workflow task ended right behind that
 * activity, as it does under a query: the run could never go on (TMPRL1100).
 *
 * @param change its name, which stays for ever
 * @see https://docs.temporal.io/develop/typescript/versioning
 */
export const since = (change: string): boolean => patched(FROM_THE_START) || patched(change);

type Workflow = Parameters<typeof setWorkflowOptions>[1];

/**
 * Has runs keep to the build of workflow code that began them, where workers have one: a deploy in the middle of an
 * import changes nothing of it. What lasts for weeks by its nature (gates, searches, deliveries) goes on with the current
 * build, as do runs that a worker without a build began.
 *
 * Said for each execution, since a worker without a build may say nothing of it.
 * @see https://docs.temporal.io/production-deployment/worker-deployments/worker-versioning
 */
export function keepToBuild(...workflows: readonly Workflow[]): void {
  for (const workflow of workflows)
    setWorkflowOptions(
      () => (workflowInfo().currentDeploymentVersion?.deploymentName ? { versioningBehavior: 'PINNED' } : {}),
      workflow,
    );
}
