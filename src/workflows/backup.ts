import type { BackupInput } from '../model/run/snapshot-input';
import type { RunState } from '../model/run/run-state';
import type { Unnamed } from '../model/run/run-input';
import { download } from './phases/download';
import { exportGroup } from './phases/export';
import { guardSource } from './phases/guard-source';
import { retention } from './phases/snapshot/retention';
import { snapshot } from './phases/snapshot/snapshot';
import { waitExport } from './phases/wait-export';
import { admitted } from './run/admission';
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
    exportGroup, // the portal puts the group into a package
    waitExport,
    download, // which comes into the store
    snapshot(input), // and is a snapshot once its manifest is written
    retention(input), // then the policy says which earlier ones go
  ]);
}
