import { PlanNames, planWords } from '../../model/transfer/plan-summary';
import type { PreviewIgnored } from '../../activities/transfer/plan/previews';
import type { Undoing } from '../../activities/transfer/plan/plan-building';
import type { RollbackInput } from '../../model/run/run-input';
import { sweeping, writing } from '../run/activity-options';
import { errorRecordOf, refusal } from '../run/failure';
import { waitForJob } from './portal-job';
import { type PlanSummary } from '../../model/transfer/plan';
import { countOf } from '../../model/text/words';
import { type Facts, requireFact } from '../run/memory';
import type { Phase } from '../run/phase';
import type { TransferRun } from './transfer-run';

/** Requests a preview from the target and makes the plan, including what a rollback does without an import. */
export const preview: Phase<TransferRun> = {
  name: 'preview',
  async run(run) {
    const target = run.need('target');
    const { packages } = run;
    const open = packages.filter(({ isImported }) => !isImported);
    if (open.length > 0) {
      const seen = await writing('preview', target.name).requestPreviews({
        ...run.onTarget,
        packages: open.map((one) => ({ packageIndex: one.index, itemId: requireFact(one, 'onTarget') })),
      });
      if ('started' in seen) return await endIgnoredPreview(run, target, seen);
      for (const [at, one] of open.entries()) one.preview = seen[at];
    }
    const { package: shown } = run.state;
    if (shown) {
      const { sourceVersion = shown.sourceVersion } = packages[0]?.preview ?? {};
      const total = packages.reduce((sum, { preview: each }) => sum + (each?.total ?? 0), 0);
      run.show({ package: { ...shown, itemCount: total || undefined, sourceVersion } });
    }
    const plan = await readPlan(run, target, false);
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
};

/**
 * Handles a target that imported instead of previewing. Waits for the job, which cannot be cancelled, so that cleanup
 * does not delete the package too early. Then ends the run.
 */
async function endIgnoredPreview(
  run: TransferRun,
  target: Facts['target'],
  { packageIndex, started }: PreviewIgnored,
): Promise<never> {
  run.work.begun += 1;
  for (const each of run.packages.slice(0, packageIndex + 1)) each.isPosted = true;
  run.show({ target: 'unknown' });
  run.warn(
    `${target.name} ignored previewOnly and started an import${started.kind === 'job' ? `, job ${started.jobId}` : ''}`,
  );
  let how = 'it finished at once';
  if (started.kind === 'job') {
    how = await waitForJob(run, { ...started, name: 'import', packageIndex }).then(
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
  importsNext: boolean,
): Promise<PlanSummary> {
  const reading = (run.facts.planReading ?? 0) + 1;
  run.learn({ planReading: reading });
  const packages = run.packages.map((one) => ({
    sha256: requireFact(one, 'stored').sha256,
    itemId: requireFact(one, 'onTarget'),
    previewId: one.preview?.previewId,
    total: one.preview?.total,
  }));
  const parts = run.packages.filter(({ isImported }) => isImported).length;
  const planRef = run.facts.plan?.ref;
  const undoing = undoingOf(run);
  const { source, snapshotId } = run.facts;
  const asked = {
    ...run.onTarget,
    reading,
    source,
    snapshotId,
    undoes: run.kind.undoes,
    keepsEditedSince: run.keepsEditedSince,
  };
  const read =
    packages.length > 0
      ? await sweeping('read the plan', target.name).readPlan({
          ...asked,
          packages,
          sourceAddresses: run.sourceAddresses,
          importsNext,
          undoing,
          placementRules: run.placementRules,
          maps: run.maps,
          ...(parts > 0 && planRef !== undefined && { imported: { parts, planRef } }),
        })
      : await sweeping('plan the rollback', target.name).planUndo({
          ...asked,
          undoing: undoing ?? noPackage(),
        });
  const plan = new PlanNames(run.own.planNames).named(read);
  run.learn({ plan });
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
