import { ApplicationFailure, isCancellation } from '@temporalio/workflow';
import type { RunStatus } from '../../model/run/phase';
import type { RunState } from '../../model/run/run-state';
import type { Run } from './run';

/** Decisions that were made before anything was written: they end a run as cancelled. */
const decided: ReadonlySet<string> = new Set(['REJECTED', 'CANCELLED']);

/** What a run came to, in one word. */
export function verdict(run: Run, isCancelled: boolean): RunStatus {
  const { error } = run.state;
  if (isCancelled || (error && decided.has(error.code))) return 'cancelled';
  if (error) return 'failed';
  return run.kind.verdict(run);
}

/** A run that failed or was cancelled ends so in Temporal too; its state goes with it. */
export function throwUnlessDone(state: RunState, thrown: unknown): RunState {
  if (isCancellation(thrown)) throw thrown;
  const { error } = state;
  if (thrown === undefined && error === undefined) return state;
  throw ApplicationFailure.create({
    type: error?.code ?? 'INTERNAL',
    message: error?.message ?? 'the run failed',
    nonRetryable: true,
    details: [state],
  });
}
