import { createHash } from 'node:crypto';
import type { Plan, PlanRow } from '../../model/transfer/plan';
import { shortHash } from '../../model/transfer/plan-hash';
import type { PreviewRow } from '../../model/transfer/preview';
import type { RequestedItem } from '../../model/transfer/requested';
import type { Route, RouteOptions, RouteTarget } from '../../model/transfer/route';
import type { Item } from '../../portal/resources/items/item';
import { editedSince } from '../release/edited-items';
import { withGroup } from './group-apps';
import { type Holding, planRowFor, untouchedRow } from './plan-rules';

/** A preview row and the index of its package. */
export type RowOfPart = PreviewRow & { readonly part: number };

/** A requested item that a package holds, and what the target shows about it. */
export interface ComingItem {
  readonly row: RowOfPart;
  readonly holding: Holding;
  /** The source group that configures it and that the target lacks. */
  readonly lacks?: string;
  /** People edited it since this run, which is rolled back. Read only if it would be overwritten. */
  readonly editedSince?: string;
  /** What could not be restored if the portal replaced it. Read only if it would be overwritten. */
  readonly beyond?: readonly string[];
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
  return preview.filter(({ itemId, part }) => {
    const item = requested.get(itemId);
    // Items added to the group after the run began are left for the next one; excluded items are in no plan.
    // A package may hold an earlier state of an item in another package.
    return item?.part === part && !item.excluded && !item.same;
  });
}

/** Decides what a run will do. */
export function planOf({ route, packages, requested, inSource, preview, ...evidence }: PlanEvidence): Plan {
  const { group, imported, undone, map, packageAdded, readAt } = evidence;
  const coming = evidence.coming.map((item) => comingRow(item, route));
  const untouched = requested.flatMap((item) => untouchedRow(item, group.get(item.itemId)) ?? []);
  const undoneIds = new Set(undone.map(({ itemId }) => itemId));
  const extras = [...group.values()]
    .filter(({ id }) => !inSource.has(id) && !undoneIds.has(id))
    .map(({ id, type, title, size }): PlanRow => ({
      ...{ itemId: id, type: type ?? '?', title: title ?? '?', size },
      action: 'extra',
    }));
  const rows = [...imported, ...coming, ...untouched, ...undone, ...extras];
  const sha256 = planHash(packages, route.target, route.options, rows, map);
  return {
    ...{ hash: shortHash(sha256), sha256, packages, packageAdded, rows, readAt },
    targetGroupId: route.target.groupId,
    arrivedLater: preview.filter(({ itemId }) => !inSource.has(itemId)).length,
  };
}

function comingRow(
  { row, holding, lacks, editedSince: since, beyond = [] }: ComingItem,
  route: Route,
): PlanRow {
  const planned = { ...planRowFor(row, holding, route.options), part: row.part };
  const { action } = planned;
  if (action === 'overwrite' && since !== undefined)
    return { ...planned, action: 'keep', reason: editedSince(since) };
  const owner = action === 'create' ? holding.newOwner : undefined;
  const lost = action === 'overwrite' && beyond.length > 0 ? { beyond: [...beyond] } : {};
  return withGroup({ ...planned, owner, ...lost }, lacks, route);
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
  return createHash('sha256')
    .update(JSON.stringify([hashes, groupId, chosen, facts, ...(map === undefined ? [] : [{ map }])]))
    .digest('hex');
}
