import { findGroup } from './group-record';
import { mapLimited } from '../../model/map-limited';
import { REQUESTS_AT_A_TIME } from '../../portal/http/limiter';
import { type PortalFacts, readPortalFacts } from './portal-facts';
import { weighItems } from './guards/inspect';
import type { PortalPool } from '../../config/portal-pool';
import { planRowFor } from './plan-rules';
import { type PlanAction, planActions, type PlanRow } from '../../model/transfer/plan';
import { PortolanError } from '../../model/errors/errors';
import type { RequestedItem } from '../../model/transfer/requested';
import type { Route } from '../../model/transfer/route';
import { groupContentPages } from '../../portal/resources/groups';
import type { Item } from '../../portal/resources/items/item';
import { findItem } from '../../portal/resources/items/items';

/** What the two listings say of an item. `left out`: its type cannot be exported. */
export type Difference = 'new' | 'changed' | 'same' | 'extra' | 'left out';

/** A plan's row, with what sets the two sides apart. */
export interface DiffRow extends PlanRow {
  readonly difference: Difference;
}

/** Both groups of a route side by side. */
export interface Diff {
  readonly route: Route;
  readonly sourceTitle?: string;
  readonly targetTitle?: string;
  readonly rows: readonly DiffRow[];
  readonly counts: Record<PlanAction, number>;
}

/**
 * What a sync would do, by the listings of both groups alone: nothing is exported and nothing written. The
 * target has the last word in a real plan, which can also see what the listings do not.
 */
export async function diffGroups(route: Route, portals: PortalPool): Promise<Diff> {
  const sourcePortal = portals.open(route.source.portal);
  const targetPortal = portals.open(route.target.portal);
  const [source, target] = await Promise.all([readPortalFacts(sourcePortal), readPortalFacts(targetPortal)]);
  const [sourceGroup, targetGroup] = await Promise.all([
    findGroup(sourcePortal, route.source.groupId),
    findGroup(targetPortal, route.target.groupId),
  ]);
  const [listed, held] = await Promise.all([
    listGroup(portals, route.source.portal, route.source.groupId),
    listGroup(portals, route.target.portal, route.target.groupId),
  ]);
  const { requested, results } = await weighItems(listed, source, route);
  const missing = results.find(({ code }) => code === 'ITEM_NOT_IN_GROUP');
  if (missing !== undefined) throw new PortolanError('ITEM_NOT_IN_GROUP', missing.saw);
  const inTarget = new Map(held.map((item) => [item.id, item]));
  const rows = await mapLimited(requested, REQUESTS_AT_A_TIME, async (item) => {
    const found = inTarget.get(item.itemId) ?? (await findItem(targetPortal, item.itemId));
    return rowOf(item, found, inTarget.has(item.itemId), target, route);
  });
  const desired = new Set(listed.map(({ id }) => id));
  const extras = held.filter(({ id }) => !desired.has(id)).map(extraRow);
  const all = [...rows, ...extras].sort(
    (a, b) => planActions.indexOf(a.action) - planActions.indexOf(b.action),
  );
  return {
    route,
    sourceTitle: sourceGroup.group.title,
    targetTitle: targetGroup.group.title,
    rows: all,
    counts: countActions(all),
  };
}

async function listGroup(portals: PortalPool, portal: string, groupId: string): Promise<Item[]> {
  const items: Item[] = [];
  for await (const page of groupContentPages(portals.open(portal), groupId)) items.push(...page);
  return items;
}

function rowOf(
  item: RequestedItem,
  found: Item | undefined,
  inGroup: boolean,
  target: PortalFacts,
  { options }: Route,
): DiffRow {
  const { itemId, type, title, size } = item;
  if (item.skip !== undefined) {
    return {
      itemId,
      type,
      title,
      size,
      action: 'keep',
      reason: `left out: ${item.skip}`,
      difference: 'left out',
    };
  }
  const row = planRowFor(
    { itemId, type, title, size, exists: found !== undefined, canImport: true, modified: item.modified },
    { held: found, inGroup, username: target.username },
    options,
  );
  if (found === undefined) return { ...row, difference: 'new' };
  const change = changeOf(item, found);
  return {
    ...row,
    reason: [row.reason, change].filter(Boolean).join('; ') || undefined,
    difference: change === undefined ? 'same' : 'changed',
  };
}

/** How two records of one item differ, in words; undefined where the listings show no difference. */
function changeOf(item: RequestedItem, found: Item): string | undefined {
  const parts = [];
  if (found.title !== undefined && found.title !== item.title) parts.push(`titled "${found.title}" there`);
  if (item.size !== undefined && found.size !== undefined && item.size !== found.size)
    parts.push('another size');
  if (item.modified !== undefined && found.modified !== undefined && item.modified > found.modified) {
    parts.push('newer in the source');
  }
  return parts.length === 0 ? undefined : parts.join(', ');
}

const extraRow = (item: Item): DiffRow => ({
  itemId: item.id,
  type: item.type ?? '?',
  title: item.title ?? item.id,
  size: item.size,
  action: 'extra',
  difference: 'extra',
});

const countActions = (rows: readonly DiffRow[]): Record<PlanAction, number> => {
  const counts: Record<PlanAction, number> = { create: 0, overwrite: 0, keep: 0, blocked: 0, extra: 0 };
  for (const { action } of rows) counts[action] += 1;
  return counts;
};
