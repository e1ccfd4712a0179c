import type { PromotionInput } from '../model/release/promotion-input';
import type { PhaseName } from '../model/run/phase';
import type { RouteChange } from '../model/run/run';
import { listFirst } from '../model/text/words';
import { checkStage } from './promotion/checks';
import { importGroups } from './promotion/groups';
import { approveWhole, planGroups, planWayBack } from './promotion/plans';
import { changePortal } from './promotion/portal';
import { type PortalProgress, PromotionRun } from './promotion/promotion-run';
import { rollBack } from './promotion/rollback';
import { commit, settleStage, guardStage } from './promotion/stage';
import { defineRun } from './run/define-run';
import { refuse } from './run/failure';
import type { AcceptedResume, Kind } from './run/phase';

const kind: Kind<PromotionRun> = {
  name: 'promotion',
  parks: true,
  notifies: true,
  first: () => ({ groups: {}, portal: {}, parts: 0, left: 0, isCommitted: false }),
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
export const promotion = defineRun<PromotionInput, PromotionRun>(kind, PromotionRun, ({ undoes }) =>
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

const words = {
  imported: 'as in the release',
  unclear: 'neither as in the release nor as before',
  back: 'as before',
} as const;

/** The state of each group. */
function whereGroupsAre(run: PromotionRun): Promise<{ evidence: string[]; held: string[] }> {
  const { input } = run;
  const { groups, portal } = run.own;
  const evidence = input.groups.map(({ name }, index) => {
    const { stands, runId } = groups[index] ?? {};
    const by = runId === undefined ? '' : `: portolan run show ${runId}`;
    return `group ${name} is ${stands === undefined ? words.back : words[stands]}${by}`;
  });
  for (const each of ['settings', 'categories'] as const)
    if (input[each]) evidence.push(`${each}: ${portalWords(portal[each])}`);
  return Promise.resolve({
    evidence: listFirst(evidence, LINES_MAX),
    held: [`stage ${input.stage}: blocked for other promotions`],
  });
}

function portalWords(change: PortalProgress['settings']): string {
  if (!change) return words.back;
  return change.isWhole ? words.imported : words.unclear;
}

const LINES_MAX = 30;

/** A promotion resumes as it was started; groups not yet imported are planned again. */
function checkResume(_run: PromotionRun, set: RouteChange, phase: PhaseName): Promise<AcceptedResume> {
  if (Object.keys(set).length > 0)
    throw refuse('a promotion takes no --set; correct the run of the group, or start another promotion');
  return Promise.resolve({ phase });
}
