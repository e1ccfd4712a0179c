import type { ImportStarted } from '../../activities/transfer/import-watch';
import { sweeping, writing } from '../run/calls';
import { errorRecordOf, refusal } from '../run/failure';
import { waitForJob } from '../transfer/portal-job';
import type { PlanSummary } from '../../model/transfer/plan';
import { type Facts, known } from '../run/facts';
import { type Give, phase, type PhaseEnd } from '../run/phase';
import type { TransferRun } from '../transfer/transfer-run';

/** Asks the target what an import would do, and makes the plan of it. */
export const preview = phase({
  name: 'preview',
  needs: ['target', 'targetPackage', 'package'],
  gives: ['preview', 'plan', 'planReading'],
  async run(run: TransferRun, found, give): Promise<PhaseEnd> {
    const route = run.ends;
    const { runId } = run.input;
    const { target } = found;
    const { packages } = run;
    const asked = packages.remaining.flatMap(({ index, onTarget }) =>
      onTarget === undefined ? [] : [{ index, packageItemId: onTarget }],
    );
    const groups = run.sharesSteps ? [asked] : asked.map((each) => [each]);
    for (const [first, ...others] of groups) {
      if (!first) continue;
      const seen = await writing(`preview on ${target.name}`).requestPreview({
        runId,
        route,
        target,
        packageItemId: first.packageItemId,
        ...(others.length > 0 && { further: others.map(({ packageItemId }) => packageItemId) }),
      });
      if (seen.kind === 'started') return await unasked(run, target, seen.started);
      const { further = [], ...own } = seen;
      for (const [at, preview] of [own, ...further].entries()) {
        const { index } = [first, ...others][at] ?? first;
        packages.note(index, { preview });
        if (index === packages.index) give({ preview });
      }
    }
    const { package: shown } = run.state;
    if (shown) {
      const { sourceVersion = shown.sourceVersion } = known(run.facts, 'preview');
      const total = packages.list.reduce((sum, { preview: each }) => sum + (each?.total ?? 0), 0);
      run.show({ package: { ...shown, itemCount: total || undefined, sourceVersion } });
    }
    const plan = await readPlan(run, target, give, false);
    // A snapshot's packages may hold what the snapshot does not: what had left the group by then.
    if (plan.arrivedLater > 0 && run.facts.snapshotId === undefined) {
      run.warn(
        `${plan.arrivedLater} items came into the source group after the run began; they are left for the next run`,
      );
    }
    return {
      detail: `plan ${plan.hash}: ${plan.create} create, ${plan.overwrite} overwrite, ${plan.keep} keep, ${plan.blocked} blocked`,
    };
  },
});

/**
 * The target took the preview for an import. What it began cannot be called back: the run waits for its end, so
 * that the package is not removed under it, and ends with all that is known.
 */
async function unasked(run: TransferRun, target: Facts['target'], started: ImportStarted): Promise<never> {
  run.traces.postsImport();
  run.show({ target: 'unknown' });
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

/** Reads the previews and the target once more, as they are now. @param importsNext an import follows at once */
export async function readPlan(
  run: TransferRun,
  target: Facts['target'],
  give: Give<'plan' | 'planReading'>,
  importsNext: boolean,
): Promise<PlanSummary> {
  const reading = (run.facts.planReading ?? 0) + 1;
  give({ planReading: reading });
  const { list, index } = run.packages;
  const [first, ...further] = list.map(({ stored, onTarget, preview: seen }) => ({
    packageItemId: onTarget ?? '',
    previewId: seen?.previewId,
    total: seen?.total,
    packageSha256: stored?.sha256 ?? '',
  }));
  if (!first) throw refusal('INTERNAL', 'there is no package to be planned');
  const planRef = run.facts.plan?.ref;
  const read = await sweeping('the plan').readPlan({
    runId: run.input.runId,
    reading,
    route: run.ends,
    target,
    ...first,
    ...{ undoes: run.kind.undoes, importsNext },
    ...(run.putRight && { putRight: run.putRight }),
    ...(run.keepsEditedSince !== undefined && { keepsEditedSince: run.keepsEditedSince }),
    ...(run.maps && { maps: true }),
    ...(further.length > 0 && { further }),
    ...(index > 0 && planRef !== undefined && { imported: { parts: index, planRef } }),
  });
  const plan = run.planNames.named(read);
  give({ plan });
  run.show({ plan });
  return plan;
}
