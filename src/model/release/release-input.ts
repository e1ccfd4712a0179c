import { partRunId } from '../run/run-id';
import type { RunInput, BackupInput } from '../run/run-input';

/** What starts a release: its route has the name of the pipeline, and goes from the first stage's portal to the store. */
export interface ReleaseInput extends RunInput {
  readonly stage: string;
  /** In the order of the pipeline. */
  readonly groups: readonly { readonly name: string; readonly groupId: string }[];
  /** Hold the portal's settings as well. */
  readonly settings: boolean;
  /** Hold its category schema as well. */
  readonly categories: boolean;
}

/** The backup of a release's group. */
type GroupBackup = BackupInput & { readonly parent: string };

/**
 * The name under which snapshots of a pipeline's group are found. A pipeline's name has no dot, so no two groups share
 * one.
 */
export const routeOfGroup = (pipeline: string, group: string): string => `${pipeline}.${group}`;

/** The pipeline of such a name; undefined if a name has no dot. */
export const pipelineOfGroup = (route: string): string | undefined => /^([^.]+)\./.exec(route)?.[1];

/** What starts the backup of one of its groups. @param index of the group, from 0 */
export function groupBackup(release: ReleaseInput, index: number): GroupBackup {
  const { runId, route, startedBy, groups } = release;
  const group = groups[index];
  if (!group) throw new RangeError(`the release has no group ${index}`);
  return {
    runId: partRunId(runId, index + 1),
    parent: runId,
    startedBy,
    yes: false,
    parks: false,
    placements: true,
    tags: [],
    route: {
      ...route,
      name: routeOfGroup(route.name, group.name),
      source: { ...route.source, groupId: group.groupId },
    },
  };
}
