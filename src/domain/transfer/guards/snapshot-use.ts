import type { GuardResult } from '../../../model/run/guard';
import type { TargetState } from '../../../model/run/phase';
import { pass, refuse } from './verdict';

/** A drill that imports needs a portal on which nobody works. */
export function scratchPortal(name: string, isScratch: boolean): GuardResult {
  const guard = 'scratch portal';
  if (isScratch) return pass(guard, `${name} has role: scratch in portolan.yaml`);
  return refuse(guard, 'NOT_SCRATCH', {
    saw: `${name} does not have role: scratch in portolan.yaml`,
    needs: 'a portal nobody works on; the drill imports into it and deletes the items again',
    todo: "Set the route's drill to a scratch portal, or drill without --import.",
  });
}

/** What is read of the record of a run that is to be undone. */
export interface UndoneRun {
  readonly target: TargetState;
  readonly plan?: { readonly overwrite: number };
}

/**
 * Whether a run that took no safeguard left everything that was there as it was: by its record, and by the plan that
 * it followed.
 */
export function nothingToRestore(runId: string, record: UndoneRun | undefined): GuardResult {
  const guard = 'nothing to restore';
  const overwrote = record?.target === 'untouched' ? 0 : (record?.plan?.overwrite ?? 0);
  if (record && overwrote === 0) return pass(guard, `${runId} overwrote nothing`);
  return refuse(guard, 'SNAPSHOT_NOT_FOUND', {
    saw: record ? `${runId} had ${overwrote} items to overwrite` : `${runId} left no record`,
    needs: 'the safeguard of the overwritten items',
    todo: 'List snapshots: portolan snapshot list',
  });
}
