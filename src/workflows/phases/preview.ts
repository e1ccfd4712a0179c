import { sweeping, writing } from '../calls';
import { have } from '../carried';
import type { PlanSummary } from '../../model/plan';
import type { Phase, PhaseEnd, Run } from '../run';

/** Asks the target what an import would do, and makes the plan of it. */
export const preview: Phase = {
  name: 'preview',
  async run(run): Promise<PhaseEnd> {
    const { route } = run.input;
    const target = have(run.carried, 'target');
    const packageItemId = have(run.carried, 'targetPackage');
    const seen = await writing(`preview on ${target.name}`).requestPreview({ route, target, packageItemId });
    run.carried.preview = seen;
    if (run.state.package) {
      run.state.package = {
        ...run.state.package,
        itemCount: seen.total,
        sourceVersion: seen.sourceVersion ?? run.state.package.sourceVersion,
      };
    }
    const plan = await readPlan(run);
    run.carried.plan = plan;
    run.state.plan = plan;
    if (plan.arrivedLater > 0) {
      run.warn(
        `${plan.arrivedLater} items came into the source group after the run began; they are left for the next run`,
      );
    }
    return {
      detail: `plan ${plan.hash}: ${plan.create} create, ${plan.overwrite} overwrite, ${plan.keep} keep, ${plan.blocked} blocked`,
    };
  },
};

/** Reads the preview and the target once more, as they are now. */
export async function readPlan(run: Run): Promise<PlanSummary> {
  run.carried.planReading += 1;
  return await sweeping('the plan').readPlan({
    runId: run.input.runId,
    reading: run.carried.planReading,
    route: run.route,
    target: have(run.carried, 'target'),
    packageItemId: have(run.carried, 'targetPackage'),
    previewId: run.carried.preview?.previewId,
    packageSha256: have(run.carried, 'package').sha256,
  });
}
