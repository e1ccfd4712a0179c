import type { BackupInput } from '../model/run/snapshot-input';
import type { RunState } from '../model/run/run-state';
import type { Unnamed } from '../model/run/run-input';
import { named } from './run/named';
import { download } from './phases/download';
import { exportGroup } from './phases/export';
import { guardSource } from './phases/guard-source';
import { retention } from './phases/snapshot/retention';
import { snapshot } from './phases/snapshot/snapshot';
import { waitExport } from './phases/wait-export';
import { Run } from './run/run';
import { runToEnd } from './run/run-to-end';

/** Keeps a group's content as a snapshot in the store. Ends with the run's state. */
export async function backup(given: BackupInput | Unnamed<BackupInput>): Promise<RunState> {
  const input = named<BackupInput>(given);
  return await runToEnd(new Run('backup', input), [
    guardSource(input), // everything that must be so; and nothing more where all is as the last snapshot has it
    exportGroup, // the portal puts the group into a package
    waitExport,
    download, // which comes into the store
    snapshot(input), // and is a snapshot once its manifest is written
    retention(input), // then the policy says which earlier ones go
  ]);
}
