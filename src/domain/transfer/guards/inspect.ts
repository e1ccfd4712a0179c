import type { GuardResult } from '../../../model/run/guard';
import type { Limits, RunRoute } from '../../../model/transfer/route';
import type { Portal } from '../../../portal/client';
import type { Item } from '../../../portal/resources/items/item';
import type { CallOptions } from '../../../portal/http/request';
import { isHostedService } from '../classify-item';
import { groupReadable, mayTransfer } from './account';
import { newEnough, packable, releaseOrder, selfManaged, writable } from './deployment';
import { classifyAll, exportableItems, requestedInGroup } from './group-items';
import { twoPortals } from './one-portal';
import { itemsWithinLimit, knownBytes, packageEstimate } from './sizes';
import { type PortalFacts, readPortalFacts } from '../portal-facts';
import type { RequestedItem } from '../../../model/transfer/requested';

/** One end of a route. */
export type Side = 'source' | 'target';

/** Who a portal is, and whether it may be this end of a route. */
export async function inspectPortal(
  portal: Portal,
  side: Side,
  options?: CallOptions,
): Promise<{ facts: PortalFacts; results: GuardResult[] }> {
  const facts = await readPortalFacts(portal, options);
  const results = [
    selfManaged(facts),
    newEnough(facts),
    side === 'target' ? writable(facts) : packable(facts),
  ];
  return { facts, results };
}

/** What only both ends together tell. */
export const inspectPair = (source: PortalFacts, target: PortalFacts): GuardResult[] => [
  twoPortals(source, target),
  releaseOrder(source, target),
];

/** Whether the group is there and the account may export from it or import into it; not every portal tells its title. */
export async function inspectGroup(
  portal: Portal,
  facts: PortalFacts,
  groupId: string,
  options?: CallOptions,
): Promise<{ found: boolean; title?: string; results: GuardResult[] }> {
  const { group, result } = await groupReadable(portal, groupId, options);
  return {
    found: group !== undefined,
    title: group?.title,
    results: group ? [result, mayTransfer(facts, group)] : [result],
  };
}

/** The items of a group's listing that a run asks for, with what the checks of their kinds and sizes say. */
export function weighItems(
  listed: readonly Item[],
  facts: PortalFacts,
  route: Pick<RunRoute, 'options'>,
): { requested: RequestedItem[]; knownBytes: number; results: GuardResult[] } {
  const { items } = route.options;
  const desired = items && new Set(items);
  const classified = classifyAll(
    listed.filter((item) => !desired || desired.has(item.id)),
    facts.release,
  );
  const limits: Limits = route.options.limits;
  const results = [
    ...(items ? [requestedInGroup(items, new Set(listed.map((item) => item.id)))] : []),
    exportableItems(classified),
    itemsWithinLimit(classified, limits.itemBytes),
    packageEstimate(classified, limits.packageBytes),
  ];
  const requested = classified.map(({ item, classification }): RequestedItem => ({
    itemId: item.id,
    type: item.type ?? '?',
    title: item.title ?? item.id,
    size: item.size,
    modified: item.modified,
    url: item.url,
    typeKeywords: item.typeKeywords,
    skip: classification.verdict === 'skipped' ? classification.reason : undefined,
    doubt: classification.verdict === 'unknown' ? classification.reason : undefined,
    hosted: (classification.verdict !== 'skipped' && isHostedService(item)) || undefined,
  }));
  return { requested, knownBytes: knownBytes(classified), results };
}
