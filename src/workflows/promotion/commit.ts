import { CancellationScope } from '@temporalio/workflow';
import { writing } from '../run/calls';
import { phase, type PhaseEnd } from '../run/phase';
import type { PromotionRun } from './promotion-run';

/** From here on the release stands in the stage, verified. */
export const commit = phase({
  name: 'stage',
  async run(run: PromotionRun): Promise<PhaseEnd> {
    await commitStage(run, 'promoted', 'verified');
    const { release, stage } = run.input;
    return { detail: `${release.id} stands on ${stage}`, then: 'end' };
  },
});

/** Notes what became of the promotion, once. */
export async function commitStage(
  run: PromotionRun,
  kind: 'promoted' | 'rolled-back',
  status: 'verified' | 'failed',
): Promise<void> {
  const { input, groups, portal, answers, state } = run;
  const passed = state.checks?.filter((check) => check.status === 'passed').length;
  await CancellationScope.nonCancellable(() =>
    writing(`what stands on ${input.stage}`).commitPromotion({
      runId: input.runId,
      kind,
      status,
      groups: Object.entries(groups).flatMap(([index, { runId, isWritten }]) =>
        runId === undefined || !isWritten ? [] : [{ index: Number(index), runId }],
      ),
      portal,
      approvedBy: answers.approved?.who,
      reason: run.failure?.message,
      ...(kind === 'promoted' && passed && { checks: passed }),
    }),
  );
  run.isCommitted = true;
}

/** Where one ended half way, the stage holds some of it: that is noted as well, so that it can be undone. */
export async function settleStage(run: PromotionRun): Promise<void> {
  await run.gates.leaveAll();
  if (run.isCommitted) return;
  if (run.input.undoes !== undefined) {
    if (run.hasUndone) await commitStage(run, 'rolled-back', 'failed');
  } else if (run.isWritten) await commitStage(run, 'promoted', 'failed');
}
