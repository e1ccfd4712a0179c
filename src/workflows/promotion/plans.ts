import { planWords } from '../../model/transfer/plan-summary';
import type { ErrorRecord } from '../../model/run/run';
import { type PlanSummary } from '../../model/transfer/plan';
import { listFirst } from '../../model/text/words';
import { requireApproval } from '../transfer/approve';
import { sweeping } from '../run/activity-options';
import { eachChild } from '../run/child-runs';
import type { Phase, PhaseEnd } from '../run/phase';
import { importConcurrency, runGroup, undoGroup, WARNINGS_SHOWN } from './groups';
import type { PromotionRun } from './promotion-run';

/**
 * Plans each group in a child run that imports nothing, and joins their plans for approval. If a group cannot be
 * planned, or an item is blocked, nothing is written to any group.
 */
export const planGroups: Phase<PromotionRun> = {
  name: 'plan',
  async run(run) {
    const { input } = run;
    run.memory.hasWaited = false;
    const indices = [...input.groups.keys()].filter((index) => run.own.groups[index]?.stands !== 'imported');
    // Plans of an earlier phase are out of date.
    if (!run.isHalfway) for (const index of indices) run.noteGroup(index, { planned: undefined });
    await clearHalves(run, indices);
    const open = indices.filter((index) => run.own.groups[index]?.planned === undefined);
    const error = await eachChild(run, open, importConcurrency(run), (index) => planGroup(run, index));
    if (error) return { error, status: 'failed' };
    const planReading = (run.facts.planReading ?? 0) + 1;
    run.learn({ planReading });
    const { plan, changes } = await sweeping('join the plans', input.route.target.portal).joinPlans({
      runId: input.runId,
      reading: planReading,
      planned: [...input.groups.keys()].flatMap((index) => {
        const { planned } = run.own.groups[index] ?? {};
        return planned ? [{ index, ref: planned.ref }] : [];
      }),
    });
    return showPlan(run, plan, changes);
  },
};

/**
 * Rolls back groups that were only partly imported. Each group then has one import, whose safeguard holds its state
 * before the promotion.
 */
async function clearHalves(run: PromotionRun, indices: readonly number[]): Promise<void> {
  const halves = indices.filter(
    (index) => run.own.groups[index]?.isWritten && run.own.groups[index]?.stands !== 'back',
  );
  await eachChild(run, halves, 1, async (index) => {
    await undoGroup(run, index);
    run.noteGroup(index, { stands: 'back', isWritten: false });
  });
}

/** Plans the rollback of a promotion, group by group, including portal changes. */
export const planWayBack: Phase<PromotionRun> = {
  name: 'plan',
  async run(run) {
    const { runId } = run.input;
    const { plan, changes, undone, undoes, portal, warnings } = await sweeping(
      'plan the rollback',
      run.input.route.target.portal,
    ).planWayBack({
      runId,
    });
    run.show({ undoes });
    for (const each of listFirst(warnings, WARNINGS_SHOWN)) run.warn(each);
    for (const { index, ...progress } of undone)
      run.noteGroup(index, { ...progress, isWritten: true, stands: 'imported' });
    const changed = (by?: string) => (by === undefined ? undefined : { runId: by, isWhole: true });
    run.own.portal = { settings: changed(portal.settings), categories: changed(portal.categories) };
    return showPlan(run, plan, changes);
  },
};

function showPlan(run: PromotionRun, plan: PlanSummary, changes: PromotionRun['state']['changes']): PhaseEnd {
  run.learn({ plan });
  run.show({ plan, ...(changes && changes.length > 0 && { changes }) });
  return { detail: planWords(plan) };
}

/** Plans one group. @returns why the promotion is impossible */
async function planGroup(run: PromotionRun, index: number): Promise<ErrorRecord | undefined> {
  const { state, error } = await runGroup(run, 'plan', { index });
  const { name = '' } = run.input.groups[index] ?? {};
  if (error) return { ...error, message: `group "${name}": ${error.message}` };
  const { plan } = state;
  if (!plan) return undefined;
  run.noteGroup(index, { planned: { ref: plan.ref, sha256: plan.sha256 } });
  return undefined;
}

/** Asks for one approval of all groups and portal changes. */
export const approveWhole: Phase<PromotionRun> = {
  name: 'approve',
  isQuiet: () => true,
  // The target may have changed.
  resumesWith: () => 'plan',
  async run(run) {
    const plan = run.need('plan');
    if (run.route.options.planOnly) return { detail: 'plan only', status: 'skipped', then: 'end' };
    const end = await requireApproval(run, plan);
    // The stage may have changed while waiting, so it is planned again. A different plan needs a new approval.
    return run.memory.hasWaited && run.input.undoes === undefined ? { ...end, then: 'plan' } : end;
  },
};
