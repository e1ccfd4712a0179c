import type { ExportStarted } from '../../activities/transfer/exports';
import type { ImportStarted } from '../../activities/transfer/import-watch';
import type { PreviewSeen } from '../../activities/transfer/plan/previews';
import type { Carried, PackageInStore } from '../../model/transfer/stored-package';

/** One of a run's packages and its progress. */
export interface RunPackage {
  /** From 0, in import order. */
  readonly index: number;
  /** Number of its export, from 1: a split package is exported again. */
  round: number;
  exported?: ExportStarted | undefined;
  /** ID of the package item on the source. */
  onSource?: string | undefined;
  stored?: PackageInStore | undefined;
  /** What was relayed to the target during the download. */
  carried?: Carried | undefined;
  /** ID of the package item on the target. */
  onTarget?: string | undefined;
  /** What its preview reports. */
  preview?: PreviewSeen | undefined;
  importStarted?: ImportStarted | undefined;
  /** An import of it may have begun. */
  isPosted?: boolean;
  /** Its import has ended, whatever its result. */
  isImported?: boolean;
}

/** Packages of which nothing is known yet. */
export const newPackages = (count: number): RunPackage[] =>
  Array.from({ length: count }, (_, index) => ({ index, round: 1 }));
