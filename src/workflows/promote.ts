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

/** Promotes what is eligible for a stage, as a child run. Schedules start it. */
export async function promote(given: DuePromotionInput): Promise<RunState> {
  return await runToEnd(new DueRun(kind, await admitted(given)), [
    choose, // the eligible release, if any
    promoteChosen,
  ]);
}
