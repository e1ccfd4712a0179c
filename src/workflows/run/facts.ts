import type { ExportStarted } from '../../activities/transfer/exports';
import type { ImportStarted } from '../../activities/transfer/import-watch';
import type { PreviewSeen } from '../../activities/transfer/plan/previews';
import type { PortalFacts } from '../../domain/transfer/portal-facts';
import type { Ruling } from '../../model/run/policy';
import type { PlanSummary } from '../../model/transfer/plan';
import type { Requested } from '../../model/transfer/requested';
import type { Carried, PackageInStore } from '../../model/transfer/stored-package';
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
  exported: ExportStarted;
  sourcePackage: string;
  package: PackageInStore;
  /** Of a sync: what went on to the target while the package came. */
  carried: Carried;
  targetPackage: string;
  /** What the package says of itself. */
  preview: PreviewSeen;
  /** How often the preview was read: each reading is kept under its own key. */
  planReading: number;
  plan: PlanSummary;
  /** `planIdentity` of the plan that was approved. */
  approved: string;
  /** `planIdentity` of the plan whose overwritten items are saved. */
  safeguarded: string;
  importStarted: ImportStarted;
  /** The import is over, whatever came of it. */
  importOver: boolean;
}

export type FactName = keyof Facts;

/** What an earlier phase must have found; its absence is a defect of the order of the phases. */
export function known<K extends FactName>(facts: Readonly<Partial<Facts>>, name: K): Facts[K] {
  const value = facts[name];
  if (value === undefined) throw refusal('INTERNAL', `no phase has read "${name}"`);
  return value;
}
