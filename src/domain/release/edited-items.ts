import { mapLimited } from '../../model/map-limited';
import { createdItems, type LeftItems, leftItems } from '../../model/transfer/plan';
import type { Portal } from '../../portal/client';
import { REQUESTS_AT_A_TIME } from '../../portal/http/limiter';
import type { Item } from '../../portal/resources/items/item';
import { findItem } from '../../portal/resources/items/items';
import { keys } from '../../store/keys';
import type { Store } from '../../store/store';
import { lastEdit } from '../transfer/layers';

/** Detects edits of items since a run overwrote them. */
export class ItemsAsLeft {
  private constructor(
    private readonly portal: Portal,
    private readonly noted: LeftItems['items'],
  ) {}

  /** @param of the run that has overwritten them */
  static async of(
    of: string,
    { store, portal }: { readonly store: Store; readonly portal: Portal },
  ): Promise<ItemsAsLeft> {
    const { items = {} } = (await store.readJson(keys.left(of), leftItems)) ?? {};
    return new ItemsAsLeft(portal, items);
  }

  /** Items whose state after the run is known. */
  get ids(): readonly string[] {
    return Object.keys(this.noted);
  }

  /**
   * The item as it is now, if somebody has edited it, or if the portal told when its features were last edited and does
   * not any more; undefined if nobody has, or if it was never told.
   */
  async edited(itemId: string): Promise<Item | undefined> {
    const left = this.noted[itemId];
    // A listing may lag behind the run.
    const found = left && (await findItem(this.portal, itemId));
    if (!found) return undefined;
    const { modified } = found;
    if (modified !== undefined && left.modified !== null && modified !== left.modified) return found;
    if (typeof left.edited !== 'number') return undefined;
    return (await lastEdit(this.portal, found)) === left.edited ? undefined : found;
  }
}

/** Notes how items stand by now, besides what is noted of others. */
export async function noteAsLeft(
  of: string,
  itemIds: readonly string[],
  { store, portal }: { readonly store: Store; readonly portal: Portal },
): Promise<void> {
  const before = await store.readJson(keys.left(of), leftItems);
  const seen = await mapLimited(itemIds, REQUESTS_AT_A_TIME, async (itemId) => {
    const found = await findItem(portal, itemId);
    if (!found) return undefined;
    const edited = await lastEdit(portal, found);
    return [itemId, { modified: found.modified ?? null, ...(edited !== undefined && { edited }) }] as const;
  });
  const items = { ...before?.items, ...Object.fromEntries(seen.filter((each) => each !== undefined)) };
  await store.writeJson(keys.left(of), { items } satisfies LeftItems);
}

/**
 * Notes with earlier runs which items the rollback of a later one has returned to how they left them: these are still
 * theirs. What somebody had changed before the later run stays changed, and so do services, whose features may have been.
 *
 * @param runs those whose items were there before the rolled-back run `of`
 * @param found when each returned item was last modified, as that run found it. @format milliseconds since the epoch
 */
export async function noteReturned(
  runs: readonly string[],
  of: string,
  found: ReadonlyMap<string, number>,
  store: Store,
): Promise<void> {
  const { items: now = {} } = (await store.readJson(keys.left(of), leftItems)) ?? {};
  for (const run of runs) {
    const notes = [
      [keys.created(run), await store.readJson(keys.created(run), createdItems)],
      [keys.left(run), await store.readJson(keys.left(run), leftItems)],
    ] as const;
    for (const [key, noted] of notes) {
      const returned = Object.entries(noted?.items ?? {}).filter(
        ([itemId, { modified, edited }]) =>
          modified !== null && edited === undefined && modified === found.get(itemId),
      );
      if (returned.length === 0) continue;
      const items = returned.map(([itemId, left]) => {
        const { modified = null } = now[itemId] ?? {};
        return [itemId, { ...left, modified }] as const;
      });
      await store.writeJson(key, { ...noted, items: { ...noted?.items, ...Object.fromEntries(items) } });
    }
  }
}

/** Why an edited item is kept. */
export const editedSince = (of: string): string => `has changed since ${of}; Portolan leaves it unchanged`;
