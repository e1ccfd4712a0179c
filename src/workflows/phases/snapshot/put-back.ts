import { createdCounts } from '../../../model/run/run-state';
import type { RollbackInput } from '../../../model/run/snapshot-input';
import type { PlanSummary } from '../../../model/transfer/plan';
import { planIdentity } from '../../../model/transfer/plan-hash';
import { countOf } from '../../../model/text/words';
import { sweeping } from '../../run/activity-options';
import { recordResults } from '../../transfer/results';
import { recheckGuards } from '../../transfer/guards';
import { known } from '../../run/facts';
import { type Give, phase, type PhaseEnd } from '../../run/phase';
import { placedItems, putPlacementsBack } from '../../transfer/placements';
import { awaitWindow } from '../../transfer/window';
import type { TransferRun } from '../../transfer/transfer-run';
import { readPlan, requireStable } from '../preview';

/** Restores items saved as copies, and handles the items the rolled-back run created. */
export const putBack = ({ parent, deleteCreated }: RollbackInput) =>
  phase({
    name: 'put-back',
    needs: ['target', 'plan'],
    gives: ['notSaved', 'plan', 'planReading', 'approved'],
    async run(run: TransferRun, { target, plan }, give): Promise<PhaseEnd> {
      const { runId } = run.input;
      const details: string[] = [];
      const { snapshotId, approved } = run.facts;
      const hasBegun = run.traces.imports.begun > 0;
      // A rollback with an import has read the plan again, including these rows.
      if (approved !== undefined && !hasBegun) {
        await awaitWindow(run, 'put-back');
        await recheckGuards(run, target);
        const again = await readPlan(run, target, give, false);
        if (planIdentity(again) !== approved) return changedPlan(run, plan, give);
      }
      const { ref: planRef, restore = 0 } = known(run.facts, 'plan');
      const restores = approved !== undefined && restore > 0;
      if (restores && snapshotId !== undefined) {
        run.show({ target: 'changed' });
        run.traces.touchesTarget();
        const { done, differing, notDone } = await sweeping(`copies on ${target.name}`, target.name).putBack({
          runId,
          target,
          snapshotId,
          route: run.ends,
          planRef,
          hasBegun,
          ...(run.keepsEditedSince !== undefined && { keepsEditedSince: run.keepsEditedSince }),
        });
        for (const each of differing) run.warn(each);
        const left = await place(run, snapshotId);
        give({ notSaved: notDone + left });
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
        runId,
        of: parent,
        target,
        route: run.ends,
        remove: deleteCreated ?? false,
        planRef,
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
      give({ notSaved: (run.facts.notSaved ?? 0) + stays });
      run.show({ created, target: removed > 0 ? 'changed' : before });
      if (there > 0) details.push(`${there} created by ${parent} still exist`);
      if (removed > 0) details.push(`${removed} created by ${parent} deleted`);
      if (hasMapped && approved !== undefined)
        details.push(...(await putDocumentsBack(run, parent, give, hasBegun || restores)));
      return { detail: details.join(', ') || 'nothing to restore' };
    },
  });

/** The approved plan has changed: asks for a new approval. */
function changedPlan(run: TransferRun, before: PlanSummary, give: Give<'approved'>): PhaseEnd {
  requireStable(run);
  run.warn(
    `the target changed after the approval: plan ${before.hash} became ${known(run.facts, 'plan').hash}`,
  );
  give({ approved: undefined });
  return { status: 'skipped', detail: 'the plan changed and was not carried out', then: 'approve' };
}

/** Restores the JSON that the rolled-back run mapped, unless a safeguard package has restored it. */
async function putDocumentsBack(
  run: TransferRun,
  parent: string,
  give: Give<'notSaved'>,
  hasBegun: boolean,
): Promise<string[]> {
  const target = known(run.facts, 'target');
  const { done, edited, failed, notDone } = await sweeping(
    `JSON on ${target.name}`,
    target.name,
  ).putDocumentsBack({
    runId: run.input.runId,
    route: run.ends,
    target,
    of: parent,
    planRef: known(run.facts, 'plan').ref,
    hasBegun,
  });
  for (const each of [...edited, ...failed]) run.warn(each);
  give({ notSaved: (run.facts.notSaved ?? 0) + notDone });
  if (done > 0) run.show({ target: 'changed' });
  return done > 0 ? [`the JSON of ${countOf(done, 'item')} restored`] : [];
}

/** Restores the placement of copies. Returns how many differ. */
async function place(run: TransferRun, snapshotId: string): Promise<number> {
  const placed = { placedAsIn: [snapshotId] };
  const { left } = await putPlacementsBack(run, placed, async () => ({
    displaced: await sweeping('placement of copies', run.ends.target.portal).findDisplaced(
      placedItems(run, placed),
    ),
    seen: undefined,
  }));
  return left;
}
