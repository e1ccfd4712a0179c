import type { BackupInput } from '../model/run/snapshot-input';
import { download } from './phases/download';
import { exportGroup } from './phases/export';
import { guardSource } from './phases/guard-source';
import { retention } from './phases/snapshot/retention';
import { snapshot } from './phases/snapshot/snapshot';
import { waitExport } from './phases/wait-export';
import type { Phase } from './run/phase';
import { defineTransfer } from './transfer/transfer-kind';
import type { TransferRun } from './transfer/transfer-run';

/** Saves a group's content as a snapshot. */
export const backup = defineTransfer(
  {
    name: 'backup',
    sides: ['source'],
    bindsTask: true,
    verdict({ state, facts }) {
      const { snapshot } = state;
      if (!snapshot || snapshot.unchanged) return 'nothing-to-do';
      return facts.shrunk || (facts.notSaved ?? 0) > 0 ? 'partial' : 'succeeded';
    },
  },
  (input: BackupInput) => [
    guardSource(input), // preflight checks; ends the run if nothing changed since the last snapshot
    // the portal exports the group, or its changed items, and the package is downloaded
    ...whereAnythingGoes([exportGroup, waitExport, download]),
    snapshot(input), // the snapshot exists once its manifest is written
    retention(input), // forgets earlier snapshots by policy
  ],
);

/** Skips the export phases if every item of the group is already in the store. */
function whereAnythingGoes(phases: readonly Phase<TransferRun>[]): Phase<TransferRun>[] {
  return phases.map((phase) => ({
    ...phase,
    async run(run) {
      if (run.isUntouched || run.exportedNothing) return { status: 'skipped', detail: 'nothing to export' };
      const end = await phase.run(run);
      // If the portal exports none of the changed items, the unchanged ones still make a snapshot.
      return end.then === 'end' && (run.facts.requested?.same ?? 0) > 0 ? { detail: end.detail } : end;
    },
  }));
}
