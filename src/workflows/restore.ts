import { CancellationScope } from '@temporalio/workflow';
import type { RestoreInput } from '../model/run/run-input';
import { countOf } from '../model/text/words';
import type { PlacementRules } from '../model/transfer/placement';
import { approve } from './transfer/approve';
import { guardTarget } from './transfer/guards';
import { importGroup, waitImport } from './transfer/import';
import { preview } from './transfer/preview';
import { safeguard } from './transfer/safeguard';
import { upload } from './transfer/upload';
import { verify, lookAtPlacement, putPlacementsBack } from './transfer/verify';
import { sweeping, reading } from './run/activity-options';
import type { Phase } from './run/phase';
import { defineTransfer } from './transfer/transfer-kind';
import type { TransferRun } from './transfer/transfer-run';

/** Replaces URLs and IDs in the imported items by those of the stage, using the run's map. */
const mapImported: Phase<TransferRun> = {
  name: 'map',
  async run(run) {
    const target = run.need('target');
    const { items, places, left } = await sweeping('URLs and IDs', target.name).mapImported(run.onPlan);
    const detail = `${countOf(places, 'place')} in ${countOf(items, 'item')}`;
    return left > 0
      ? { status: 'failed', detail: `${detail}, ${countOf(left, 'item')} not mapped as expected` }
      : { detail };
  },
};

/**
 * Sets owner, folder, sharing, thumbnail and delete protection of created items as in the snapshot. Verification
 * restores those of overwritten items.
 */
const applyPlacement = (right: PlacementRules): Phase<TransferRun> => ({
  name: 'put-right',
  async run(run) {
    const target = run.need('target');
    const snapshotId = run.need('snapshotId');
    const { onPlan } = run;
    const created = reading('items created', target.name);
    const asked = { ...onPlan, snapshotId, placementRules: right };
    const { items, inFolders, unshared } = await created.arrangeCreated(asked);
    for (const each of unshared) run.warn(each);
    if (items === 0) return { status: 'skipped', detail: 'nothing was created' };
    const placed = { arranged: true, planRef: onPlan.planRef };
    let made = 0;
    if (inFolders > 0) {
      const folders = await sweeping('folders', target.name).makeFolders(onPlan);
      for (const each of folders.differing) run.warn(each);
      made = folders.made;
    }
    try {
      const { putBack } = await putPlacementsBack(run, placed, lookAtPlacement(run, placed, 'created items'));
      const folders = made > 0 ? `, ${countOf(made, 'folder')} created` : '';
      return { detail: `placement set for ${putBack} of ${countOf(items, 'created item')}${folders}` };
    } finally {
      // Recorded even if the phase stops halfway, so that a later rollback recognizes the items.
      await CancellationScope.nonCancellable(() => created.noteArranged(run.onTarget));
    }
  },
});

/** Restores a snapshot into a group: a sync whose package is already in the store. */
export const restore = defineTransfer(
  { name: 'restore', sides: ['target'] },
  ({ snapshotId, map, placementRules: right }: RestoreInput) => [
    guardTarget({ snapshotId, purpose: 'restore', placementRules: right }),
    upload,
    preview,
    approve,
    safeguard,
    importGroup,
    waitImport,
    ...(map ? [mapImported] : []), // URLs and IDs that differ on the stage
    ...(right ? [applyPlacement(right)] : []), // placement of created items, which an import does not carry
    verify,
  ],
);
