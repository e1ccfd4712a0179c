import type { BackupInput } from '../model/run/snapshot-input';
import type { RunState } from '../model/run/run-state';
import type { Unnamed } from '../model/run/run-input';
import { download } from './phases/download';
import { exportGroup } from './phases/export';
import { guardSource } from './phases/guard-source';
import { retention } from './phases/snapshot/retention';
import { snapshot } from './phases/snapshot/snapshot';
import { waitExport } from './phases/wait-export';
import type { Phase } from './run/phase';
import { admitted } from './run/authenticate';
import { runToEnd } from './run/run-to-end';
import { transferKind } from './transfer/transfer-kind';
import { TransferRun } from './transfer/transfer-run';

const kind = transferKind({
  name: 'backup',
  sides: ['source'],
  bindsTask: true,
  verdict({ state, facts }) {
    const { snapshot } = state;
    if (!snapshot || snapshot.unchanged) return 'nothing-to-do';
    return facts.shrunk || (facts.notSaved ?? 0) > 0 ? 'partial' : 'succeeded';
  },
});

/** Keeps a group's content as a snapshot in the store. Ends with the run's state. */
export async function backup(given: BackupInput | Unnamed<BackupInput>): Promise<RunState> {
  const input = await admitted(given);
  return await runToEnd(new TransferRun(kind, input), [
    guardSource(input), // everything that must be so; and nothing more where all is as the last snapshot has it
    // the portal puts the group, or what has changed of it, into a package, which comes into the store
    ...whereAnythingGoes([exportGroup, waitExport, download]),
    snapshot(input), // and is a snapshot once its manifest is written
    retention(input), // then the policy says which earlier ones go
  ]);
}

/** Phases that have nothing to do where all that is left of the group lies in the store as it is. */
const whereAnythingGoes = (phases: readonly Phase<TransferRun>[]): Phase<TransferRun>[] =>
  phases.map((phase) => ({
    ...phase,
    async run(run) {
      if (run.isUntouched || run.exportedNothing) return { status: 'skipped', detail: 'nothing to export' };
      const end = await phase.run(run);
      // Where the portal takes nothing of what has changed, the rest is a snapshot all the same.
      return end.then === 'end' && (run.facts.requested?.same ?? 0) > 0 ? { detail: end.detail } : end;
    },
  }));
