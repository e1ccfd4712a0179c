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
  // a restart, a retry or a bisect can reuse its package
  isTakenUp: true,
});

/** The phases of a sync, in order. */
const phases = [
  guard, // preflight checks, before anything is written
  // the source exports the group and the package is downloaded, unless one is reused
  ...unlessReused([exportGroup, waitExport, download]),
  upload, // the package becomes an item on the target
  preview, // the target reports what an import would do: the plan
  approve, // a person, or the route, approves exactly that plan
  safeguard, // saves what will be overwritten
  importGroup, // reads the plan again; a changed one needs a new approval
  waitImport, // records a result for every requested item
  verify, // reads back what was imported
];

/** Copies a group's content between portals. Returns the run's state. */
export async function sync(input: SyncInput | Unnamed<SyncInput>): Promise<RunState> {
  return await runToEnd(new TransferRun(kind, await admitted(input)), phases);
}
