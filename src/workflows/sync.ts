import type { RunState } from '../model/run/run-state';
import type { SyncInput, Unnamed } from '../model/run/run-input';
import { approve } from './phases/approve';
import { download } from './phases/download';
import { exportGroup } from './phases/export';
import { guard } from './phases/guard';
import { importGroup } from './phases/import';
import { preview } from './phases/preview';
import { unlessReused } from './phases/reuse';
import { safeguard } from './phases/safeguard';
import { upload } from './phases/upload';
import { verify } from './phases/verify';
import { waitExport } from './phases/wait-export';
import { waitImport } from './phases/wait-import';
import { admitted } from './run/authenticate';
import { runToEnd } from './run/run-to-end';
import { transferKind } from './transfer/transfer-kind';
import { TransferRun } from './transfer/transfer-run';

const kind = transferKind({
  name: 'sync',
  sides: ['source', 'target'],
  bindsTask: true,
  // with its package, by a restart, a retry or a bisect
  isTakenUp: true,
});

/** What a sync does, in order. */
const phases = [
  guard, // everything that must be so, before anything is written
  // the source puts the group into a package, which comes into the store; unless one lies there already
  ...unlessReused([exportGroup, waitExport, download]),
  upload, // and goes onto the target, as an item of ours
  preview, // the target says what an import would do: the plan
  approve, // somebody, or the route, says yes to exactly that plan
  safeguard, // what will be overwritten is saved first
  importGroup, // the plan is read again; what changed goes back to approve
  waitImport, // every requested item is accounted for
  verify, // and what was imported is read back
];

/** Carries a group's content from one portal to another. Ends with the run's state. */
export async function sync(input: SyncInput | Unnamed<SyncInput>): Promise<RunState> {
  return await runToEnd(new TransferRun(kind, await admitted(input)), phases);
}
