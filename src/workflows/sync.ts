import type { SyncInput } from '../model/run/run-input';
import { approve } from './phases/approve';
import { download, reusedWords } from './phases/download';
import { exportGroup, waitExport } from './phases/export';
import { guard } from './phases/guard';
import { importGroup, waitImport } from './phases/import';
import { preview } from './phases/preview';
import { safeguard } from './phases/safeguard';
import { upload } from './phases/upload';
import { verify } from './phases/verify';
import { unless } from './run/phase';
import { defineTransfer } from './transfer/transfer-kind';

/** Copies a group's content between portals. */
export const sync = defineTransfer(
  {
    name: 'sync',
    sides: ['source', 'target'],
    bindsTask: true,
    // a restart, a retry or a bisect can reuse its package
    isTakenUp: true,
  },
  (_input: SyncInput) => [
    guard, // preflight checks, before anything is written
    // the source exports the group and the package is downloaded, unless one is reused
    ...unless(reusedWords, [exportGroup, waitExport]),
    download,
    upload, // the package becomes an item on the target
    preview, // the target reports what an import would do: the plan
    approve, // a person, or the route, approves exactly that plan
    safeguard, // saves what will be overwritten
    importGroup, // reads the plan again; a changed one needs a new approval
    waitImport, // records a result for every requested item
    verify, // reads back what was imported
  ],
);
