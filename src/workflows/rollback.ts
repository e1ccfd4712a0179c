import type { RollbackInput } from '../model/run/snapshot-input';
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
import { defineTransfer } from './transfer/transfer-kind';
import type { TransferRun } from './transfer/transfer-run';

/** Restores what a run overwrote, from its safeguard, and reports or deletes what it created. */
export const rollback = defineTransfer(
  {
    ...{ name: 'rollback', sides: ['target'], undoes: true },
    came: ({ state }) => (state.status === 'succeeded' ? 'rolled-back' : undefined),
  },
  (input: RollbackInput) => [
    ...(input.snapshotId === undefined ? [nothingOverwritten(input)] : restored(input.snapshotId)),
    preview, // one plan: imports, restored copies and deletions
    approve,
    safeguard, // saves what is about to be overwritten, so that the rollback can be rolled back
    ...[importGroup, waitImport, verify], // the safeguard's package
    putBack(input), // the safeguard's copies, item by item
  ],
);

const restored = (snapshotId: string): Phase<TransferRun>[] => [
  guardTarget({ snapshotId, purpose: 'restore' }),
  onlyWithPackage(upload),
];

/** Skips a phase if there is no package. */
const onlyWithPackage = (phase: Phase<TransferRun>): Phase<TransferRun> => ({
  ...phase,
  run: async (run) =>
    run.packages.length > 0 ? await phase.run(run) : { status: 'skipped', detail: 'no package' },
});
