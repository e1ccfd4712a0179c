import { ApplicationFailure, isCancellation, log } from '@temporalio/workflow';
import type { RunStatus } from '../../model/run/phase';
import { isChosen } from '../../model/transfer/route';
import type { RunState } from '../../model/run/run-state';
import { writing } from './calls';
import { have } from './context';
import { errorRecordOf } from './failure';
import { accountFor } from '../phases/ledger';
import type { Run } from './run';

/** What a run came to, in one word. */
export function verdict(run: Run, thrown: unknown): RunStatus {
  const { state, context, route } = run;
  if (isCancellation(thrown) || state.error?.code === 'REJECTED') return 'cancelled';
  if (thrown !== undefined) return 'failed';
  if (route.options.planOnly && state.plan) return 'succeeded';
  if (state.kind === 'backup') return backupVerdict(run);
  if (state.kind === 'drill') return state.proof ? 'succeeded' : 'partial';
  const { items, verification } = state;
  const open =
    (items?.blocked ?? 0) +
    (items?.failed ?? 0) +
    (items?.unaccounted ?? 0) +
    (verification?.findings ?? 0) +
    (context.notSaved ?? 0);
  if (open > 0 || context.shrunk) return 'partial';
  return (items?.imported ?? 0) > 0 || (state.created?.removed.length ?? 0) > 0
    ? 'succeeded'
    : 'nothing-to-do';
}

function backupVerdict({ state, context }: Run): RunStatus {
  const { snapshot } = state;
  if (!snapshot || snapshot.unchanged) return 'nothing-to-do';
  return context.shrunk || (context.notSaved ?? 0) > 0 ? 'partial' : 'succeeded';
}

/** Closes the books of a run, however it ended. What cannot be read any more becomes a warning, never another error. */
export async function closeBooks(run: Run, thrown: unknown): Promise<void> {
  const { context, route, state } = run;
  const { requested, target } = context;
  if (!requested || !target || route.options.planOnly) return;
  if (state.kind === 'drill' && !context.importPosted) return;
  try {
    if (!state.items) await accountFor(run);
    if (thrown !== undefined || isChosen(route.options) || context.shrunk) return;
    // What a restore leaves says nothing of the next sync.
    if (state.kind !== 'sync') return;
    await writing('the target after the run').noteLastRun({
      runId: state.runId,
      route: run.ends,
      target: have(context, 'target'),
      requested: requested.inGroup,
    });
  } catch (error) {
    log.warn('the books could not be closed', { error });
    run.warn(`the ledger could not be completed: ${errorRecordOf(error, route).message}`);
  }
}

/** A run that failed or was cancelled ends so in Temporal too; its state goes with it. */
export function throwUnlessDone<State extends Pick<RunState, 'error'>>(state: State, thrown: unknown): State {
  if (isCancellation(thrown)) throw thrown;
  if (thrown === undefined) return state;
  const { error } = state;
  throw ApplicationFailure.create({
    type: error?.code ?? 'INTERNAL',
    message: error?.message ?? 'the run failed',
    nonRetryable: true,
    details: [state],
  });
}
