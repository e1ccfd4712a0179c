import { allHandlersFinished, CancellationScope, condition, isCancellation } from '@temporalio/workflow';
import type { RunState } from '../../model/run/run-state';
import { takeBannerDown } from './banner';
import { notifyTask } from './task-notifier';
import { errorRecordOf } from './failure';
import { leaveAll } from '../gate/gates';
import { listen } from './messages';
import { notifyEnd } from './notify';
import { closeBooks, throwUnlessDone, verdict } from './outcome';
import { cleanup } from '../phases/cleanup';
import { settleJobs } from '../phases/portal-job';
import type { Phase, Run } from './run';
import { supersedeEarlier } from './superseding';

/**
 * Walks a run through its phases and to its end, however that comes: what it began on a portal is waited for, its
 * books are closed, and what is ours is removed. A run that failed or was cancelled ends so in Temporal too.
 */
export async function runToEnd(run: Run, phases: readonly Phase[], end: Phase = cleanup): Promise<RunState> {
  listen(run);
  let thrown: unknown;
  try {
    await notifyTask(run);
    await run.scope.run(async () => {
      await supersedeEarlier(run);
      await run.walk(phases);
    });
  } catch (error) {
    thrown = error;
    run.state.error = errorRecordOf(error, run.route);
  }
  const state = await CancellationScope.nonCancellable(async () => {
    await settleJobs(run, isCancellation(thrown));
    await takeBannerDown(run);
    await leaveAll(run);
    await closeBooks(run, thrown);
    await run.step(end);
    await condition(allHandlersFinished);
    const closed = await run.close(verdict(run, thrown));
    await notifyTask(run);
    if (run.operators) await notifyEnd(run);
    return closed;
  });
  return throwUnlessDone(state, thrown);
}
