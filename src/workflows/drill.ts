import type { DrillInput } from '../model/run/snapshot-input';
import type { RunState } from '../model/run/run-state';
import type { Unnamed } from '../model/run/run-input';
import { named } from './run/named';
import { cleanupOfDrill } from './phases/snapshot/cleanup-of-drill';
import { guardTarget } from './phases/guard-target';
import { importGroup } from './phases/import';
import { onlyNew } from './phases/snapshot/only-new';
import { preview } from './phases/preview';
import { prove } from './phases/snapshot/prove';
import { upload } from './phases/upload';
import { verify } from './phases/verify';
import { waitImport } from './phases/wait-import';
import { Run } from './run/run';
import { runToEnd } from './run/run-to-end';

/** Shows that a snapshot can be restored, where that does no harm. */
export async function drill(given: DrillInput | Unnamed<DrillInput>): Promise<RunState> {
  const input = named<DrillInput>(given);
  const { snapshotId } = input;
  const run = new Run('drill', input);
  const seen = [
    guardTarget({ snapshotId, purpose: input.import ? 'drill with import' : 'drill' }),
    upload,
    preview, // the portal reads the whole package
  ];
  const imported = [
    onlyNew, // nothing may be there before
    importGroup,
    waitImport,
    verify,
  ];
  return await runToEnd(run, [...seen, ...(input.import ? imported : []), prove(input)], cleanupOfDrill);
}
