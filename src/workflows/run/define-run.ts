import { setWorkflowOptions, workflowInfo } from '@temporalio/workflow';
import type { RunState } from '../../model/run/run-state';
import { admitted, type Received } from './authenticate';
import type { Memory } from './memory';
import type { Kind, Phase } from './phase';
import type { Run } from './run';
import { runToEnd } from './run-to-end';

/** Makes the workflow of a kind of run. @param phases in order, by the run's input */
export function defineRun<Input extends Received, R extends Run>(
  kind: Kind<R>,
  RunOfKind: new (kind: Kind<R>, input: Input & { readonly runId: string }, memory?: Memory) => R,
  phases: (input: Input & { readonly runId: string }) => readonly Phase<R>[],
): (signed: Input, memory?: Memory) => Promise<RunState> {
  const workflow = async (signed: Input, claimed?: Memory): Promise<RunState> => {
    // Memory is not signed, so a starter could claim any; only a continued execution has some.
    const memory = workflowInfo().continuedFromExecutionRunId === undefined ? undefined : claimed;
    const input = await admitted(signed, memory?.state);
    const run = new RunOfKind(kind, input, memory);
    run.signed = signed;
    return await runToEnd(run, phases(input));
  };
  if (!kind.followsVersion) pinToVersion(workflow);
  return workflow;
}

/**
 * Pins runs to the worker version that started them, so that a deployment cannot change an import halfway. Runs that an
 * unversioned worker started are not pinned.
 *
 * Set for each execution, because an unversioned worker may set no versioning behavior.
 * @see https://docs.temporal.io/production-deployment/worker-deployments/worker-versioning
 */
const pinToVersion = (workflow: Parameters<typeof setWorkflowOptions>[1]): void =>
  setWorkflowOptions(
    () => (workflowInfo().currentDeploymentVersion?.deploymentName ? { versioningBehavior: 'PINNED' } : {}),
    workflow,
  );
