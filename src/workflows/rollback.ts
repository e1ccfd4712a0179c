import type { RollbackInput } from '../model/run/snapshot-input';
import type { RunState } from '../model/run/run-state';
import { approve } from './phases/approve';
import { guardTarget } from './phases/guard-target';
import { importGroup } from './phases/import';
import { nothingOverwritten } from './phases/snapshot/nothing-overwritten';
import { preview } from './phases/preview';
import { putBack } from './phases/snapshot/put-back';
import { safeguard } from './phases/safeguard';
import { upload } from './phases/upload';
import { verify } from './phases/verify';
import { waitImport } from './phases/wait-import';
import type { Phase } from './run/phase';
import { admitted } from './run/authenticate';
import { runToEnd } from './run/run-to-end';
import { transferKind } from './transfer/transfer-kind';
import { TransferRun } from './transfer/transfer-run';

const kind = transferKind({
  ...{ name: 'rollback', sides: ['target'], undoes: true },
  came: ({ state }) => (state.status === 'succeeded' ? 'rolled-back' : undefined),
});

/** Restores what a run overwrote, from its safeguard, and reports or deletes what it created. */
export async function rollback(given: RollbackInput): Promise<RunState> {
  const input = await admitted(given);
  const { snapshotId } = input;
  const restored = (id: string): Phase<TransferRun>[] => [
    guardTarget({ snapshotId: id, purpose: 'restore' }),
    onlyWithPackage(upload),
  ];
  return await runToEnd(new TransferRun(kind, input), [
    ...(snapshotId === undefined ? [nothingOverwritten(input)] : restored(snapshotId)),
    preview, // one plan: imports, restored copies and deletions
    approve,
    safeguard, // saves what is about to be overwritten, so that the rollback can be rolled back
    ...[importGroup, waitImport, verify], // the safeguard's package
    putBack(input), // the safeguard's copies, item by item
  ]);
}

/** Skips a phase if there is no package. */
const onlyWithPackage = (phase: Phase<TransferRun>): Phase<TransferRun> => ({
  ...phase,
  run: async (run) =>
    run.facts.package ? await phase.run(run) : { status: 'skipped', detail: 'no package' },
});
