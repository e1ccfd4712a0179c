import {
  ApplicationFailure,
  ChildWorkflowFailure,
  type ChildWorkflowHandle,
  isCancellation,
  ParentClosePolicy,
  startChild,
  type Workflow,
} from '@temporalio/workflow';
import { memoKey } from '../../model/run/search-attributes';
import type { ErrorRecord } from '../../model/run/run';
import { shortRunId } from '../../model/run/run-id';
import type { RunInput } from '../../model/run/run-input';
import type { RunState } from '../../model/run/run-state';
import type { StartMemo } from '../../model/run/start-memo';
import { errorRecordOf, refusal } from './failure';
import type { Run } from './run';
import { kindKey, routeKey } from './search-attributes';
import { endOf } from './state';

/** How a child run ended; `state` if it reported it. */
export type PartEnd =
  | { readonly state: RunState; readonly status: RunState['status']; readonly error?: undefined }
  | { readonly state?: RunState; readonly status: RunState['status']; readonly error: ErrorRecord };

/** Starts a child run. If its parent is terminated, it still cleans up. */
export async function startPart(
  kind: 'sync' | 'backup' | 'restore' | 'rollback' | 'promotion',
  input: RunInput,
  summary: string,
): Promise<ChildWorkflowHandle<Workflow>> {
  const { runId, route, startedBy, scheduledBy } = input;
  const { name, source, target } = route;
  const ends = { name, source: endOf(source), ...(target && { target: endOf(target) }) };
  const memo: StartMemo = { route: ends, startedBy, scheduledBy, fingerprint: runId };
  return await startChild(kind, {
    workflowId: runId,
    args: [input],
    parentClosePolicy: ParentClosePolicy.REQUEST_CANCEL,
    typedSearchAttributes: [
      { key: kindKey, value: kind },
      { key: routeKey, value: name },
    ],
    memo: { [memoKey]: memo },
    staticSummary: summary.slice(0, 150),
  });
}

/** Waits for a child run, however it ends. @param work starts it and returns its result */
export async function endOfPart(
  { runId, route }: Pick<RunInput, 'runId' | 'route'>,
  work: () => Promise<unknown>,
): Promise<PartEnd> {
  try {
    const state = (await work()) as RunState;
    return { state, status: state.status };
  } catch (thrown) {
    const state = stateIn(thrown);
    const wasCancelled = isOfCancellation(thrown);
    const cause = wasCancelled ? refusal('CANCELLED', `${runId} was cancelled`) : thrown;
    return {
      state,
      status: state?.status ?? (wasCancelled ? 'cancelled' : 'failed'),
      error: state?.error ?? errorRecordOf(cause, route),
    };
  }
}

/** A cancelled or terminated run reports no results. */
export function noteUnseen(run: Pick<Run, 'state' | 'show' | 'warn'>, runId: string): void {
  if (run.state.target === 'untouched') run.show({ target: 'unknown' });
  run.warn(`results of ${runId}: portolan run show ${shortRunId(runId)}`);
}

/** A cancelled run fails with whichever error the cancellation caused first. */
function isOfCancellation(thrown: unknown): boolean {
  for (let cause = thrown; cause instanceof Error; cause = cause.cause)
    if (isCancellation(cause)) return true;
  return false;
}

/** A failed run carries its state in the failure. */
function stateIn(thrown: unknown): RunState | undefined {
  const cause = thrown instanceof ChildWorkflowFailure ? thrown.cause : undefined;
  if (!(cause instanceof ApplicationFailure)) return undefined;
  const state = cause.details?.[0] as Partial<RunState> | undefined;
  return state?.phases ? (state as RunState) : undefined;
}
