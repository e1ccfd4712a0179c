import { allHandlersFinished, CancellationScope, condition, isCancellation } from '@temporalio/workflow';
import type { RunState } from '../../model/run/run-state';
import { takeBannerDown } from './banner';
import { tellTask } from './task-notifier';
import { errorRecordOf } from './failure';
import { leaveAll } from '../gate/gates';
import { listen } from './messages';
import { tellEnd } from './notify';
import { closeBooks, throwUnlessDone, verdict } from './outcome';
import { cleanup } from '../phases/cleanup';
import { settleJobs } from '../phases/portal-job';
import type { Phase, Run } from './run';
import { supersedeEarlier } from './superseding';

/**
 * Walks a run through its story and to its end, however that comes: what it began on a portal is waited for, its
 * books are closed, and what is ours is removed. A run that failed or was cancelled ends so in Temporal too.
 */
export async function tellStory(run: Run, story: readonly Phase[], end: Phase = cleanup): Promise<RunState> {
  listen(run);
  let thrown: unknown;
  try {
    await tellTask(run);
    await run.scope.run(async () => {
      await supersedeEarlier(run);
      await run.walk(story);
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
    await tellTask(run);
    if (run.operators) await tellEnd(run);
    return closed;
  });
  return throwUnlessDone(state, thrown);
}
