import type { LedgerCounts } from '../transfer/ledger';
import type { PlanSummary } from '../transfer/plan';
import type { RunRecord } from './run';
import type { VerificationCounts } from '../transfer/verification';
import { shortened } from '../text/plain-text';

/**
 * A run as its workflow holds it and its `state` query answers it: the record with figures and keys of the
 * store where the record has lists, so that history stays small whatever the size of the group.
 */
export type RunState = Omit<RunRecord, 'items' | 'verification' | 'plan'> & {
  items?: LedgerCounts;
  verification?: VerificationCounts;
  plan?: PlanSummary;
};

/** How many of what an undone run had created were removed, are still there, and of these could not be removed. */
export const createdCounts = ({
  removed,
  there,
  whole,
}: NonNullable<RunRecord['created']>): { removed: number; there: number; failed: number } =>
  whole ?? {
    removed: removed.length,
    there: there.length,
    failed: there.filter((row) => row.failed).length,
  };

/** Lists up to this length stand in the record itself; longer ones stay in the store. */
export const INLINE_LIST_MAX = 100;

/**
 * Whether the last import job of a run failed as a whole; the job of an export does not count. Records of earlier
 * versions say so only as long as nothing else ended the run.
 */
export const hasImportFailed = ({
  importFailure,
  error,
  parked,
  phases,
}: Pick<RunRecord, 'importFailure' | 'error' | 'parked' | 'phases'>): boolean =>
  importFailure !== undefined ||
  ((parked?.code ?? error?.code) === 'JOB_FAILED' &&
    phases.some(
      ({ name, status }) => name === 'wait-import' && (status === 'failed' || status === 'parked'),
    ));

/** A record has so many warnings at most: more are read by nobody, and each goes through history at each phase. */
export const WARNINGS_MAX = 200;
/** @format characters */
const WARNING_MAX = 1_000;

const LEFT_OUT = 'further warnings are omitted';

/** Adds a warning, once; those beyond the bound are left out, and that is the last one. */
export function addWarning(warnings: string[], warning: string | undefined): void {
  if (!warning || warnings.length > WARNINGS_MAX) return;
  const words = shortened(warning, WARNING_MAX);
  if (!warnings.includes(words)) warnings.push(warnings.length < WARNINGS_MAX ? words : LEFT_OUT);
}
