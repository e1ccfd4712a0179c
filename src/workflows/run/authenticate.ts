import { isCancellation, setHandler, workflowInfo } from '@temporalio/workflow';
import { kindOfType, type Signed } from '../../model/run/signature';
import type { RunState } from '../../model/run/run-state';
import { admitStart } from './activity-options';
import { cancellationOf, errorRecordOf, failureOf } from './failure';
import { outcomeQuery } from './signed-answers';
import { firstState, now, stateQuery } from './state';

/** The input a workflow received. A scheduled one has no run ID, because Temporal chooses it. */
export type Received = Signed & { readonly runId?: string };

/**
 * Checks that a start was signed with the control key, before the workflow does anything else. Otherwise ends the run
 * with NOT_AUTHENTIC.
 *
 * @param before the state of the execution it continues, which queries return meanwhile
 */
export async function admitted<Input extends Received>(
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
