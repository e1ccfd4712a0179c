import { mapLimited } from '../../model/map-limited';
import type { ListedGroup, PromotionEntry } from '../../model/release/promotion';
import type { Portal } from '../../portal/client';
import { REQUESTS_AT_A_TIME } from '../../portal/http/limiter';
import { groupContentPages } from '../../portal/resources/groups';
import { type Item, listedItem } from '../../portal/resources/items/item';

/** What each group of a stage lists, by the name that the pipeline has for it. */
export type StageListing = ReadonlyMap<string, readonly Item[]>;

/** Lists the groups of a stage. Throws what its portal answers. @param onGroup is told how many are listed */
export async function listStage(
  portal: Portal,
  groups: readonly { readonly name: string; readonly groupId: string }[],
  onGroup?: (listed: number) => void,
): Promise<StageListing> {
  let listed = 0;
  const all = await mapLimited(groups, REQUESTS_AT_A_TIME, async ({ name, groupId }) => {
    const items: Item[] = [];
    for await (const page of groupContentPages(portal, groupId)) items.push(...page.map(listedItem));
    onGroup?.(++listed);
    return [name, items] as const;
  });
  return new Map(all);
}

/** What a listing comes to, as an entry keeps it. */
export const marksOf = (listing: StageListing): Record<string, ListedGroup> =>
  Object.fromEntries(
    [...listing].map(([name, items]) => [
      name,
      { items: items.length, modified: Math.max(0, ...items.map(({ modified = 0 }) => modified)) },
    ]),
  );

/** What has become of the groups of a stage since the last promotion there, or the last way back from one. */
export interface Drift {
  /** Ids of items that were changed since, or came to a group since. */
  readonly edited: readonly string[];
  /** How many items fewer the groups hold. */
  readonly fewer: number;
}

/** By the last entry of the stage; undefined where there is none that tells. */
export function driftSince(listed: PromotionEntry['listed'], listing: StageListing): Drift | undefined {
  if (!listed) return undefined;
  const edited: string[] = [];
  let fewer = 0;
  for (const [name, items] of listing) {
    const before = listed[name];
    if (!before) continue;
    const changed = items.filter(({ modified = 0 }) => modified > before.modified);
    edited.push(...changed.map(({ id }) => id));
    fewer += Math.max(0, before.items - items.length);
  }
  return { edited: [...new Set(edited)], fewer };
}
