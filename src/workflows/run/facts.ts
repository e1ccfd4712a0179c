import type { PortalFacts } from '../../domain/transfer/portal-facts';
import type { Ruling } from '../../model/run/policy';
import type { PlanSummary } from '../../model/transfer/plan';
import type { Requested } from '../../model/transfer/requested';
import { refusal } from './failure';

/** What phases find out and hand on to later ones. Figures, ids and keys of the store: nothing big and nothing secret. */
export interface Facts {
  source: PortalFacts;
  target: PortalFacts;
  /** What the worker's policy asks of the run. */
  ruling: Ruling;
  requested: Requested;
  /** The group lost over half of its items since the last run of the route. */
  shrunk: boolean;
  /** Layers were counted when the guards looked for what has changed. */
  rowsRead: boolean;
  /** Of a restore: the snapshot, and how many items of it are saved as copies. */
  snapshotId: string;
  copies: number;
  /** Items that were asked for and are not in the snapshot, or were not put back. */
  notSaved: number;
  /** How often the preview was read: each reading is kept under its own key. */
  planReading: number;
  plan: PlanSummary;
  /** `planIdentity` of the plan that was approved. */
  approved: string;
  /** `planIdentity` of the plan whose overwritten items are saved. */
  safeguarded: string;
}

export type FactName = keyof Facts;

/** What an earlier phase must have found; its absence is a defect of the order of the phases. */
export function known<Found, K extends keyof Found & string>(found: Found, name: K): NonNullable<Found[K]> {
  const value = found[name];
  if (value === undefined || value === null) throw refusal('INTERNAL', `no phase has read "${name}"`);
  return value;
}
