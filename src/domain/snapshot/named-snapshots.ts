import { runGroups } from '../protect/rule-groups';
import { mapLimited } from '../../model/map-limited';
import {
  isOfRule,
  nameInId,
  partRunId,
  subjectOfRunId,
  timeOfRunId,
  wholeOfPart,
} from '../../model/run/run-id';
import { parseRuleRoute } from '../../model/snapshot/rule-route';
import { keys, runOfSnapshot } from '../../store/keys';
import { STORE_READS_AT_A_TIME } from '../../store/store';
import { newestFirst, readManifest } from './list-snapshots';
import type { Snapshots } from './snapshots';
import { whyUnreadable } from './unreadable';

/** A folder of a snapshot. It may hold none: one can be unfinished or forgotten. */
export interface NamedSnapshot {
  readonly id: string;
  /** When its run was started, or 0. */
  readonly takenAt: string;
}

/** Whether a snapshot is a safeguard, by its ID. */
export const isSafeguard = (id: string): boolean => runOfSnapshot(id) !== id;

/** Whether a snapshot may be of a route, by its ID: groups of pipelines and rules share the name of these. */
function mayBeOf(id: string, route: string): boolean {
  const subject = subjectOfRunId(runOfSnapshot(id));
  const name = nameInId(route);
  return subject === undefined || subject === name || subject === name.replace(/\.[^.]+$/, '');
}

/**
 * What the store holds of snapshots by their IDs, newest first; last those dated in the future. A manifest is read only
 * if its ID has no time. The cost depends on the number of runs, not of snapshots.
 * @param route only those that may be of it
 */
export async function namedSnapshots(
  snapshots: Snapshots,
  now: number,
  route?: string,
): Promise<NamedSnapshot[]> {
  const ids = await idsOf(snapshots, route);
  const named = await mapLimited(ids, STORE_READS_AT_A_TIME, async (id) => {
    const at = timeOfRunId(runOfSnapshot(id));
    if (at !== undefined) return { id, takenAt: new Date(at).toISOString() };
    const found = await readManifest(snapshots, id);
    return found && { id, takenAt: 'why' in found ? new Date(0).toISOString() : found.takenAt };
  });
  return named.filter((each) => each !== undefined).sort(newestFirst(now));
}

/** IDs of snapshots that may be of a route. */
export async function idsOf(snapshots: Snapshots, route?: string): Promise<string[]> {
  const ids = await snapshots.store.names(keys.snapshots);
  if (route === undefined) return ids;
  const some = ids.filter((id) => mayBeOf(id, route));
  const { groupId } = parseRuleRoute(route) ?? {};
  return groupId === undefined ? some : await ofGroup(snapshots, some, groupId);
}

/** Those of one group of a rule: the backups of a run are numbered as it listed the groups. */
async function ofGroup({ store }: Snapshots, ids: readonly string[], groupId: string): Promise<string[]> {
  const wholes = new Set(ids.flatMap((id) => (isOfRule(id) ? (wholeOfPart(id) ?? []) : [])));
  const parts = await mapLimited([...wholes], STORE_READS_AT_A_TIME, async (runId) => {
    const noted = await store
      .readJson(keys.runGroups(runId), runGroups)
      .catch((thrown: unknown) => void whyUnreadable(runId, thrown));
    const at = noted?.groups.findIndex(({ id }) => id === groupId);
    return [runId, at === undefined ? undefined : partRunId(runId, at + 1)] as const;
  });
  const partOf = new Map(parts);
  return ids.filter((id) => {
    const part = partOf.get(wholeOfPart(id) ?? '');
    return part === undefined || part === id;
  });
}
