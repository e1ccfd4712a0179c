import type { DrillInput } from '../model/run/snapshot-input';
import { cleanupOfDrill } from './phases/snapshot/cleanup-of-drill';
import { guardTarget } from './phases/guard-target';
import { importGroup } from './phases/import';
import { onlyNew } from './phases/snapshot/only-new';
import { preview } from './phases/preview';
import { prove } from './phases/snapshot/prove';
import { upload } from './phases/upload';
import { verify } from './phases/verify';
import { waitImport } from './phases/wait-import';
import { defineTransfer } from './transfer/transfer-kind';

/** Proves that a snapshot can be restored, without changing existing items. */
export const drill = defineTransfer(
  {
    name: 'drill',
    sides: ['target'],
    isTrial: true,
    // its items are deleted at once, so a new drill starts over
    parks: false,
    last: cleanupOfDrill,
    // The drill result counts even if its items could not be deleted.
    verdict: ({ state, facts }) => (state.proof && !facts.notSaved ? 'succeeded' : 'partial'),
  },
  (input: DrillInput) => {
    const seen = [
      guardTarget({
        snapshotId: input.snapshotId,
        purpose: input.import ? 'drill with import' : 'drill',
      }),
      upload,
      preview, // the portal reads the whole package
    ];
    const imported = [
      onlyNew, // no item may exist already
      importGroup,
      waitImport,
      verify,
    ];
    return [...seen, ...(input.import ? imported : []), prove(input)];
  },
);
