import type { RestoreInput } from '../model/run/snapshot-input';
import type { RunState } from '../model/run/run-state';
import { approve } from './phases/approve';
import { guardTarget } from './phases/guard-target';
import { importGroup } from './phases/import';
import { mapImported } from './phases/map-imported';
import { preview } from './phases/preview';
import { putRight } from './phases/apply-placement';
import { safeguard } from './phases/safeguard';
import { upload } from './phases/upload';
import { verify } from './phases/verify';
import { waitImport } from './phases/wait-import';
import { admitted } from './run/authenticate';
import { runToEnd } from './run/run-to-end';
import { transferKind } from './transfer/transfer-kind';
import { TransferRun } from './transfer/transfer-run';

const kind = transferKind({ name: 'restore', sides: ['target'] });

/** Restores a snapshot into a group: a sync whose package is already in the store. */
export async function restore(given: RestoreInput): Promise<RunState> {
  const input = await admitted(given);
  const { snapshotId, putRight: right } = input;
  return await runToEnd(new TransferRun(kind, input), [
    guardTarget({ snapshotId, purpose: 'restore', putRight: right }),
    upload,
    preview,
    approve,
    safeguard,
    importGroup,
    waitImport,
    ...(input.map ? [mapImported] : []), // URLs and IDs that differ on the stage
    ...(right ? [putRight(right)] : []), // placement of created items, which an import does not carry
    verify,
  ]);
}
