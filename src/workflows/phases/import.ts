import { CancellationScope } from '@temporalio/workflow';
import { planIdentity } from '../../model/transfer/plan-hash';
import { countOf } from '../../model/text/words';
import { type Facts, known } from '../run/facts';
import { errorRecordOf, mayHaveBegun } from '../run/failure';
import { writing } from '../run/activity-options';
import { observe } from '../observers/observers';
import { phase, type PhaseEnd } from '../run/phase';
import { lookAtTarget } from '../transfer/results';
import { recheckGuards } from '../transfer/guards';
import { awaitWindow } from '../transfer/window';
import type { RunPackage } from '../transfer/packages';
import type { TransferRun } from '../transfer/transfer-run';
import { readPlan, requireStable } from './preview';

/** Starts the import of exactly the approved plan. A plan that has changed goes back for a new approval. */
export const importGroup = phase({
  name: 'import',
  needs: ['target'],
  gives: ['plan', 'planReading', 'approved', 'ruling'],
  resumesWith: () => 'preview',
  async run(run: TransferRun, { target }, give): Promise<PhaseEnd> {
    const one = known(run, 'toImport');
    await enter(run);
    await recheckGuards(run, target);
    const before = run.facts.approved && run.facts.plan?.hash;
    const plan = await readPlan(run, target, give, true);
    const { approved, safeguarded } = run.facts;
    const identity = planIdentity(plan);
    if (identity !== approved || (plan.overwrite + (plan.restore ?? 0) > 0 && identity !== safeguarded)) {
      requireStable(run);
      run.warn(`the target changed after the approval: plan ${before ?? '?'} became ${plan.hash}`);
      give({ approved: undefined });
      // The new approval may take days, and other runs need the slot.
      await run.portalQueues.leave(run.ends.target, 'import');
      return { status: 'skipped', detail: 'the plan changed and was not imported', then: 'approve' };
    }
    await observe('importing', run);
    try {
      await CancellationScope.nonCancellable(() => post(run, target, one, plan.ref));
    } catch (thrown) {
      if (errorRecordOf(thrown, run.route).code !== 'WINDOW_CLOSED') throw thrown;
      await observe('halted', run);
      const { ruling = { approval: run.route.options.approval, twoPeople: false } } = run.facts;
      give({ ruling: { ...ruling, hasWindows: true } });
      return { status: 'skipped', detail: 'a window closed before the import began', then: 'import' };
    }
    const { length: count } = run.packages;
    const which = count > 1 ? `package ${one.index + 1} of ${count}, of ` : '';
    return { detail: `${which}${countOf(plan.create + plan.overwrite, 'item')}` };
  },
});

/** Waits for a window and a slot. If it had to wait for the slot, checks the window again. */
async function enter(run: TransferRun): Promise<void> {
  let hasStood: boolean;
  do {
    await awaitWindow(run, 'import');
    hasStood = await run.portalQueues.enter(run.ends.target, 'import');
  } while (hasStood && run.facts.ruling?.hasWindows);
}

/** Sends the import. Not cancelled halfway, because a portal job cannot be called back. */
async function post(
  run: TransferRun,
  target: Facts['target'],
  one: RunPackage,
  planRef: string,
): Promise<void> {
  const { traces, ends: route } = run;
  const { index: part } = one;
  const job = { name: 'import', side: 'target', part } as const;
  traces.postsImport();
  run.show({ target: 'unknown', importFailure: undefined });
  traces.opens({ ...job, startedAt: Date.now() });
  try {
    one.importStarted = await writing(`import into ${target.name}`, target.name).startImport({
      runId: run.input.runId,
      route,
      target,
      packageItemId: known(one, 'onTarget'),
      planRef,
      round: traces.imports.round,
      part,
    });
    one.isPosted = true;
    traces.importAnswered(true);
    if (one.importStarted.kind === 'ended') traces.closes(job);
  } catch (thrown) {
    const mayRun = mayHaveBegun(thrown, route);
    one.isPosted ||= mayRun;
    traces.importAnswered(mayRun);
    if (!mayRun) traces.closes(job);
    await lookAtTarget(run, !mayRun);
    throw thrown;
  }
}
