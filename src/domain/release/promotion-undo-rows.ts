import type { CreatedItems } from '../../model/transfer/created-items';
import type { PlanRow } from '../../model/transfer/plan';
import { editedSince } from './edited-items';

interface Undo {
  /** The run that wrote the items. */
  readonly undone: string;
  /** Overwritten items that somebody has edited since, and that the rollback keeps. */
  readonly isKept: ReadonlySet<string>;
  /** The items that the run created. @default all that its plan creates */
  readonly noted: CreatedItems | undefined;
}

/**
 * The rows of a stage rollback's plan, by the plan of the import that it undoes. The rollback of each group makes its own
 * plan from what the target holds. Items that the import did not write have no row.
 */
export const promotionUndoRows = (rows: readonly PlanRow[], undo: Undo): PlanRow[] =>
  rows.flatMap((row) => undoRow(row, undo) ?? []);

function undoRow(
  { itemId, type, title, size, action }: PlanRow,
  { undone, isKept, noted }: Undo,
): PlanRow | undefined {
  const item = { itemId, type, title, size };
  if (action === 'overwrite')
    return isKept.has(itemId)
      ? { ...item, action: 'keep', reason: editedSince(undone) }
      : { ...item, action, reason: `returns to its state before ${undone}` };
  const isCreated = action === 'create' && (noted === undefined || Object.hasOwn(noted.items, itemId));
  return isCreated ? { ...item, action: 'remove', reason: `created by ${undone}` } : undefined;
}
