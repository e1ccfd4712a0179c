import type { ExportStarted } from '../../activities/transfer/exports';
import type { ImportStarted } from '../../activities/transfer/import-watch';
import type { PreviewSeen } from '../../activities/transfer/plan/previews';
import type { Carried, PackageInStore } from '../../model/transfer/stored-package';

/** A package of a run, with what its phases have found out. */
export interface RunPackage {
  /** Its number, from 0. Packages are imported in this order. */
  readonly index: number;
  /** Which export of it this is, from 1: a package that was cut in two is exported again. */
  round: number;
  exported?: ExportStarted | undefined;
  /** ID of its item on the source. */
  onSource?: string | undefined;
  stored?: PackageInStore | undefined;
  /** What went to the target while it came. */
  carried?: Carried | undefined;
  /** ID of its item on the target. */
  onTarget?: string | undefined;
  /** What it says of itself. */
  preview?: PreviewSeen | undefined;
  importStarted?: ImportStarted | undefined;
  /** An import of it may have begun. */
  isPosted?: boolean;
  /** Its import is over, whatever came of it. */
  isImported?: boolean;
}

/** Packages of which nothing is known yet. */
export const newPackages = (count: number): RunPackage[] =>
  Array.from({ length: count }, (_, index) => ({ index, round: 1 }));
