import type { ImportStarted } from '../../activities/transfer/import-watch';
import type { Undoing } from '../../activities/transfer/plan/undo-rows';
import type { RollbackInput } from '../../model/run/snapshot-input';
import { sweeping, writing } from '../run/activity-options';
import { errorRecordOf, refusal } from '../run/failure';
import { waitForJob } from '../transfer/portal-job';
import type { PlanSummary } from '../../model/transfer/plan';
import { planWords } from '../../model/transfer/plan-figures';
import { countOf } from '../../model/text/words';
import { type Facts, known } from '../run/facts';
import { type Give, phase, type PhaseEnd } from '../run/phase';
import type { TransferRun } from '../transfer/transfer-run';

/** Requests a preview from the target and makes the plan, including what a rollback does without an import. */
export const preview = phase({
  name: 'preview',
  needs: ['target'],
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
      const seen = await writing(`preview on ${target.name}`, target.name).requestPreview({
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
    // A snapshot's packages may hold items that had already left the group, which is no news.
    if (plan.arrivedLater > 0 && run.facts.snapshotId === undefined) {
      run.warn(
        `${countOf(plan.arrivedLater, 'item was', 'items were')} added to the source group after the run began and left for the next run`,
      );
    }
    return {
      detail: planWords(plan),
    };
  },
});

/**
 * Handles a target that imported instead of previewing. Waits for the job, which cannot be cancelled, so that cleanup
 * does not delete the package too early. Then ends the run.
 */
async function unasked(run: TransferRun, target: Facts['target'], started: ImportStarted): Promise<never> {
  run.traces.postsImport();
  run.show({ target: 'unknown' });
  run.warn(
    `${target.name} ignored previewOnly and started an import${started.kind === 'job' ? `, job ${started.jobId}` : ''}`,
  );
  let how = 'it finished at once';
  if (started.kind === 'job') {
    how = await waitForJob(run, { name: 'import', side: 'target', started }).then(
      (end) => `its job ended as "${end.status}"`,
      (thrown: unknown) => errorRecordOf(thrown, run.route).message,
    );
  }
  throw refusal(
    'PREVIEW_IGNORED',
    `${target.name} imported instead of previewing, without overwriting: ${how}`,
    undefined,
    target.name,
  );
}

/** How often an unattended plan is made again if the target keeps changing. */
const READINGS_MAX = 10;

/** Call before reading a plan again that changed after its approval. Throws PLAN_UNSTABLE. */
export function requireStable({ facts }: TransferRun): void {
  if ((facts.planReading ?? 0) < READINGS_MAX) return;
  throw refusal(
    'PLAN_UNSTABLE',
    `the plan changed ${READINGS_MAX} times between its approval and the first write`,
  );
}

/** Makes the plan from the previews and the target's current state. @param importsNext an import follows at once */
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
  const planRef = run.facts.plan?.ref;
  const undoing = undoingOf(run);
  const asked = {
    ...{ runId: run.input.runId, reading, route: run.ends, target },
    ...(run.keepsEditedSince !== undefined && { keepsEditedSince: run.keepsEditedSince }),
  };
  const read = first
    ? await sweeping('read the plan', target.name).readPlan({
        ...asked,
        ...first,
        ...{ undoes: run.kind.undoes, importsNext },
        ...(undoing && { undoing }),
        ...(run.putRight && { putRight: run.putRight }),
        ...(run.maps && { maps: true }),
        ...(further.length > 0 && { further }),
        ...(index > 0 && planRef !== undefined && { imported: { parts: index, planRef } }),
      })
    : await sweeping('plan the rollback', target.name).planUndo({
        ...asked,
        undoing: undoing ?? noPackage(),
      });
  const plan = run.planNames.named(read);
  give({ plan });
  run.show({ plan });
  return plan;
}

const noPackage = (): never => {
  throw refusal('INTERNAL', 'no package to plan');
};

/** What a rollback does besides its import; undefined for other runs. */
function undoingOf({ kind, input, facts }: TransferRun): Undoing | undefined {
  if (!kind.undoes) return undefined;
  const { parent: of, deleteCreated: remove } = input as RollbackInput;
  return { of, remove, ...(facts.copies && { copiesOf: facts.snapshotId }) };
}
