import { askedBy } from '../model/run/policy';
import { createdCounts } from '../model/run/run-state';
import type { RollbackInput } from '../model/run/run-input';
import { countOf } from '../model/text/words';
import { guardSteps } from '../model/transfer/guard-steps';
import type { PlanSummary } from '../model/transfer/plan';
import { approve } from './transfer/approve';
import { guardTarget, lookAtPortals, promotedTo, walkGuards, recheckGuards } from './transfer/guards';
import { importGroup, waitImport } from './transfer/import';
import { readPlan, requireStable, preview } from './transfer/preview';
import { safeguard } from './transfer/safeguard';
import { upload } from './transfer/upload';
import { verify, lookAtPlacement, putPlacementsBack } from './transfer/verify';
import { reading, sweeping } from './run/activity-options';
import { type Phase, type PhaseEnd, unless } from './run/phase';
import { recordResults } from './transfer/results';
import { defineTransfer } from './transfer/transfer-kind';
import type { TransferRun } from './transfer/transfer-run';
import { awaitWindow } from './transfer/window';

/** Checks that a run without a safeguard overwrote nothing. */
const nothingOverwritten = ({ parent, deleteCreated }: RollbackInput): Phase<TransferRun> => ({
  name: 'guard',
  async run(run) {
    await walkGuards(run, guardSteps.rollback, {
      portals: () => {
        const asked = deleteCreated ? askedBy('restore', run.fullRoute, promotedTo(run)) : undefined;
        return lookAtPortals(run, asked);
      },
      record: async () => ({
        results: await reading(`items ${parent} overwrote`).checkOverwritten({ of: parent }),
      }),
    });
    run.recordGroupTitles({ source: run.state.route.target?.groupTitle });
    return { detail: `${parent} overwrote nothing` };
  },
});

/** Restores items saved as copies, and handles the items the rolled-back run created. */
const putBack = ({ parent, deleteCreated }: RollbackInput): Phase<TransferRun> => ({
  name: 'put-back',
  async run(run) {
    const target = run.need('target');
    const plan = run.need('plan');
    const details: string[] = [];
    const { snapshotId, approved } = run.facts;
    const hasBegun = run.work.begun > 0;
    // A rollback with an import has read the plan again, including these rows.
    if (approved !== undefined && !hasBegun) {
      await awaitWindow(run, 'put-back');
      await recheckGuards(run, target);
      const again = await readPlan(run, target, false);
      if (again.sha256 !== approved) return changedPlan(run, plan);
    }
    const { onPlan } = run;
    const { restore = 0 } = run.need('plan');
    const restores = approved !== undefined && restore > 0;
    if (restores && snapshotId !== undefined) {
      run.show({ target: 'changed' });
      run.work.isOnTarget = true;
      const { done, differing, notDone } = await sweeping('copies', target.name).putBack({
        ...onPlan,
        snapshotId,
        hasBegun,
        keepsEditedSince: run.keepsEditedSince,
      });
      for (const each of differing) run.warn(each);
      const left = await place(run, snapshotId);
      run.learn({ notSaved: notDone + left });
      details.push(`${done} restored`);
      await recordResults(run);
    }
    const before = run.state.target;
    // A call that fails may have deleted some items already.
    if (deleteCreated && before === 'untouched') run.show({ target: 'unknown' });
    const {
      isUnknown,
      why,
      folders = [],
      hasMapped,
      ...created
    } = await sweeping(`items created by ${parent}`, target.name).handleCreated({
      ...onPlan,
      of: parent,
      remove: deleteCreated ?? false,
      hasBegun: hasBegun || restores,
    });
    for (const each of folders) run.warn(each);
    const { removed, there } = createdCounts(created);
    if (isUnknown)
      run.warn(
        why === undefined
          ? `${parent} ended before it recorded what it created; check its plan: portolan run show ${parent} --plan`
          : `Portolan cannot tell what ${parent} created: ${why}`,
      );
    // All of them should be deleted, so any that remain make the run partial.
    const stays = deleteCreated ? there + folders.length + (isUnknown ? 1 : 0) : 0;
    run.learn({ notSaved: (run.facts.notSaved ?? 0) + stays });
    run.show({ created, target: removed > 0 ? 'changed' : before });
    if (there > 0) details.push(`${there} created by ${parent} still exist`);
    if (removed > 0) details.push(`${removed} created by ${parent} deleted`);
    if (hasMapped && approved !== undefined)
      details.push(...(await putDocumentsBack(run, parent, hasBegun || restores)));
    return { detail: details.join(', ') || 'nothing to restore' };
  },
});

/** The approved plan has changed: asks for a new approval. */
function changedPlan(run: TransferRun, before: PlanSummary): PhaseEnd {
  requireStable(run);
  run.warn(`the target changed after the approval: plan ${before.hash} became ${run.need('plan').hash}`);
  run.learn({ approved: undefined });
  return { status: 'skipped', detail: 'the plan changed and was not carried out', then: 'approve' };
}

/** Restores the JSON that the rolled-back run mapped, unless a safeguard package has restored it. */
async function putDocumentsBack(run: TransferRun, parent: string, hasBegun: boolean): Promise<string[]> {
  const target = run.need('target');
  const { done, edited, failed, notDone } = await sweeping('JSON', target.name).putDocumentsBack({
    ...run.onPlan,
    of: parent,
    hasBegun,
  });
  for (const each of [...edited, ...failed]) run.warn(each);
  run.learn({ notSaved: (run.facts.notSaved ?? 0) + notDone });
  if (done > 0) run.show({ target: 'changed' });
  return done > 0 ? [`the JSON of ${countOf(done, 'item')} restored`] : [];
}

/** Restores the placement of copies. Returns how many differ. */
async function place(run: TransferRun, snapshotId: string): Promise<number> {
  const placed = { placedAsIn: [snapshotId] };
  return (await putPlacementsBack(run, placed, lookAtPlacement(run, placed, 'copies'))).left;
}

/** Restores what a run overwrote, from its safeguard, and reports or deletes what it created. */
export const rollback = defineTransfer(
  {
    name: 'rollback',
    sides: ['target'],
    undoes: true,
    effectOf: ({ state }) => (state.status === 'succeeded' ? 'rolled-back' : undefined),
  },
  (input: RollbackInput) => [
    ...(input.snapshotId === undefined ? [nothingOverwritten(input)] : restored(input.snapshotId)),
    preview, // one plan: imports, restored copies and deletions
    approve,
    safeguard, // saves what is about to be overwritten, so that the rollback can be rolled back
    ...[importGroup, waitImport, verify], // the safeguard's package
    putBack(input), // the safeguard's copies, item by item
  ],
);

const restored = (snapshotId: string): Phase<TransferRun>[] => [
  guardTarget({ snapshotId, purpose: 'restore' }),
  ...unless(({ packages }) => (packages.length > 0 ? undefined : 'no package'), [upload]),
];
