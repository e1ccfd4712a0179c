import { workflowInfo } from '@temporalio/workflow';
import type { PromotionInput } from '../model/release/promotion-input';
import type { RunState } from '../model/run/run-state';
import { approveWhole } from './promotion/approval';
import { checkStage } from './promotion/checks';
import { commit, settleStage } from './promotion/commit';
import { guardStage } from './promotion/guard-stage';
import { importGroups } from './promotion/imports';
import { planGroups, planWayBack } from './promotion/plans';
import { changePortal } from './promotion/portal';
import { type Progress, PromotionRun } from './promotion/promotion-run';
import { takeUpPromotion, whereGroupsAre } from './promotion/parked-promotion';
import { rollBack } from './promotion/rollback';
import type { Kind } from './run/phase';
import { admitted } from './run/authenticate';
import { runToEnd } from './run/run-to-end';

const kind: Kind<PromotionRun> = {
  name: 'promotion',
  sides: ['target'],
  parks: true,
  notifies: true,
  verdict: (run) => run.verdict,
  came: (run) => run.came,
  settle: settleStage,
  look: whereGroupsAre,
  suggests: (run) => [`portolan promote rollback ${run.input.route.name} ${run.input.stage}`],
  takeUp: takeUpPromotion,
};

/**
 * Brings a release into a stage: all of its groups, and what it holds of the portal itself, by one plan and one yes. Or
 * brings the stage back to what it was before.
 *
 * @param before how far an earlier execution of the same run has come
 */
export async function promotion(given: PromotionInput, before?: Progress): Promise<RunState> {
  const input = await admitted(given);
  // Nobody signs it: whoever starts a promotion cannot say how far it is.
  const isContinued = workflowInfo().continuedFromExecutionRunId !== undefined;
  const run = new PromotionRun(kind, input, isContinued ? before : undefined);
  return await runToEnd(
    run,
    run.continued(
      input.undoes === undefined
        ? [
            guardStage, // it is the stage's turn, and the release may come there
            planGroups, // every group is planned, before anything is written into one of them
            approveWhole, // one yes to all of it
            importGroups, // one run each, in their order
            changePortal, // settings and categories
            checkStage, // commands and URLs
            commit, // the release stands there, verified
            rollBack, // or all of it is undone
          ]
        : [guardStage, planWayBack, approveWhole, rollBack],
    ),
  );
}
