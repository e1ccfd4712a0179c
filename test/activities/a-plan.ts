import type { Plan, PlanRow } from '../../src/model/transfer/plan';

export type Row = Partial<PlanRow> & Pick<PlanRow, 'itemId' | 'action'>;

/** A plan as an activity finds it in the store. */
export const aPlan = (rows: readonly Row[], more: Partial<Plan> = {}): Plan => ({
  hash: 'aaaa-bbbb-cccc',
  sha256: 'a'.repeat(64),
  packages: [],
  targetGroupId: 'g',
  arrivedLater: 0,
  readAt: '2026-11-21T03:00:00.000Z',
  rows: rows.map((row) => ({ type: 'CSV', title: 'Counts', ...row })),
  ...more,
});
