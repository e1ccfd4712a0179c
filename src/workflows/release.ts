import { workflowInfo } from '@temporalio/workflow';
import type { ReleaseInput } from '../model/release/release-input';
import type { RunState } from '../model/run/run-state';
import { claimId, commitRelease, giveBack } from './release/manifest';
import { backUpGroups } from './release/groups';
import { readPortal } from './release/portal';
import { ReleaseRun } from './release/release-run';
import type { Kind } from './run/phase';
import { admitted } from './run/authenticate';
import { runToEnd } from './run/run-to-end';

const kind: Kind<ReleaseRun> = {
  name: 'release',
  sides: ['source'],
  notifies: true,
  settle: giveBack,
  verdict: () => 'succeeded',
};

/**
 * Creates a release of a pipeline: a snapshot of each group of its first stage, and its portal settings. It is visible
 * only once it is complete.
 *
 * @param before the state of the execution it continues
 */
export async function release(given: ReleaseInput, before?: RunState): Promise<RunState> {
  const input = await admitted(given);
  // Progress is not signed, so a starter could claim any; only a continued execution may have some.
  const isContinued = workflowInfo().continuedFromExecutionRunId !== undefined;
  return await runToEnd(new ReleaseRun(kind, input, isContinued ? before : undefined), [
    claimId, // its future ID
    readPortal, // current settings and categories
    backUpGroups, // one child run each; unchanged groups are not exported again
    commitRelease, // the release exists once its manifest is written
  ]);
}
