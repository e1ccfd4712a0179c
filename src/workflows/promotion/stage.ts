import { sleep, CancellationScope } from '@temporalio/workflow';
import { stageQueue, stageName } from '../../model/release/promotion-input';
import type { PhaseName } from '../../model/run/phase';
import { askedBy } from '../../model/run/policy';
import { reading, writing } from '../run/activity-options';
import type { Phase } from '../run/phase';
import { awaitOpenings, awaitWindowFor } from '../transfer/window';
import type { PromotionRun } from './promotion-run';

/** Waits until no other promotion holds the stage, then checks that the release is eligible. */
export const guardStage: Phase<PromotionRun> = {
  name: 'guard',
  async run(run) {
    const { input } = run;
    await awaitSoak(run);
    await run.portalQueues.enter({ ...input.route.target, ...stageQueue(input) }, 'import');
    const { ruling, detail, warnings } = await reading(
      `stage ${input.stage}`,
      input.route.target.portal,
    ).openPromotion({
      runId: input.runId,
    });
    run.learn({ ruling });
    for (const warning of warnings) run.warn(warning);
    return { detail };
  },
};

/** With --at-soak, waits for the release's soak time in the previous stage. Holds no slot meanwhile. */
async function awaitSoak(run: PromotionRun): Promise<void> {
  const { runId, stage, atSoak } = run.input;
  if (!atSoak) return;
  await awaitOpenings(
    run,
    'guard',
    () => reading(`soak time of ${stage}`).askSoak({ runId }),
    ({ until, why, inMs }) => sleep(inMs, { summary: `until ${until}: ${why}` }),
  );
}

/**
 * Waits for a window of the stage's portal and shows it, unless the promotion has written something since it was
 * last resumed. Returns whether it had to wait.
 */
export async function awaitStageWindow(run: PromotionRun, name: PhaseName): Promise<boolean> {
  const { route, stage } = run.input;
  const asked = askedBy('restore', route, stageName(route.name, stage));
  return await awaitWindowFor(run, name, { ...asked, isApproved: true });
}

/** Makes the release the current one of the stage, verified. */
export const commit: Phase<PromotionRun> = {
  name: 'stage',
  async run(run) {
    await commitStage(run, 'promoted', 'verified');
    const { release, stage } = run.input;
    return { detail: `${release.id} is the current release of ${stage}`, then: 'end' };
  },
};

/** Records the outcome of the promotion for the stage. */
export async function commitStage(
  run: PromotionRun,
  kind: 'promoted' | 'rolled-back',
  status: 'verified' | 'failed',
): Promise<void> {
  const { input, answers, state } = run;
  const { groups, portal } = run.own;
  const passed = state.checks?.filter((check) => check.status === 'passed').length;
  await CancellationScope.nonCancellable(() =>
    writing(`current release of ${input.stage}`, input.route.target.portal).commitPromotion({
      runId: input.runId,
      kind,
      status,
      groups: Object.entries(groups).flatMap(([index, { runId, isWritten }]) =>
        runId === undefined || !isWritten ? [] : [{ index: Number(index), runId }],
      ),
      portal: { settings: portal.settings?.runId, categories: portal.categories?.runId },
      approvedBy: answers.approved?.who,
      reason: run.own.failure?.message,
      ...(kind === 'promoted' && passed && { checks: passed }),
    }),
  );
  run.own.isCommitted = kind === 'rolled-back' || status === 'verified';
}

/** A promotion that ended halfway is recorded too, so that its writes can be rolled back. */
export async function settleStage(run: PromotionRun): Promise<void> {
  const isUndoing = run.input.undoes !== undefined;
  if (!run.own.isCommitted && (isUndoing ? run.hasUndone : run.isWritten))
    await run.attempt(`the current release of ${run.input.stage} could not be recorded`, () =>
      commitStage(run, isUndoing ? 'rolled-back' : 'promoted', 'failed'),
    );
  // Only now, because the next promotion relies on the record.
  await run.portalQueues.leaveAll();
}
