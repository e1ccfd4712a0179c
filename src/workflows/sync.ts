import { allHandlersFinished, CancellationScope, condition, isCancellation } from '@temporalio/workflow';
import type { RunState } from '../model/run-state';
import type { SyncInput } from '../model/sync-input';
import { errorRecordOf } from './failure';
import { leaveAll } from './gates';
import { listen } from './messages';
import { tellEnd } from './notify';
import { closeBooks, throwUnlessDone, verdict } from './outcome';
import { approve } from './phases/approve';
import { cleanup } from './phases/cleanup';
import { download } from './phases/download';
import { exportGroup } from './phases/export';
import { guard } from './phases/guard';
import { importGroup } from './phases/import';
import { preview } from './phases/preview';
import { unlessReused } from './phases/reuse';
import { safeguard } from './phases/safeguard';
import { upload } from './phases/upload';
import { verify } from './phases/verify';
import { waitExport } from './phases/wait-export';
import { waitImport } from './phases/wait-import';
import { settleJobs } from './portal-job';
import { Run } from './run';
import { supersedeEarlier } from './superseding';

/** The story of a sync. */
const story = [
  guard, // everything that must be so, before anything is written
  // the source puts the group into a package, which comes into the store; unless one lies there already
  ...unlessReused([exportGroup, waitExport, download]),
  upload, // and goes onto the target, as an item of ours
  preview, // the target says what an import would do: the plan
  approve, // somebody, or the route, says yes to exactly that plan
  safeguard, // what will be overwritten is saved first
  importGroup, // the plan is read again; what changed goes back to approve
  waitImport, // every requested item is accounted for
  verify, // and what was imported is read back
];

/**
 * Carries a group's content from one portal to another. Ends with the run's state; a run that failed or was
 * cancelled ends so in Temporal too, after its cleanup.
 */
export async function sync(input: SyncInput): Promise<RunState> {
  const run = new Run('sync', input);
  listen(run);
  let thrown: unknown;
  try {
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
    await leaveAll(run);
    await closeBooks(run, thrown);
    await run.step(cleanup);
    await condition(allHandlersFinished);
    const closed = await run.close(verdict(run, thrown));
    if (run.operators) await tellEnd(run);
    return closed;
  });
  return throwUnlessDone(state, thrown);
}
