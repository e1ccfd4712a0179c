import type { RestoreInput } from '../model/run/snapshot-input';
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
import { defineTransfer } from './transfer/transfer-kind';

/** Restores a snapshot into a group: a sync whose package is already in the store. */
export const restore = defineTransfer(
  { name: 'restore', sides: ['target'] },
  ({ snapshotId, map, putRight: right }: RestoreInput) => [
    guardTarget({ snapshotId, purpose: 'restore', putRight: right }),
    upload,
    preview,
    approve,
    safeguard,
    importGroup,
    waitImport,
    ...(map ? [mapImported] : []), // URLs and IDs that differ on the stage
    ...(right ? [putRight(right)] : []), // placement of created items, which an import does not carry
    verify,
  ],
);
