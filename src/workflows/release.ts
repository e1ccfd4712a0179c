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
 * Makes a release of a pipeline: a snapshot of each group of its first stage, and what it holds of the portal. It
 * exists when all of that does; until then nobody sees it.
 *
 * @param before the state of an earlier execution of the same run
 */
export async function release(given: ReleaseInput, before?: RunState): Promise<RunState> {
  const input = await admitted(given);
  // Nobody signs it: whoever starts a release cannot say how far it is.
  const isContinued = workflowInfo().continuedFromExecutionRunId !== undefined;
  return await runToEnd(new ReleaseRun(kind, input, isContinued ? before : undefined), [
    claimId, // the id that it will have
    readPortal, // settings and categories, as they are now
    backUpGroups, // one run each; what has not changed since its last snapshot is not exported again
    commitRelease, // and it is there once its manifest is
  ]);
}
