import type { PortalFacts } from '../../domain/transfer/portal-facts';
import type { Ruling } from '../../model/run/policy';
import type { PlanSummary } from '../../model/transfer/plan';
import type { Requested } from '../../model/transfer/requested';
import { refusal } from './failure';

/** What phases hand to later ones: figures, IDs and store keys, nothing large or secret. */
export interface Facts {
  source: PortalFacts;
  target: PortalFacts;
  /** What the worker's policy requires of the run. */
  ruling: Ruling;
  requested: Requested;
  /** The group shrank by more than half since the last run of the route. */
  shrunk: boolean;
  /** The guard phase has already counted rows of hosted layers. */
  rowsRead: boolean;
  /** Of a restore: the snapshot, and how many of its items are saved as copies. */
  snapshotId: string;
  copies: number;
  /** Items that were requested but are not in the snapshot, or were not restored. */
  notSaved: number;
  /** How often the preview was read; each reading has its own store key. */
  planReading: number;
  plan: PlanSummary;
  /** Full hash of the plan that was approved. */
  approved: string;
  /** Full hash of the plan whose overwritten items are saved. */
  safeguarded: string;
}

/** A fact an earlier phase must have found; if absent, the phases are in the wrong order. */
export function known<Found, K extends keyof Found & string>(found: Found, name: K): NonNullable<Found[K]> {
  const value = found[name];
  if (value === undefined || value === null) throw refusal('INTERNAL', `no phase has read "${name}"`);
  return value;
}
