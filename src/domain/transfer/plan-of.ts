import { createHash } from 'node:crypto';
import type { Plan, PlanRow } from '../../model/transfer/plan';
import { shortHash } from '../../model/transfer/plan-hash';
import type { PreviewRow } from '../../model/transfer/preview';
import type { RequestedItem } from '../../model/transfer/requested';
import type { Route, RouteOptions, RouteTarget } from '../../model/transfer/route';
import type { Item } from '../../portal/resources/items/item';
import { editedSince } from '../release/edited-items';
import { withGroup } from './group-apps';
import { planRowFor, untouchedRow } from './plan-rules';

/** A preview row and the index of its package. */
export type RowOfPart = PreviewRow & { readonly part: number };

/** What both portals and the run's files show before a plan is made. Maps and sets are by item ID. */
export interface PlanEvidence {
  readonly route: Route;
  /** The importing account. */
  readonly username?: string;
  readonly packages: Plan['packages'];
  readonly preview: readonly RowOfPart[];
  readonly requested: readonly RequestedItem[];
  /** Everything in the source group, requested or not. */
  readonly inSource: ReadonlySet<string>;
  /** The target group. */
  readonly group: ReadonlyMap<string, Item>;
  /** Requested items that exist on the target outside the group. */
  readonly outsiders: ReadonlyMap<string, Item>;
  /** Other groups of items in the target group, as far as known. */
  readonly groupsOf: ReadonlyMap<string, readonly string[]>;
  /** Owners that created items will get. @default the importing account */
  readonly owners: ReadonlyMap<string, string>;
  /** Source groups that configure apps and do not exist on the target, by group ID. */
  readonly lacking: ReadonlySet<string>;
  /** Why items must not be overwritten: they belong to a stage. */
  readonly heldBack: ReadonlyMap<string, string>;
  /** `modified` after the route's last run. */
  readonly lastModified: Readonly<Record<string, number>>;
  /** The package is the safeguard of a rolled-back run. @default false */
  readonly undoes?: boolean;
  /** Rows of earlier packages, which are imported by now. */
  readonly imported: readonly PlanRow[];
  /** What a rollback restores from copies and deletes. */
  readonly undone: readonly PlanRow[];
  /** sha256 of the run's map. */
  readonly map?: string;
  readonly packageAdded?: number;
  readonly readAt: string;
}

/** What is read only of the items that would be overwritten. Maps and sets are by item ID. */
export interface OverwriteEvidence {
  /** Items that people edited since the run that is rolled back, and that run. */
  readonly edited?: { readonly since: string; readonly items: ReadonlySet<string> };
  /** What could not be restored if the portal replaced the item. */
  readonly beyond: ReadonlyMap<string, readonly string[]>;
}

/** The requested items that the packages hold. */
export function comingItems({
  preview,
  requested,
}: Pick<PlanEvidence, 'preview' | 'requested'>): RowOfPart[] {
  const partOf = new Map(
    requested.flatMap(({ itemId, part, excluded, same }) => (excluded || same ? [] : [[itemId, part]])),
  );
  // Items added to the group after the run began are left for the next one; excluded items are in no plan.
  // A package may hold an earlier state of an item in another package.
  return preview.filter(({ itemId, part }) => partOf.get(itemId) === part);
}

/** The rows of coming items, as long as nobody has edited what they overwrite. */
export function comingRows(evidence: PlanEvidence): PlanRow[] {
  const { route, username, requested, group, outsiders, groupsOf, owners, heldBack, lastModified } = evidence;
  const driftedSince = new Map(requested.map(({ itemId, drifted }) => [itemId, drifted]));
  return comingItems(evidence).map((row) => {
    const { itemId, part } = row;
    const owner = owners.get(itemId);
    const holding = {
      held: group.get(itemId) ?? outsiders.get(itemId),
      inGroup: group.has(itemId),
      groups: groupsOf.get(itemId),
      username,
      isUndone: evidence.undoes,
      newOwner: owner,
      lastModified: lastModified[itemId],
      driftedSince: driftedSince.get(itemId),
      heldBack: heldBack.get(itemId),
    };
    const planned = planRowFor(row, holding, route.options);
    return { ...planned, owner: planned.action === 'create' ? owner : undefined, part };
  });
}

/** Decides what a run will do. */
export function planOf(evidence: PlanEvidence, { edited, beyond }: OverwriteEvidence): Plan {
  const { route, packages, preview, requested, inSource, group, lacking, imported, undone, map } = evidence;
  const shownBy = new Map(requested.map((item) => [item.itemId, item.group]));
  const coming = comingRows(evidence).map((row): PlanRow => {
    if (row.action === 'overwrite' && edited?.items.has(row.itemId))
      return { ...row, action: 'keep', reason: editedSince(edited.since) };
    const lost = row.action === 'overwrite' ? (beyond.get(row.itemId) ?? []) : [];
    const shown = shownBy.get(row.itemId);
    return withGroup(
      { ...row, ...(lost.length > 0 && { beyond: [...lost] }) },
      shown && lacking.has(shown) ? shown : undefined,
      route,
    );
  });
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
    hash: shortHash(sha256),
    sha256,
    packages,
    targetGroupId: route.target.groupId,
    arrivedLater: preview.filter(({ itemId }) => !inSource.has(itemId)).length,
    readAt: evidence.readAt,
    packageAdded: evidence.packageAdded,
    rows,
  };
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
