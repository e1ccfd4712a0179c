import { CancellationScope } from '@temporalio/workflow';
import type { PutRight } from '../../model/transfer/apply-placement';
import { countOf } from '../../model/text/words';
import { reading, sweeping } from '../run/activity-options';
import { phase, type PhaseEnd } from '../run/phase';
import { placedItems, putPlacementsBack } from '../transfer/placements';
import type { TransferRun } from '../transfer/transfer-run';

/**
 * Sets owner, folder, sharing, thumbnail and delete protection of created items as in the snapshot. Verification
 * restores those of overwritten items.
 */
export const putRight = (right: PutRight) =>
  phase({
    name: 'put-right',
    needs: ['target', 'plan', 'snapshotId'],
    async run(run: TransferRun, { target, plan, snapshotId }): Promise<PhaseEnd> {
      const ends = { runId: run.input.runId, route: run.ends, target };
      const created = reading(`items created on ${target.name}`, target.name);
      const planRef = plan.ref;
      const asked = { ...ends, planRef, snapshotId, putRight: right };
      const { items, inFolders } = await created.arrangeCreated(asked);
      if (items === 0) return { status: 'skipped', detail: 'nothing was created' };
      const placed = { arranged: true, planRef };
      let made = 0;
      if (inFolders > 0) {
        const folders = await sweeping(`folders on ${target.name}`, target.name).makeFolders({
          ...ends,
          planRef,
        });
        for (const each of folders.differing) run.warn(each);
        made = folders.made;
      }
      try {
        const { putBack } = await putPlacementsBack(run, placed, async () => ({
          displaced: await sweeping('placement of created items', target.name).findDisplaced(
            placedItems(run, placed),
          ),
          seen: undefined,
        }));
        const folders = made > 0 ? `, ${countOf(made, 'folder')} created` : '';
        return { detail: `placement set for ${putBack} of ${countOf(items, 'created item')}${folders}` };
      } finally {
        // Recorded even if the phase stops halfway, so that a later rollback recognizes the items.
        await CancellationScope.nonCancellable(() => created.noteArranged(ends));
      }
    },
  });
