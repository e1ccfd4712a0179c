import { type Plan, type PlanAction, planActions, type PlanRow } from '../../../model/transfer/plan';

export interface PlanPageOptions {
  readonly action?: PlanAction;
  /** In titles, ids, types and names of groups, in whatever case. */
  readonly search?: string;
  /** The first row, from 0. @default 0 */
  readonly from?: number;
  /** How many rows at most. */
  readonly count: number;
  /** In the order of what happens to them, and not in that of the package. @default false */
  readonly byAction?: boolean;
}

export interface PlanPage {
  readonly rows: PlanRow[];
  /** Rows that were asked for, of all pages. */
  readonly total: number;
  /** Where further rows begin; absent where there are none. */
  readonly next?: number;
}

/** A page of the rows of a plan. */
export function planPage(
  { rows }: Plan,
  { action, search, from = 0, count, byAction = false }: PlanPageOptions,
): PlanPage {
  const sought = search?.toLowerCase();
  const found = rows.filter(
    (row) =>
      (action === undefined || row.action === action) &&
      (sought === undefined ||
        [row.title, row.itemId, row.type, row.of ?? ''].some((each) => each.toLowerCase().includes(sought))),
  );
  const order = (row: PlanRow): number => planActions.indexOf(row.action);
  const sorted = byAction ? found.sort((one, other) => order(one) - order(other)) : found;
  const end = from + count;
  return {
    rows: sorted.slice(from, end),
    total: sorted.length,
    ...(end < sorted.length && { next: end }),
  };
}
