import type { GuardResult } from '../../../model/run/guard';
import type { Side } from '../../../model/transfer/guard-steps';
import type { RequestedItem } from '../../../model/transfer/requested';
import { excludedFrom } from '../../../model/transfer/exclusion';
import type { RouteTarget, RunRoute } from '../../../model/transfer/route';
import type { Portal } from '../../../portal/client';
import type { CallOptions } from '../../../portal/http/request';
import type { Item } from '../../../portal/resources/items/item';
import { isHostedService } from '../classify-item';
import { groupShownBy, readAppData } from '../group-apps';
import { type PortalFacts, readPortalFacts } from '../portal-facts';
import { recordMark } from '../unchanged-items';
import { groupReadable } from './account';
import type { DiskShares } from './disk-shares';
import { classifyAll } from './group-items';
import { askGuards } from './guard-list';

/** Who a portal is, and whether it may be this end of a route. */
export async function inspectPortal(
  portal: Portal,
  side: Side,
  options?: CallOptions,
  into?: Pick<RouteTarget, 'folderId' | 'folderOwner'>,
): Promise<{ facts: PortalFacts; results: GuardResult[] }> {
  const facts = await readPortalFacts(portal, options);
  return { facts, results: await askGuards('portal', { portal, facts, into }, { side }, options) };
}

/** Whether the group is there and the account may export from it or import into it; not every portal tells its title. */
export async function inspectGroupOn(
  portal: Portal,
  facts: PortalFacts,
  groupId: string,
  options?: CallOptions,
): Promise<{ found: boolean; title?: string; results: GuardResult[] }> {
  const reading = await groupReadable(portal, groupId, options);
  return {
    found: reading.group !== undefined,
    title: reading.group?.title,
    results: await askGuards('group', { facts, reading }),
  };
}

/**
 * The items of a group's listing that a run asks for, with what the checks of their kinds and sizes say. Apps are judged
 * by their data as well, which is read for that.
 * @param excluded what the route leaves out, by ids with the reason; told where the listing has lost its tags
 */
export async function weighItems(
  portal: Portal,
  listed: readonly Item[],
  facts: PortalFacts,
  { options: { items: chosen, limits, exclude } }: Pick<RunRoute, 'options'>,
  excluded: ReadonlyMap<string, string> = excludedFrom(listed, exclude),
  options?: CallOptions,
): Promise<{ requested: RequestedItem[]; results: GuardResult[] }> {
  const desired = chosen && new Set(chosen);
  const asked = listed.filter((item) => !desired || desired.has(item.id));
  const going = asked.filter(({ id }) => !excluded.has(id));
  const appData = await readAppData(portal, going, options);
  const classified = classifyAll(asked, facts.release, excluded, appData);
  const inGroup = new Set(listed.map((item) => item.id));
  const requested = classified.map(({ item, classification }): RequestedItem => ({
    itemId: item.id,
    type: item.type ?? '?',
    title: item.title ?? item.id,
    size: item.size,
    modified: item.modified,
    url: item.url,
    typeKeywords: item.typeKeywords,
    mark: recordMark(item),
    skip: classification.verdict === 'skipped' ? classification.reason : undefined,
    excluded: excluded.has(item.id) || undefined,
    group: groupShownBy(appData.get(item.id)),
    doubt: classification.verdict === 'unknown' ? classification.reason : undefined,
    hosted: (classification.verdict !== 'skipped' && isHostedService(item)) || undefined,
    part: 0,
  }));
  return {
    requested,
    results: await askGuards('items', { inGroup, chosen, requested: classified, limits }),
  };
}

/** What is asked of a target once more after somebody was waited for. */
export interface AskedAgain {
  readonly groupId: string;
  readonly into: Pick<RouteTarget, 'folderId' | 'folderOwner'>;
  readonly minBytes: number;
  readonly shares: DiskShares;
}

/**
 * The guards whose answer may have become another one while somebody was waited for, once more: of the target, since
 * all that is still to be done is done there.
 */
export async function inspectAgain(
  portal: Portal,
  { groupId, into, minBytes, shares }: AskedAgain,
  options?: CallOptions,
): Promise<GuardResult[]> {
  const asked = { side: 'target', again: true } as const;
  const facts = await readPortalFacts(portal, options);
  const [reading, ofPortal, ofDisk] = await Promise.all([
    groupReadable(portal, groupId, options),
    askGuards('portal', { portal, facts, into }, asked, options),
    askGuards('disk', { portal, version: facts.release, minBytes, shares }, asked, options),
  ]);
  return [...ofPortal, ...(await askGuards('group', { facts, reading }, asked)), ...ofDisk];
}
