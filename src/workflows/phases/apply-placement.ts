import { CancellationScope } from '@temporalio/workflow';
import type { PutRight } from '../../model/transfer/apply-placement';
import { reading, sweeping } from '../run/activity-options';
import { phase, type PhaseEnd } from '../run/phase';
import { placedItems, putPlacementsBack } from '../transfer/placements';
import type { TransferRun } from '../transfer/transfer-run';

/**
 * Brings what the run created to stand as the snapshot says that it stood: owner, folder, sharing, picture, protection.
 * What existed is left to the verification, which keeps it as it was.
 */
export const putRight = (right: PutRight) =>
  phase({
    name: 'put-right',
    needs: ['target', 'plan', 'snapshotId'],
    async run(run: TransferRun, { target, plan, snapshotId }): Promise<PhaseEnd> {
      const ends = { runId: run.input.runId, route: run.ends, target };
      const created = reading('created items', target.name);
      const planRef = plan.ref;
      const asked = { ...ends, planRef, snapshotId, putRight: right };
      const { items, inFolders } = await created.arrangeCreated(asked);
      if (items === 0) return { status: 'skipped', detail: 'nothing was created' };
      const placed = { arranged: true, planRef };
      let made = 0;
      if (inFolders > 0) {
        const folders = await sweeping('folders', target.name).makeFolders({ ...ends, planRef });
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
        const folders = made > 0 ? `, ${made} folders created` : '';
        return { detail: `placement set for ${putBack} of ${items} created items${folders}` };
      } finally {
        // Who undoes the run is to know its items again, also where it was stopped half way.
        await CancellationScope.nonCancellable(() => created.noteArranged(ends));
      }
    },
  });
