import type { DuePromotionInput } from '../model/release/due-promotion';
import type { RunState } from '../model/run/run-state';
import { choose } from './promote/choose';
import { DueRun } from './promote/due-run';
import { promoteChosen } from './promote/promote-chosen';
import { admitted } from './run/authenticate';
import type { Kind } from './run/phase';
import { runToEnd } from './run/run-to-end';

const kind: Kind<DueRun> = {
  name: 'promote',
  notifies: true,
  verdict: (run) => (run.chosen ? 'succeeded' : 'nothing-to-do'),
};

/** Brings into a stage what may go there now, by a promotion of its own; what a schedule starts. */
export async function promote(given: DuePromotionInput): Promise<RunState> {
  return await runToEnd(new DueRun(kind, await admitted(given)), [
    choose, // the release that may go, if there is one
    promoteChosen,
  ]);
}
