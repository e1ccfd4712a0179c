import { CancellationScope } from '@temporalio/workflow';
import { showBanner } from '../run/banner';
import { writing } from '../run/calls';
import { have } from '../run/context';
import { errorRecordOf, mayHaveBegun, refusal } from '../run/failure';
import { enter, leave } from '../gate/gates';
import { lookAtTarget } from './ledger';
import { noteOpen, noteOver } from './portal-job';
import { readPlan } from './preview';
import type { Phase, PhaseEnd, Run } from '../run/run';

/** So often an unattended plan is made anew when the target changes under it. */
const READINGS_MAX = 10;

const gate = { side: 'target', direction: 'import' } as const;
const job = { name: 'import', side: 'target' } as const;

/** Starts the import of exactly what was approved: a plan that changed meanwhile goes back for a new yes. */
export const importGroup: Phase = {
  name: 'import',
  async run(run): Promise<PhaseEnd> {
    await enter(run, gate);
    const plan = await readPlan(run);
    run.context.plan = plan;
    run.state.plan = plan;
    if (plan.hash !== run.context.approved || (plan.overwrite > 0 && plan.hash !== run.context.safeguarded)) {
      if (run.context.planReading >= READINGS_MAX) {
        throw refusal(
          'PLAN_UNSTABLE',
          `the plan changed ${READINGS_MAX} times between its approval and the import`,
        );
      }
      run.warn(
        `the target changed after the approval: plan ${run.context.approved ?? '?'} became ${plan.hash}`,
      );
      run.context.approved = undefined;
      // The yes to the new plan may take days, and others want to import meanwhile.
      await leave(run, gate);
      return { status: 'skipped', detail: 'the plan changed and was not imported', then: 'approve' };
    }
    await showBanner(run);
    await CancellationScope.nonCancellable(() => post(run, plan.ref));
    return { detail: `${plan.create + plan.overwrite} items` };
  },
};

/** From here on only the portal ends what it began: the start is not given up half way. */
async function post(run: Run, planRef: string): Promise<void> {
  const { context, ends: route } = run;
  const target = have(context, 'target');
  context.importPosted = true;
  context.importOver = false;
  run.state.target = 'unknown';
  noteOpen(run, { ...job, startedAt: Date.now() });
  try {
    context.importStarted = await writing(`import into ${target.name}`).startImport({
      runId: run.input.runId,
      route,
      target,
      packageItemId: have(context, 'targetPackage'),
      planRef,
      round: context.importRound > 1 ? context.importRound : undefined,
    });
    context.importsBegun += 1;
    if (context.importStarted.kind === 'ended') noteOver(run, job);
  } catch (thrown) {
    const mayRun = mayHaveBegun(thrown, route);
    if (mayRun) context.importsBegun += 1;
    else noteOver(run, job);
    context.importPosted = context.importsBegun > 0;
    // An earlier version left what is undecided unseen, and its runs replay.
    const isDecided = errorRecordOf(thrown, route).code !== 'IMPORT_UNDECIDED';
    if (run.operators || isDecided) await lookAtTarget(run, !mayRun);
    throw thrown;
  }
}
