import { partRunId } from '../run/run-id';
import type { BackupInput, RunInput } from '../run/run-input';
import { protectedRoute } from './rule-route';
import type { RetentionPolicy } from './snapshot';

/**
 * What starts the backup of all groups that match a rule. Its route is named after the rule and has no group: which
 * ones match, the portal says when the run begins.
 */
export interface ProtectInput extends RunInput {
  readonly rule: {
    /** The portal's own group search, or `all`. */
    readonly groups: string;
    /** IDs of groups to leave out. */
    readonly exclude: readonly string[];
    /** Groups at a time. */
    readonly concurrency: number;
  };
  /** What stays of each group's snapshots. @default all of them */
  readonly keep?: RetentionPolicy;
  /** As for a backup. */
  readonly after?: string;
  /** As for a backup. @format milliseconds @default everything is exported */
  readonly fullEveryMs?: number;
}

/** Which group of the run is backed up. */
export interface ProtectedPart {
  /** Of the group in the run's list, from 1. */
  readonly number: number;
  readonly groupId: string;
}

/** What starts the backup of one group. @throws RangeError if that is no group ID */
export function backupByRule(
  { runId, route, startedBy, fullEveryMs }: ProtectInput,
  { number, groupId }: ProtectedPart,
): BackupInput {
  if (!/^[A-Za-z0-9_-]{1,64}$/.test(groupId)) throw new RangeError(`${groupId} is no group ID`);
  return {
    runId: partRunId(runId, number),
    parent: runId,
    startedBy,
    yes: false,
    parks: false,
    tags: [],
    fullEveryMs,
    route: {
      ...route,
      name: protectedRoute(route.name, groupId),
      source: { ...route.source, groupId },
    },
  };
}
