import { CancellationScope } from '@temporalio/workflow';
import { writing } from '../run/activity-options';
import { errorRecordOf } from '../run/failure';
import { phase, type PhaseEnd } from '../run/phase';
import type { PromotionRun } from './promotion-run';

/** Makes the release the current one of the stage, verified. */
export const commit = phase({
  name: 'stage',
  async run(run: PromotionRun): Promise<PhaseEnd> {
    await commitStage(run, 'promoted', 'verified');
    const { release, stage } = run.input;
    return { detail: `${release.id} is the current release of ${stage}`, then: 'end' };
  },
});

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
  try {
    if (run.own.isCommitted || !(isUndoing ? run.hasUndone : run.isWritten)) return;
    await commitStage(run, isUndoing ? 'rolled-back' : 'promoted', 'failed');
  } catch (thrown) {
    const { message } = errorRecordOf(thrown, run.route);
    run.warn(`the current release of ${run.input.stage} could not be recorded: ${message}`);
  } finally {
    // Only now, because the next promotion relies on the record.
    await run.portalQueues.leaveAll();
  }
}
