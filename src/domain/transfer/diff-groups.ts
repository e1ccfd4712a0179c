import { missingGroups, findGroup } from './references/lookup';
import { extraRow, planRowFor, withChange, withGroup } from './plan';
import { Comparison, hostedByBoth } from '../change/comparison';
import { importedAddresses } from '../change/imported-addresses';
import { readContent } from '../change/item-content';
import { isOnePortal } from './guards/portal';
import { retrier } from './retry';
import type { Change } from '../../model/transfer/change';
import type { Portal } from '../../portal/client';
import { mapLimited } from '../../model/map-limited';
import { REQUESTS_AT_A_TIME } from '../../portal/http/limiter';
import { type PortalFacts, readPortalFacts } from './portal-facts';
import { weighItems } from './guards/guard-list';
import type { PortalPool } from '../../config/portal-pool';
import { readLayers, serviceOf } from './layers';
import {
  formatUnchangedSince,
  servicesToCompare,
  settlingTerms,
  type Untouched,
  untouched,
} from './outcomes';
import { type PlanAction, planActions, type PlanRow } from '../../model/transfer/plan';
import type { Outcome, Outcomes } from '../../model/transfer/verification';
import { PortolanError } from '../../model/errors/errors';
import type { RequestedItem } from '../../model/transfer/requested';
import type { Route } from '../../model/transfer/route';
import { listGroup, readGroupItems } from '../../portal/resources/groups';
import type { Item } from '../../portal/resources/items/item';
import { findItem } from '../../portal/resources/items/items';

/**
 * What is known of an item on both sides. `drifted`: changed on the target alone since a run has brought it. `kept`: it
 * differs, and the route leaves it as it is. `left out`: its type cannot be exported, as the table says or as the portal
 * has shown.
 */
export type Difference = 'new' | 'changed' | 'drifted' | 'kept' | 'same' | 'extra' | 'left out';

/** A plan row with the difference of both sides. */
export interface DiffRow extends PlanRow {
  readonly difference: Difference;
  /** What a sync with `overwrite: true` would do to a kept item. */
  readonly withOverwrite?: PlanAction;
}

/** Compares both groups of a route. */
export interface Diff {
  readonly route: Route;
  readonly sourceTitle?: string;
  readonly targetTitle?: string;
  readonly rows: readonly DiffRow[];
  readonly counts: Record<PlanAction, number>;
}

/** Whether a sync would change something or block an item. */
export const hasWork = ({ rows }: Pick<Diff, 'rows'>): boolean =>
  rows.some(
    ({ difference, action }) => ['new', 'changed', 'drifted'].includes(difference) || action === 'blocked',
  );

interface DiffOptions {
  /** Compare what is inside the items that differ, or may. @default false */
  readonly comparesContent?: boolean;
}

/**
 * What a sync would do, by the listings of both groups and earlier results; exports and writes nothing. In a real
 * plan the target decides, and may see more than the listings show.
 */
export async function diffGroups(
  route: Route,
  portals: PortalPool,
  known: Outcomes = {},
  { comparesContent = false }: DiffOptions = {},
): Promise<Diff> {
  const sourcePortal = portals.open(route.source.portal);
  const targetPortal = portals.open(route.target.portal);
  const [source, target] = await Promise.all([readPortalFacts(sourcePortal), readPortalFacts(targetPortal)]);
  const [sourceGroup, targetGroup] = await Promise.all([
    findGroup(sourcePortal, route.source.groupId),
    findGroup(targetPortal, route.target.groupId),
  ]);
  const [listed, inTarget] = await Promise.all([
    readGroupItems(sourcePortal, route.source.groupId),
    listGroup(targetPortal, route.target.groupId),
  ]);
  const { requested, results } = await weighItems(sourcePortal, listed, source, route);
  const missing = results.find(({ code }) => code === 'ITEM_NOT_IN_GROUP');
  if (missing !== undefined) throw new PortolanError('ITEM_NOT_IN_GROUP', missing.saw);
  const lacking = await missingGroups(
    targetPortal,
    requested.flatMap(({ group }) => group ?? []),
  );
  const terms = settlingTerms(route, source, target);
  const noted = { requested, known, terms, onTarget: inTarget };
  const [sourceLayers, targetLayers] = await Promise.all([
    readLayers(
      sourcePortal,
      requested.filter(({ itemId, hosted }) => hosted && known[itemId]?.settled),
    ),
    readLayers(targetPortal, servicesToCompare(noted).map(serviceOf), { counts: false }),
  ]);
  const on = { username: target.username, terms, ...untouched({ ...noted, sourceLayers, targetLayers }) };
  const comparison = comparesContent
    ? compareLive(sourcePortal, targetPortal, { route, source, target, listed, inTarget })
    : undefined;
  const rows = await mapLimited(requested, REQUESTS_AT_A_TIME, async (item) => {
    const found = inTarget.get(item.itemId) ?? (await findItem(targetPortal, item.itemId));
    const { group } = item;
    const inGroup = inTarget.has(item.itemId);
    const row = withGroup(
      rowOf(item, { ...on, found, inGroup }, route, known[item.itemId]),
      group && lacking.has(group) ? group : undefined,
      route,
    );
    if (!comparison || !found || !mayChange.has(row.difference)) return row;
    const { itemId, type } = row;
    return withContent(row, await comparison.changeOf({ itemId, type, held: found, inGroup }));
  });
  const desired = new Set(listed.map(({ id }) => id));
  const extras = [...inTarget.values()]
    .filter(({ id }) => !desired.has(id))
    .map((item): DiffRow => ({ ...extraRow(item), difference: 'extra' }));
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

const mayChange: ReadonlySet<Difference> = new Set(['changed', 'drifted', 'kept']);

interface Live {
  readonly route: Route;
  readonly source: PortalFacts;
  readonly target: PortalFacts;
  readonly listed: readonly Item[];
  readonly inTarget: ReadonlyMap<string, Item>;
}

/** Compares what both portals hold now. */
function compareLive(
  sourcePortal: Portal,
  targetPortal: Portal,
  { route, source, target, listed, inTarget }: Live,
): Comparison {
  const retry = retrier();
  const urls = new Map(listed.map(({ id, url }) => [id, url]));
  const services = hostedByBoth(urls, [...inTarget.values()]);
  return new Comparison(targetPortal, {
    target,
    groupId: route.target.groupId,
    coming: ({ itemId }) => readContent(sourcePortal, itemId, { retry }),
    addresses: importedAddresses({ source, target, sourceAddresses: [], services }),
    isOnePortal: isOnePortal(source, target),
  });
}

/** A row with what is inside: an identical item does not differ, and is left alone. */
function withContent(row: DiffRow, change: Change): DiffRow {
  if (change.kind !== 'same') return { ...row, change };
  const { withOverwrite: _, ...rest } = row;
  return { ...rest, ...withChange(row, change, undefined), change, difference: 'same' };
}

/** The target's state of an item, and facts for all items. */
interface OnTarget extends Untouched {
  readonly found: Item | undefined;
  readonly inGroup: boolean;
  /** The importing account. */
  readonly username?: string;
  /** As `settlingTerms` has them. */
  readonly terms: string;
}

function rowOf(
  item: RequestedItem,
  { found, inGroup, username, terms, same, drifted }: OnTarget,
  { options }: Route,
  outcome: Outcome | undefined,
): DiffRow {
  const { itemId, type, title, size } = item;
  const left = item.skip ?? (found === undefined ? skippedWords(item, outcome) : undefined);
  if (left !== undefined)
    return {
      itemId,
      type,
      title,
      size,
      action: 'keep',
      reason: `not synced: ${left}`,
      difference: 'left out',
    };
  const planned = (overwrite: boolean): PlanRow =>
    planRowFor(
      { itemId, type, title, size, exists: found !== undefined, canImport: true, modified: item.modified },
      { held: found, inGroup, username, driftedSince: drifted.get(itemId) },
      { ...options, overwrite },
    );
  const row = planned(options.overwrite);
  if (found === undefined) return { ...row, difference: 'new' };
  const settled = same.get(itemId);
  if (settled?.as === 'imported')
    return { ...row, action: 'same', reason: formatUnchangedSince(settled.runId), difference: 'same' };
  const isEdited = settled === undefined && outcome?.settled?.terms === terms;
  const change =
    changeOf(item, found, outcome) ??
    (isEdited ? `its layers were edited since ${outcome.runId}` : undefined);
  const isKept = change !== undefined && row.action === 'keep';
  return {
    ...row,
    reason: row.drifted ? row.reason : [row.reason, change].filter(Boolean).join('; ') || undefined,
    difference: change === undefined ? 'same' : isKept ? 'kept' : row.drifted ? 'drifted' : 'changed',
    withOverwrite: isKept ? planned(true).action : undefined,
  };
}

/** Items the portal itself skipped, with the run. */
function skippedWords({ type }: RequestedItem, outcome: Outcome | undefined): string | undefined {
  if (outcome?.skipped?.type !== type) return undefined;
  const { reason } = outcome.skipped;
  return `the portal skipped it in ${outcome.runId}${reason === undefined ? '' : ` (${reason})`}`;
}

/**
 * The differences of two records of an item, as text; undefined if there are none. If a run imported it, changes
 * since then count, by each portal's own clock: the import rewrote its URLs, so its size differs.
 */
function changeOf(item: RequestedItem, found: Item, outcome: Outcome | undefined): string | undefined {
  const { imported, runId } = outcome ?? {};
  if (imported?.source !== undefined && imported.target !== undefined) {
    const sides = [
      ...(item.modified === imported.source ? [] : ['in the source']),
      ...(found.modified === imported.target ? [] : ['on the target']),
    ];
    return sides.length === 0 ? undefined : `changed ${sides.join(' and ')} since ${runId}`;
  }
  const parts = [];
  if (found.title !== undefined && found.title !== item.title) parts.push(`titled "${found.title}" there`);
  if (item.size !== undefined && found.size !== undefined && item.size !== found.size)
    parts.push('another size');
  if (item.modified !== undefined && found.modified !== undefined && item.modified > found.modified) {
    parts.push('newer in the source');
  }
  return parts.length === 0 ? undefined : parts.join(', ');
}

const countActions = (rows: readonly DiffRow[]): Record<PlanAction, number> => {
  const count = (action: PlanAction) => rows.filter((row) => row.action === action).length;
  return Object.fromEntries(planActions.map((action) => [action, count(action)])) as Record<
    PlanAction,
    number
  >;
};
