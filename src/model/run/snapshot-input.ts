import type { ReferenceMap } from '../release/reference-map';
import type { RetentionPolicy } from '../snapshot/retention';
import type { PutRight } from '../transfer/apply-placement';
import type { Route } from '../transfer/route';
import type { RunInput } from './run-input';

/** What starts a backup. */
export interface BackupInput extends RunInput {
  /** Export everything, even where nothing has changed since the last good snapshot. @default false */
  readonly force?: boolean;
  /**
   * What has not changed since the last good snapshot is not exported again, and everything is where that was last done
   * so long ago. @format milliseconds @default everything is exported
   */
  readonly fullEveryMs?: number;
  /** Save each item's placement and thumbnail, for runs that apply it to items they create. @default false */
  readonly placements?: boolean;
  /** Keep a copy of items' JSON beside the package, which nobody but a portal can read. @default false */
  readonly documents?: boolean;
  /** RunContext by the snapshot. */
  readonly tags: readonly string[];
  /** What stays of the route's snapshots once this one is there. @default all of them */
  readonly keep?: RetentionPolicy;
}

/** Of a run that is a part of a promotion: which part, and of which. */
export interface PromotedPart {
  /** The promotion. */
  readonly runId: string;
  /** `PIPELINE/STAGE`. */
  readonly stage: string;
  /** Of its group, from 0. */
  readonly index: number;
  /** Of the run among the promotion's, from 1. */
  readonly number: number;
  /** The whole hash of the plan that was approved with those of the other groups. @default it is not imported yet */
  readonly plan?: string;
}

/** What starts a restore: the route's source is where the snapshot was taken. */
export interface RestoreInput extends RunInput {
  readonly route: Route;
  readonly snapshotId: string;
  /** Bring what it creates to stand as the snapshot says that it stood. @default as the import leaves it */
  readonly putRight?: PutRight;
  readonly promotion?: PromotedPart;
  /** What is written in place of addresses and ids in the items that it imports. @default they stay as imported */
  readonly map?: ReferenceMap;
}

/** What starts a rollback: the restore of the safeguard of an earlier run. */
export interface RollbackInput extends RunInput {
  readonly route: Route;
  /** The safeguard. @default none: the run that is undone has overwritten nothing */
  readonly snapshotId?: string;
  /** The run that is undone. */
  readonly parent: string;
  /** Remove what that run had created and nobody has changed since. @default false: they are listed */
  readonly deleteCreated?: boolean;
  /** For a promotion's child run: also overwrite items edited since. @default false: they are kept */
  readonly overwriteEdits?: boolean;
  readonly promotion?: PromotedPart;
}

/** What starts a drill: a restore into a portal where it does no harm, to see that it could be done. */
export interface DrillInput extends RunInput {
  readonly route: Route;
  /** @default the last good one of the route when the drill starts */
  readonly snapshotId?: string;
  /** Import too, and take away again what was imported. @default false: only the preview is read */
  readonly import?: boolean;
}
