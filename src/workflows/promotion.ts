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
 * Promotes a release to a stage: all groups and portal settings, with one plan and one approval. Or rolls the stage
 * back.
 *
 * @param before progress of the execution it continues
 */
export async function promotion(given: PromotionInput, before?: Progress): Promise<RunState> {
  const input = await admitted(given);
  // Progress is not signed, so a starter could claim any; only a continued execution may have some.
  const isContinued = workflowInfo().continuedFromExecutionRunId !== undefined;
  const run = new PromotionRun(kind, input, isContinued ? before : undefined);
  return await runToEnd(
    run,
    run.continued(
      input.undoes === undefined
        ? [
            guardStage, // waits for its turn and checks that the release is eligible
            planGroups, // plans every group before anything is written
            approveWhole, // one approval for all of it
            importGroups, // one child run each, in order
            changePortal, // settings and categories
            checkStage, // commands and URLs
            commit, // the release becomes the current one
            rollBack, // or everything is rolled back
          ]
        : [guardStage, planWayBack, approveWhole, rollBack],
    ),
  );
}
