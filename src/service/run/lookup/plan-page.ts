import { type Plan, type PlanAction, planActions, type PlanRow } from '../../../model/transfer/plan';

export interface PlanPageOptions {
  readonly action?: PlanAction;
  /** Text in titles, IDs, types or group names, ignoring case. */
  readonly search?: string;
  /** The first row, from 0. @default 0 */
  readonly from?: number;
  /** How many rows at most. */
  readonly count: number;
  /** Ordered by action instead of by package. @default false */
  readonly byAction?: boolean;
}

export interface PlanPage {
  readonly rows: PlanRow[];
  /** Matching rows on all pages. */
  readonly total: number;
  /** Start of the next page; absent on the last. */
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
