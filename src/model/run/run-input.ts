import type { ChangeInput } from '../portal-change/change';
import type { RouteChange } from './run';
import type { Signed } from './signature';
import { type Route, type RunRoute, isChosen, type RouteTarget } from '../transfer/route';
import { partRunId } from './run-id';
import type { ReferenceMap } from '../release/reference-map';
import type { RetentionPolicy } from '../snapshot/snapshot';
import type { PlacementRules } from '../transfer/placement';

/** What starts a run of any kind. Travels through history: holds no secret. */
export interface AnyInput extends Signed {
  /** The Temporal workflow id, and the only id that people see. */
  readonly runId: string;
  /** Claimed, not proven: `user@host`. */
  readonly startedBy: string;
  /** `--reason`, kept in the record. */
  readonly reason?: string;
  /** The run that this one restarts, retries or searches for. */
  readonly parent?: string;
  /** The scheduler of this route: the next run of the same route and scheduler supersedes this one if parked. */
  readonly scheduledBy?: string;
  /** Whether the run waits for a person where it cannot go on by itself. @default true */
  readonly parks?: boolean;
}

/** What starts a run that carries content of a group. */
export interface RunInput extends AnyInput {
  readonly route: RunRoute;
  /** `--yes`: approves the first plan of a route with `approval: ask`; never one with `required`. */
  readonly yes: boolean;
  /** The starter sees the plan and can decide, so others need not be notified at once. @default false */
  readonly attended?: boolean;
  /** `--request-id`, where given. */
  readonly requestId?: string;
  /** What an earlier run left that this one does not make again. */
  readonly reuse?: Reuse;
}

export interface SyncInput extends RunInput {
  readonly route: Route;
}

/** What a schedule starts: Temporal gives it its workflow id when its time has come. */
export type Unnamed<Input extends RunInput> = Omit<Input, 'runId'> & { readonly runId?: undefined };

/** What an earlier run left. */
export interface Reuse {
  /** The run whose package lies in the store. */
  readonly runId: string;
  /** What its bytes must come to: they are hashed again before they are used. */
  readonly sha256: string;
  /** The package item on the target, which is used only if the portal still has it, as long as the package is. */
  readonly targetPackage?: string;
}

/** Argument of the signal `approve`. */
export interface Approve extends Signed {
  /** Hash of the plan that was seen, in short or whole. */
  readonly hash: string;
  /** The whole of it. @default that of the plan which the run shows under `hash` */
  readonly sha256?: string;
  readonly who: string;
  readonly reason?: string;
}

/** Argument of the signal `reject`. */
export interface Refuse extends Signed {
  readonly who: string;
  readonly reason?: string;
}

/** Argument of the signal `cancel`. */
export interface Cancel extends Refuse {
  /** Do not wait for a job that runs on a portal: note it in `leftRunning` and end. @default false */
  readonly now?: boolean;
}

/** Argument of the signal `resume`. */
export interface Resume extends Refuse {
  /** What is corrected; the rest stays as the run was started. */
  readonly set?: RouteChange;
}

/** Argument of the signal `supersede`. */
export interface Supersede extends Signed {
  readonly by: string;
}

/** Names on the wire between starter and workflow. */
export const messageNames = {
  state: 'state',
  approve: 'approve',
  reject: 'reject',
  resume: 'resume',
  cancel: 'cancel',
  granted: 'granted',
  slotReleased: 'slotReleased',
  supersede: 'supersede',
} as const;

/** A child run, by its workflow and what starts it. */
export interface Part {
  readonly workflow: string;
  readonly input: (RunInput | ChangeInput) & { readonly parent?: string };
}

/**
 * Starts a bisect: finds the items that make an import fail as a whole. The items are in the route's options, as
 * `items` or `itemList`; the starter approves all of its imports.
 */
export interface BisectInput extends SyncInput {
  /** The run that failed. */
  readonly parent: string;
  /** An import of exactly these items has failed as a whole, so that it is not tried again. */
  readonly wholeFailed: boolean;
}

/** A range of the item list, imported together. */
export interface BisectPart {
  /** Of the run, from 1. */
  readonly number: number;
  /** Index of its first item. */
  readonly from: number;
  readonly count: number;
  /** The package that holds them, if kept. */
  readonly reuse?: Reuse;
}

/** What starts the sync of a part. */
export function syncOfPart(
  { runId, route, startedBy }: BisectInput,
  { number, from, count, reuse }: BisectPart,
): SyncInput {
  const { options } = route;
  const { items, itemList } = options;
  const some = isChosen(options) && {
    items: items?.slice(from, from + count),
    itemList: itemList && { ...itemList, from: itemList.from + from, count },
  };
  return {
    runId: partRunId(runId, number),
    route: { ...route, options: { ...options, ...some } },
    startedBy,
    // The starter of the bisect has approved all its imports.
    yes: true,
    parent: runId,
    parks: false,
    reuse,
  };
}

/** What starts a backup. */
export interface BackupInput extends RunInput {
  /** Export everything, even where nothing has changed since the last good snapshot. @default false */
  readonly force?: boolean;
  /**
   * What has not changed since the last good snapshot is not exported again, and everything is where that was last done
   * so long ago. @format milliseconds @default everything is exported
   */
  readonly fullEveryMs?: number;
  /** A run of the route that was open at the start; this one waits for its end. */
  readonly after?: string;
  /** Save each item's placement and thumbnail, for runs that apply it to items they create. @default false */
  readonly placements?: boolean;
  /** Tags of the snapshot. */
  readonly tags: readonly string[];
  /** What stays of the route's snapshots once this one is there. @default all of them */
  readonly keep?: RetentionPolicy;
}

/** Of a run that is a part of a promotion: which part, and of which. */
interface PromotedPart {
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
  /** Gives the items it creates their placement in the snapshot. @default as the import leaves it */
  readonly placementRules?: PlacementRules;
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

/** A route with what a person has corrected of it. */
export function correctedRoute<R extends RunRoute>(route: R, set: RouteChange): R {
  const { target, options } = route;
  return {
    ...route,
    target: target && correctedTarget(target, set),
    options: {
      ...options,
      overwrite: set.overwrite ?? options.overwrite,
      data: set.data ?? options.data,
      jobDeadlineMs: set.jobDeadlineMs ?? options.jobDeadlineMs,
      limits: { ...options.limits, freeDiskBytes: set.freeDiskBytes ?? options.limits.freeDiskBytes },
    },
  };
}

function correctedTarget(target: RouteTarget, { folderId, folderOwner }: RouteChange): RouteTarget {
  const or = <T>(change: T | null | undefined, before: T | undefined): T | undefined =>
    change === undefined ? before : (change ?? undefined);
  return {
    ...target,
    folderId: or(folderId, target.folderId),
    folderOwner: or(folderOwner, target.folderOwner),
  };
}
