import { CancellationScope } from '@temporalio/workflow';
import { writing } from '../calls';
import { have } from '../carried';
import { errorRecordOf, refusal } from '../failure';
import { lookAtTarget } from '../ledger';
import { readPlan } from './preview';
import type { Phase, PhaseEnd } from '../run';

/** So often an unattended plan is made anew when the target changes under it. */
const READINGS_MAX = 10;

/** Starts the import of exactly what was approved: a plan that changed meanwhile goes back for a new yes. */
export const importGroup: Phase = {
  name: 'import',
  async run(run): Promise<PhaseEnd> {
    const { runId, route } = run.input;
    const target = have(run.carried, 'target');
    const packageItemId = have(run.carried, 'targetPackage');
    const plan = await readPlan(run);
    run.carried.plan = plan;
    run.state.plan = plan;
    if (plan.hash !== run.carried.approved || (plan.overwrite > 0 && plan.hash !== run.carried.safeguarded)) {
      if (run.carried.planReading >= READINGS_MAX) {
        throw refusal(
          'PLAN_UNSTABLE',
          `the plan changed ${READINGS_MAX} times between its approval and the import`,
        );
      }
      run.warn(
        `the target changed after the approval: plan ${run.carried.approved ?? '?'} became ${plan.hash}`,
      );
      run.carried.approved = undefined;
      return { status: 'skipped', detail: 'the plan changed and was not imported', then: 'approve' };
    }
    // From here on only the portal ends what it began: the start is not given up half way.
    run.carried.importPosted = true;
    run.state.target = 'unknown';
    await CancellationScope.nonCancellable(async () => {
      try {
        const start = writing(`import into ${target.name}`).startImport;
        run.carried.importStarted = await start({ runId, route, target, packageItemId, planRef: plan.ref });
      } catch (thrown) {
        // Nobody knows what an undecided one will still do; one that was refused can be looked at.
        if (errorRecordOf(thrown, route).code !== 'IMPORT_UNDECIDED') await lookAtTarget(run);
        throw thrown;
      }
    });
    return { detail: `${plan.create + plan.overwrite} items` };
  },
};
