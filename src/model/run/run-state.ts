import type { LedgerCounts } from '../transfer/ledger';
import type { PlanSummary } from '../transfer/plan';
import type { RunRecord } from './run';
import type { VerificationCounts } from '../transfer/verification';

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
