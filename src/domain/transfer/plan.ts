import { shortHash } from '../../model/transfer/plan-summary';
import type { Change } from '../../model/transfer/change';
import { boundFields } from '../change/plan-change';
import { type PlanAction, type PlanRow, type Plan, type PreviewRow } from '../../model/transfer/plan';
import type { RequestedItem } from '../../model/transfer/requested';
import type { RouteOptions, Route, RouteTarget, RunRoute } from '../../model/transfer/route';
import type { Item } from '../../portal/resources/items/item';
import { isSameUser } from '../../model/identity';
import { FEATURE_SERVICE } from './classify-item';
import { formatUnchangedSince, recordMark } from './outcomes';
import { hashOfJson } from '../snapshot/hashing';
import { editedSince } from '../release/edited-items';

/** The fields of an item record on which a plan depends. */
interface HeldItem {
  readonly type?: string;
  readonly modified?: number;
  readonly size?: number;
  readonly owner?: string;
  readonly access?: string;
  readonly ownerFolder?: string;
}

/** The target's item with the ID of a row. */
export interface TargetItem {
  /** Its record; undefined if it does not exist, or cannot be read. */
  readonly held?: HeldItem;
  readonly inGroup: boolean;
  readonly groups?: readonly string[];
  /** The importing account. */
  readonly username?: string;
  /** It is restored by a rollback, no matter who owns it. @default false */
  readonly isUndone?: boolean;
  /** The owner it would get if new: an earlier run may have set that owner. @default nobody */
  readonly newOwner?: string;
  /** The target's `modified` after the last run of this route. */
  readonly lastModified?: number;
  /** The run since which it was changed on the target alone. */
  readonly driftedSince?: string;
  /** Why it must not be overwritten although it is in the group or forced in: it belongs to a stage. */
  readonly heldBack?: string;
}

/** Decides what happens to one item of the package. */
export function planRowFor(row: PreviewRow, targetItem: TargetItem, options: RouteOptions): PlanRow {
  const { held, driftedSince } = targetItem;
  const { action, reason } = decide(row, targetItem, options);
  const drifted = (driftedSince !== undefined && held !== undefined) || undefined;
  return {
    itemId: row.itemId,
    type: row.type,
    title: row.title,
    size: row.size,
    action,
    reason: drifted
      ? [reason, `changed only on the target since ${driftedSince}`].filter(Boolean).join('; ')
      : reason,
    drifted,
    hosted: row.type === FEATURE_SERVICE || undefined,
    packageModified: row.modified,
    target: held && {
      ...shownFields(held),
      folder: held.ownerFolder,
      inGroup: targetItem.inGroup,
      groups: targetItem.groups && [...targetItem.groups],
      changedSince: laterThan(held.modified, targetItem.lastModified),
    },
  };
}

const shownFields = ({ modified, size, owner, access, type }: HeldItem) => ({
  modified,
  size,
  owner,
  access,
  type,
});

/** The row of an unchanged item; none if the source skipped it. */
function untouchedRow(
  { itemId, type, title, size, modified, hosted, same }: RequestedItem,
  held: (HeldItem & Item) | undefined,
): PlanRow | undefined {
  if (!same || same.as === 'skipped') return undefined;
  const isStill = held !== undefined && recordMark(held) === same.onTarget;
  const settled = same.as === 'imported' ? formatUnchangedSince(same.runId) : same.reason;
  return {
    itemId,
    type,
    title,
    size,
    action: isStill && same.as === 'imported' ? 'same' : 'keep',
    reason: isStill ? settled : 'changed on the target since this run began; left for the next run',
    hosted,
    packageModified: modified,
    target: held && { ...shownFields(held), inGroup: true },
  };
}

interface Decision {
  readonly action: PlanAction;
  readonly reason?: string;
}

function decide(row: PreviewRow, targetItem: TargetItem, options: RouteOptions): Decision {
  const taken = options.take.includes(row.itemId);
  const refused = row.canImport ? undefined : 'the target says it cannot be imported';
  if (!row.exists && !targetItem.held) {
    return refused && !taken ? { action: 'blocked', reason: refused } : { action: 'create', reason: refused };
  }
  const obstacle = obstacleTo(row, targetItem);
  if (obstacle && !taken) return { action: 'blocked', reason: obstacle };
  if (!options.overwrite) return { action: 'keep', reason: 'exists' };
  if (row.type === FEATURE_SERVICE && options.data === 'keep') {
    return { action: 'keep', reason: 'exists; its data is kept (data: keep)' };
  }
  if (targetItem.heldBack !== undefined) return { action: 'blocked', reason: targetItem.heldBack };
  const against = ownerObstacle(targetItem) ?? refused;
  if (against && !taken) return { action: 'blocked', reason: against };
  return { action: 'overwrite', reason: obstacle ?? against };
}

/** What blocks an existing item, whatever the route says about overwriting. */
function obstacleTo(row: PreviewRow, { held, inGroup }: TargetItem): string | undefined {
  if (!held) return 'exists, but this account cannot read it';
  if (held.type !== undefined && held.type !== row.type) return `exists as ${held.type}`;
  if (!inGroup) return `belongs to ${held.owner ?? 'someone else'}, outside the target group`;
  return undefined;
}

function ownerObstacle({ held, username, isUndone, newOwner }: TargetItem): string | undefined {
  const { owner } = held ?? {};
  if (isUndone || owner === undefined) return undefined;
  if (isSameUser(owner, username) || isSameUser(owner, newOwner)) return undefined;
  return `belongs to ${owner}`;
}

const laterThan = (modified: number | undefined, lastModified: number | undefined): number | undefined =>
  modified !== undefined && lastModified !== undefined && modified > lastModified ? modified : undefined;

/** A preview row and the index of its package. */
export type RowOfPart = PreviewRow & { readonly packageIndex: number };

/** A requested item that a package holds, and what the target shows about it. */
export interface ComingItem {
  readonly row: RowOfPart;
  readonly targetItem: TargetItem;
  /** The source group that configures it and that the target lacks. */
  readonly lacks?: string;
  /** People edited it since this run, which is rolled back. Read only if it would be overwritten. */
  readonly editedSince?: string;
  /** What could not be restored if the portal replaced it. Read only if it would be overwritten. */
  readonly beyond?: readonly string[];
  /** How the import would change it. Read only if it would be overwritten. */
  readonly change?: Change;
}

/** What both portals and the run's files show before a plan is made. */
export interface PlanEvidence {
  readonly route: Route;
  readonly packages: Plan['packages'];
  readonly requested: readonly RequestedItem[];
  /** IDs of everything in the source group, requested or not. */
  readonly inSource: ReadonlySet<string>;
  readonly preview: readonly RowOfPart[];
  readonly coming: readonly ComingItem[];
  /** The target group, by item ID. */
  readonly group: ReadonlyMap<string, Item>;
  /** Rows of earlier packages, which are imported by now. */
  readonly imported: readonly PlanRow[];
  /** What a rollback restores from copies and deletes. */
  readonly undone: readonly PlanRow[];
  /** Of a restore or rollback: what comes is in this snapshot. @default it comes from the source */
  readonly snapshotId?: string;
  /** sha256 of the run's map. */
  readonly map?: string;
  readonly packageAdded?: number;
  readonly readAt: string;
}

/** The requested items that the packages hold. */
export function comingRows(
  preview: readonly RowOfPart[],
  requested: ReadonlyMap<string, RequestedItem>,
): RowOfPart[] {
  return preview.filter(({ itemId, packageIndex }) => {
    const item = requested.get(itemId);
    // Items added to the group after the run began are left for the next one; excluded items are in no plan.
    // A package may hold an earlier state of an item in another package.
    return item?.packageIndex === packageIndex && !item.excluded && !item.same;
  });
}

/** Decides what a run will do. */
export function planOf({ route, packages, requested, inSource, preview, ...evidence }: PlanEvidence): Plan {
  const { group, imported, undone, map, packageAdded, readAt, snapshotId } = evidence;
  const coming = evidence.coming.map((item) => withChange(comingRow(item, route), item.change, snapshotId));
  const untouched = requested.flatMap((item) => untouchedRow(item, group.get(item.itemId)) ?? []);
  const undoneIds = new Set(undone.map(({ itemId }) => itemId));
  const extras = [...group.values()]
    .filter(({ id }) => !inSource.has(id) && !undoneIds.has(id))
    .map(extraRow);
  const rows = boundFields([...imported, ...coming, ...untouched, ...undone, ...extras]);
  const sha256 = planHash(packages, route.target, route.options, rows, map);
  return {
    hash: shortHash(sha256),
    sha256,
    packages,
    packageAdded,
    rows,
    readAt,
    targetGroupId: route.target.groupId,
    arrivedLater: preview.filter(({ itemId }) => !inSource.has(itemId)).length,
  };
}

/** The row of an item that only the target has. */
export const extraRow = ({ id, type = '?', title = id, size }: Item): PlanRow => ({
  itemId: id,
  type,
  title,
  size,
  action: 'extra',
});

function comingRow(
  { row, targetItem, lacks, editedSince: since, beyond = [] }: ComingItem,
  route: Route,
): PlanRow {
  const planned = { ...planRowFor(row, targetItem, route.options), packageIndex: row.packageIndex };
  const { action } = planned;
  if (action === 'overwrite' && since !== undefined)
    return { ...planned, action: 'keep', reason: editedSince(since) };
  const owner = action === 'create' ? targetItem.newOwner : undefined;
  const lost = action === 'overwrite' && beyond.length > 0 ? { beyond: [...beyond] } : {};
  return withGroup({ ...planned, owner, ...lost }, lacks, route);
}

/**
 * A row of what would be overwritten or restored, with what that changes. What would change nothing is left alone.
 * @param snapshotId that holds what would come
 */
export function withChange(
  row: PlanRow,
  change: Change | undefined,
  snapshotId: string | undefined,
): PlanRow {
  const { action, reason, beyond: _, ...rest } = row;
  if (change === undefined || (action !== 'overwrite' && action !== 'restore')) return row;
  if (change.kind !== 'same') return { ...row, change };
  const identical = snapshotId === undefined ? 'identical on both portals' : 'identical to the snapshot';
  return { ...rest, action: 'same', reason: [identical, reason].filter(Boolean).join('; '), change };
}

/** The sha256, in hexadecimal, of everything an approval covers. */
export function planHash(
  packages: Plan['packages'],
  { groupId, folderId, folderOwner }: Pick<RouteTarget, 'groupId' | 'folderId' | 'folderOwner'>,
  options: RouteOptions,
  rows: readonly PlanRow[],
  map?: string,
): string {
  const facts = rows
    .map((row) => [
      row.itemId,
      row.action,
      row.type,
      row.title,
      row.target?.modified ?? null,
      row.target?.owner ?? null,
      row.target?.access ?? null,
      ...(row.beyond ? [row.beyond] : []),
      ...(row.owner === undefined ? [] : [{ owner: row.owner }]),
      ...(row.change === undefined ? [] : [{ change: row.change.sha256 }]),
    ])
    .map((fact) => JSON.stringify(fact))
    .sort();
  const hashes = packages.map(({ sha256 }) => sha256);
  const chosen = [
    options.overwrite,
    options.data,
    [...(options.items ?? [])].sort(),
    [...options.take].sort(),
    folderId ?? null,
    folderOwner ?? null,
  ];
  return hashOfJson([hashes, groupId, chosen, facts, ...(map === undefined ? [] : [{ map }])]);
}

/**
 * The row of an app with what is to be done about its group: an import leaves the id as it is, and groups have another
 * one on each portal.
 *
 * @param group that configures the app and that the target does not have
 */
export function withGroup<R extends PlanRow>(
  row: R,
  group: string | undefined,
  { source, target }: Pick<RunRoute, 'source'> & { readonly target: RunRoute['source'] },
): R {
  if (group === undefined || (row.action !== 'create' && row.action !== 'overwrite')) return row;
  const counterpart = group === source.groupId ? target.groupId : 'another one';
  const words = `configured by group ${group} of ${source.portal}, which ${target.portal} does not have; set it to ${counterpart} there`;
  return { ...row, group, reason: [row.reason, words].filter(Boolean).join('; ') };
}
