import type { RetentionPolicy } from '../snapshot/retention';
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
  /** RunContext by the snapshot. */
  readonly tags: readonly string[];
  /** What stays of the route's snapshots once this one is there. @default all of them */
  readonly keep?: RetentionPolicy;
  /** How long safeguards of the route's runs stay once these have ended. @format milliseconds @default 30 days */
  readonly safeguardsMs?: number;
}

/** What starts a restore: the route's source is where the snapshot was taken. */
export interface RestoreInput extends RunInput {
  readonly route: Route;
  readonly snapshotId: string;
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
}

/** What starts a drill: a restore into a portal where it does no harm, to see that it could be done. */
export interface DrillInput extends RunInput {
  readonly route: Route;
  /** @default the last good one of the route when the drill starts */
  readonly snapshotId?: string;
  /** Import too, and take away again what was imported. @default false: only the preview is read */
  readonly import?: boolean;
}
