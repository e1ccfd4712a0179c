import type { SyncInput } from '../model/run/run-input';
import { approve } from './transfer/approve';
import { download, reusedWords } from './transfer/download';
import { exportGroup, waitExport } from './transfer/export';
import { guard } from './transfer/guards';
import { importGroup, waitImport } from './transfer/import';
import { preview } from './transfer/preview';
import { safeguard } from './transfer/safeguard';
import { upload } from './transfer/upload';
import { verify } from './transfer/verify';
import { unless } from './run/phase';
import { defineTransfer } from './transfer/transfer-kind';

/** Copies a group's content between portals. */
export const sync = defineTransfer(
  {
    name: 'sync',
    sides: ['source', 'target'],
    bindsTask: true,
    // a restart, a retry or a bisect can reuse its package
    isReusable: true,
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
