import type { ExportStarted } from '../../activities/transfer/exports';
import type { ImportStarted } from '../../activities/transfer/import-watch';
import type { PreviewSeen } from '../../activities/transfer/plan/previews';
import type { PortalFacts } from '../../domain/transfer/portal-facts';
import type { Requested } from '../../model/transfer/requested';
import type { PlanSummary } from '../../model/transfer/plan';
import type { PackageInStore } from '../../model/transfer/stored-package';
import { refusal } from './failure';

/** What phases hand on to later ones. Figures, ids and keys of the store: nothing big and nothing secret. */
export interface RunContext {
  source?: PortalFacts;
  target?: PortalFacts;
  requested?: Requested;
  /** The group lost over half of its items since the last run of the route. */
  shrunk?: boolean;
  /** Layers were counted when the guards looked for what has changed. */
  rowsRead?: boolean;
  /** Of a restore: the snapshot, and how many items of it are saved as copies. */
  snapshotId?: string;
  copies?: number;
  /** Of a backup: items that were asked for and are not in the package. */
  notSaved?: number;
  exported?: ExportStarted;
  sourcePackage?: string;
  package?: PackageInStore;
  targetPackage?: string;
  /** What the package says of itself. */
  preview?: PreviewSeen;
  /** How often the preview was read: each reading is kept under its own key. */
  planReading: number;
  plan?: PlanSummary;
  /** Hash of the plan that was approved. */
  approved?: string;
  /** Hash of the plan whose overwritten items are saved. */
  safeguarded?: string;
  importStarted?: ImportStarted;
  importPosted: boolean;
  /** Imports that the portal took, or may have taken. */
  importsBegun: number;
  /** Counts the imports; a second one follows only from a person's decision. */
  importRound: number;
  /** A job that was found running at its deadline is given another one from here. @format milliseconds since the epoch */
  patienceSince?: number;
  /** The import is over, whatever came of it. */
  importOver?: boolean;
  /** How often the run was parked. */
  parks: number;
  /** Jobs that were started and whose end nobody has seen. */
  readonly openJobs: OpenJob[];
  /** How the target was seen to move after an import that failed or was lost. */
  targetSeen?: string;
  /** Something of the run is on the target, unless the portal refused it outright: a failure now costs all of it. */
  isOnTarget?: boolean;
  /** Where something of ours may be: set before the first write there. */
  readonly wrote: { source: boolean; target: boolean };
  /** Packages of ours that are on a portal now, and go in the cleanup. */
  readonly packages: { readonly side: 'source' | 'target'; readonly itemId: string }[];
}

export interface OpenJob {
  readonly name: 'export' | 'safeguard' | 'import';
  readonly side: 'source' | 'target';
  /** Absent where the answer that named it was lost. */
  readonly jobId?: string;
  readonly sealedKey?: string;
  readonly startedAt: number;
}

/** What an earlier phase must have found; its absence is a defect of the order of the phases. */
export function have<K extends keyof RunContext>(context: RunContext, name: K): NonNullable<RunContext[K]> {
  const value = context[name];
  if (value === undefined || value === null) throw refusal('INTERNAL', `no phase has found "${name}"`);
  return value;
}
