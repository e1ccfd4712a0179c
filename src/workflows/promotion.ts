import { approveWhole, planGroups, planWayBack } from './promotion/plans';
import { checkStage } from './promotion/checks';
import { commit, settleStage, guardStage } from './promotion/stage';
import { importGroups } from './promotion/imports';
import { changePortal } from './promotion/portal';
import { PromotionRun } from './promotion/promotion-run';
import { checkResume, whereGroupsAre } from './promotion/parked-promotion';
import { rollBack } from './promotion/rollback';
import { defineRun } from './run/define-run';
import type { Kind } from './run/phase';

const kind: Kind<PromotionRun> = {
  name: 'promotion',
  sides: ['target'],
  parks: true,
  notifies: true,
  verdict: (run) => run.verdict,
  effectOf: (run) => run.came,
  settle: settleStage,
  describeParked: whereGroupsAre,
  suggests: (run) => [`portolan promote rollback ${run.input.route.name} ${run.input.stage}`],
  checkResume,
};

/**
 * Promotes a release to a stage: all groups and portal settings, with one plan and one approval. Or rolls the stage
 * back.
 */
export const promotion = defineRun(kind, PromotionRun, ({ undoes }) =>
  undoes === undefined
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
);
