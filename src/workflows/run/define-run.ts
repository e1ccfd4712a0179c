import { setWorkflowOptions, workflowInfo, isCancellation, setHandler } from '@temporalio/workflow';
import type { RunState } from '../../model/run/run-state';
import type { Memory } from './memory';
import type { Kind, Phase } from './phase';
import type { Run } from './run';
import { runToEnd } from './run-to-end';
import { kindOfType, type Signed } from '../../model/run/signature';
import { admitStart } from './activity-options';
import { cancellationOf, errorRecordOf, failureOf } from './failure';
import { outcomeQuery } from './signed-answers';
import { firstState, now, stateQuery } from './state';

/** Makes the workflow of a kind of run. @param phases in order, by the run's input */
export function defineRun<Input extends Received & { readonly runId: string }, R extends Run>(
  kind: Kind<R>,
  RunOfKind: new (kind: Kind<R>, input: Input, memory?: Memory) => R,
  phases: (input: Input) => readonly Phase<R>[],
): (signed: Input, memory?: Memory) => Promise<RunState> {
  const workflow = async (signed: Input, claimed?: Memory): Promise<RunState> => {
    // Memory is not signed, so a starter could claim any; only a continued execution has some.
    const memory = workflowInfo().continuedFromExecutionRunId === undefined ? undefined : claimed;
    const input = await authenticateStart(signed, memory?.state);
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

/** The input a workflow received. A scheduled one has no run ID, because Temporal chooses it. */
type Received = Signed & { readonly runId?: string };

/**
 * Checks that a start was signed with the control key, before the workflow does anything else. Otherwise ends the run
 * with NOT_AUTHENTIC.
 *
 * @param before the state of the execution it continues, which queries return meanwhile
 */
export async function authenticateStart<Input extends Received>(
  given: Input,
  before?: RunState,
): Promise<Input & { readonly runId: string }> {
  const { workflowId, workflowType, firstExecutionRunId } = workflowInfo();
  // Anyone with access to Temporal can start it with any input.
  const input: Input = typeof given === 'object' ? { ...given } : ({} as Input);
  const { runId = workflowId } = input;
  let state = before ?? stateOf(workflowType, { ...input, runId });
  // Queries must be answered before the start is authenticated. The SDK keeps signals until they have handlers.
  setHandler(stateQuery, () => state);
  setHandler(outcomeQuery, () => undefined);
  try {
    await admitStart({ workflowType, workflowId, execution: firstExecutionRunId, input });
  } catch (thrown) {
    const error = errorRecordOf(thrown, {});
    // Nothing claimed by a start that is not authentic is shown.
    const told = error.code === 'NOT_AUTHENTIC' ? stateOf(workflowType, { runId }) : state;
    const wasCancelled = isCancellation(thrown);
    state = { ...told, status: wasCancelled ? 'cancelled' : 'failed', finishedAt: now(), error };
    throw wasCancelled ? cancellationOf(state) : failureOf(state);
  }
  return { ...input, runId };
}

/** The state of a run that has done nothing yet, as far as its input is readable. */
function stateOf(workflowType: string, input: Received & { readonly runId: string }): RunState {
  const kind = kindOfType(workflowType);
  const nothing = { startedBy: '', route: { name: '' } };
  try {
    return firstState(kind, { ...nothing, ...input });
  } catch {
    return firstState(kind, { ...nothing, runId: input.runId });
  }
}
