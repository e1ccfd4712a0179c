import type { ExportStarted } from '../../activities/transfer/exports';
import type { ImportStarted } from '../../activities/transfer/import-watch';
import type { PreviewSeen } from '../../activities/transfer/plan/previews';
import type { PortalFacts } from '../../domain/transfer/portal-facts';
import type { Ruling } from '../../model/run/policy';
import type { PlanSummary } from '../../model/transfer/plan';
import type { Requested } from '../../model/transfer/requested';
import type { Carried, PackageInStore } from '../../model/transfer/stored-package';
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
  exported: ExportStarted;
  sourcePackage: string;
  package: PackageInStore;
  /** Of a sync: what was relayed to the target during the download. */
  carried: Carried;
  targetPackage: string;
  /** What the package's preview reports. */
  preview: PreviewSeen;
  /** How often the preview was read; each reading has its own store key. */
  planReading: number;
  plan: PlanSummary;
  /** `planIdentity` of the plan that was approved. */
  approved: string;
  /** `planIdentity` of the plan whose overwritten items are saved. */
  safeguarded: string;
  importStarted: ImportStarted;
  /** The import has ended, whatever its result. */
  importOver: boolean;
}

export type FactName = keyof Facts;

/** A fact an earlier phase must have found; if absent, the phases are in the wrong order. */
export function known<K extends FactName>(facts: Readonly<Partial<Facts>>, name: K): Facts[K] {
  const value = facts[name];
  if (value === undefined) throw refusal('INTERNAL', `no phase has read "${name}"`);
  return value;
}
