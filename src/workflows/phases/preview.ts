import type { ImportStarted } from '../../activities/transfer/import-watch';
import { sweeping, writing } from '../run/calls';
import { have } from '../run/context';
import { errorRecordOf, refusal } from '../run/failure';
import { waitForJob } from './portal-job';
import type { PlanSummary } from '../../model/transfer/plan';
import type { Phase, PhaseEnd, Run } from '../run/run';

/** Asks the target what an import would do, and makes the plan of it. */
export const preview: Phase = {
  name: 'preview',
  async run(run): Promise<PhaseEnd> {
    const route = run.ends;
    const { runId } = run.input;
    const target = have(run.context, 'target');
    const packageItemId = have(run.context, 'targetPackage');
    const seen = await writing(`preview on ${target.name}`).requestPreview({
      runId,
      route,
      target,
      packageItemId,
    });
    if (seen.kind === 'started') return await unasked(run, seen.started);
    run.context.preview = seen;
    if (run.state.package) {
      run.state.package = {
        ...run.state.package,
        itemCount: seen.total || undefined,
        sourceVersion: seen.sourceVersion ?? run.state.package.sourceVersion,
      };
    }
    const plan = await readPlan(run);
    run.context.plan = plan;
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

/**
 * The target took the preview for an import. What it began cannot be called back: the run waits for its end, so
 * that the package is not removed under it, and ends with all that is known.
 */
async function unasked(run: Run, started: ImportStarted): Promise<never> {
  const target = have(run.context, 'target');
  run.context.importPosted = true;
  run.state.target = 'unknown';
  run.warn(
    `${target.name} does not honour previewOnly: it has started an import${started.kind === 'job' ? `, job ${started.jobId}` : ''}`,
  );
  let how = 'carried it out at once';
  if (started.kind === 'job') {
    how = await waitForJob(run, { name: 'import', side: 'target', started }).then(
      (end) => `its job ended as "${end.status}"`,
      (thrown: unknown) => errorRecordOf(thrown, run.route).message,
    );
  }
  throw refusal(
    'PREVIEW_IGNORED',
    `${target.name} took the request for a preview for an import, without leave to overwrite: ${how}`,
    undefined,
    target.name,
  );
}

/** Reads the preview and the target once more, as they are now. */
export async function readPlan(run: Run): Promise<PlanSummary> {
  run.context.planReading += 1;
  return await sweeping('the plan').readPlan({
    runId: run.input.runId,
    reading: run.context.planReading,
    route: run.ends,
    target: have(run.context, 'target'),
    packageItemId: have(run.context, 'targetPackage'),
    previewId: run.context.preview?.previewId,
    total: run.context.preview?.total,
    packageSha256: have(run.context, 'package').sha256,
  });
}
