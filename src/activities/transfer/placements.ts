import { snapshotKeys } from '../../domain/snapshot/snapshot-keys';
import { missingGroups } from '../../domain/transfer/placements';
import { PortolanError } from '../../model/errors/errors';
import { type PlacementPart, ROOT_FOLDER } from '../../model/transfer/placement';
import type { Portal } from '../../portal/client';
import type { Item } from '../../portal/resources/items/item';
import { type OwnedItem, protectItem, setThumbnail } from '../../portal/resources/items/item-files';
import { GroupsOfItems } from '../../portal/resources/items/item-groups';
import { findItem } from '../../portal/resources/items/items';
import { moveItem, reassignItem } from '../../portal/resources/items/placement';
import { shareItem } from '../../portal/resources/items/update-item';
import type { ActivityDeps } from '../deps';
import { eachItem, type ItemEnd, summaryOf } from '../attempt/each-item';
import { isRepeat, lastError } from '../attempt/heartbeat';
import { openWrite } from './open-write';
import { addIds } from './plan/stored-lists';
import { keys } from '../../store/keys';
import {
  desiredPlacements,
  type DisplacedCounts,
  displacedItems,
  notedAsDisplaced,
  type PlacedItems,
} from './placement-drift';
import { type Placed, Roots } from './read-placement';

export interface PutBackPart {
  readonly done: number;
  /** Items that still differ, one line each; the first of them. */
  readonly differing: string[];
}

/** Restores one part of an item's placement. */
type PutPartBack = (item: OwnedItem, placed: Placed, now: Item, groups: readonly string[]) => Promise<void>;

/** Compares current with previous placements of written items. Changes nothing. */
export async function findDisplaced(
  deps: ActivityDeps,
  input: PlacedItems,
): Promise<DisplacedCounts | undefined> {
  return await displacedItems(deps, input);
}

/** Restores owners. */
export async function giveItemsBack(deps: ActivityDeps, input: PlacedItems): Promise<PutBackPart> {
  return await putBack(deps, input, 'owner', (portal, options) => async (item, { placement: { owner } }) => {
    if (owner !== undefined && owner !== item.owner) await reassignItem(portal, item, owner, options);
  });
}

/** Restores folders. */
export async function moveItemsBack(deps: ActivityDeps, input: PlacedItems): Promise<PutBackPart> {
  return await putBack(deps, input, 'folder', (portal, options) => {
    // A repeat recognizes other users' items that an earlier attempt moved, if their folders are visible.
    const seen = input.target.fullAdmin && isRepeat() ? new Roots(portal, options.signal) : undefined;
    return async (item, { placement: { folder } }) => {
      if (folder === undefined || folder === (item.folderId ?? ROOT_FOLDER)) return;
      if (await seen?.hold(item.owner, item.itemId, folder)) return;
      await moveItem(portal, item, folder, options);
    };
  });
}

/** Restores sharing levels and group memberships. */
export async function shareItemsAgain(deps: ActivityDeps, input: PlacedItems): Promise<PutBackPart> {
  return await putBack(
    deps,
    input,
    'sharing',
    (portal, options) =>
      async (item, { placement: { access } }, _now, groups) =>
        await shareItem(portal, { ...item, groups, access }, options),
  );
}

/** Restores thumbnails. */
export async function putThumbnailsBack(deps: ActivityDeps, input: PlacedItems): Promise<PutBackPart> {
  const { store } = deps;
  return await putBack(
    deps,
    input,
    'thumbnail',
    (portal, options) =>
      async (item, { placement: { thumbnail }, snapshotId }) => {
        const source = thumbnail && (await store.openFile(snapshotKeys.thumbnail(snapshotId, item.itemId)));
        if (!source) throw new Error(`its thumbnail is missing from the store at ${store.where}`);
        await setThumbnail(portal, item, { path: thumbnail.path, source }, options);
      },
  );
}

/** Restores delete protection. */
export async function protectItemsAgain(deps: ActivityDeps, input: PlacedItems): Promise<PutBackPart> {
  return await putBack(deps, input, 'protection', (portal, options) => async (item, { placement }, now) => {
    const { protected: desired = false } = placement;
    if (desired !== (now.protected ?? false)) await protectItem(portal, item, desired, options);
  });
}

/** Restores one part of the placement of every item that `findDisplaced` saved. Safe to repeat. */
async function putBack(
  deps: ActivityDeps,
  input: PlacedItems,
  part: PlacementPart,
  act: (portal: Portal, options: { readonly signal: AbortSignal }) => PutPartBack,
): Promise<PutBackPart> {
  const { store } = deps;
  const { runId, target, planRef, arranged = false } = input;
  const { portal, options } = await openWrite(deps, {
    ...{ runId, planRef, places: arranged },
    target: { portal: target.portal, groupId: target.groupId },
    // Part of a write that was already allowed to start.
    hasBegun: true,
  });
  const put = act(portal, options);
  const before = await desiredPlacements(deps, input);
  const displaced = await notedAsDisplaced(store, runId);
  const ids = displaced.flatMap(({ itemId, parts }) => (parts.includes(part) ? itemId : []));
  const groups = new GroupsOfItems(portal, options, lastError);
  // Saved before the change, after which the item no longer matches what the import left.
  await addIds(store, keys.rearranged(runId), ids);
  const putOne = async (itemId: string): Promise<ItemEnd> => {
    const placed = before.get(itemId);
    if (!placed) return {};
    const now = await findItem(portal, itemId, options);
    if (!now) throw new Error('it no longer exists');
    const item = {
      owner: now.owner ?? target.username ?? '',
      itemId,
      folderId: now.ownerFolder || undefined,
    };
    const missing = part === 'sharing' ? await missingOf(groups, itemId, placed) : [];
    const placeOf = (each: OwnedItem): Promise<void> => put(each, placed, now, missing);
    await placeOf(item).catch((thrown: unknown) => {
      // Folders of other users' items are not shown, yet some portals need them in the URL: it is where it was moved.
      const { folder } = placed.placement;
      const isUntold = item.folderId === undefined && folder !== undefined && folder !== ROOT_FOLDER;
      if (!isUntold || !absent.has(PortolanError.from(thrown).code)) throw thrown;
      return placeOf({ ...item, folderId: folder });
    });
    return { isDone: true };
  };
  const how = arranged ? 'set' : 'restored';
  const ends = await eachItem<string, ItemEnd>(ids, putOne, (itemId, words) => ({
    line: `${itemId} "${before.get(itemId)?.title}": its ${part} could not be ${how}: ${words}`,
  }));
  const { done, differing } = summaryOf(ends);
  return { done, differing };
}

/** Groups that no longer hold an item. */
async function missingOf(groups: GroupsOfItems, itemId: string, { placement }: Placed): Promise<string[]> {
  const { ids } = await groups.find(itemId, placement.groups ?? []);
  return missingGroups(placement, { groups: [...ids] });
}

/** Portal responses for an item that is not at its URL. */
const absent: ReadonlySet<string> = new Set(['NOT_FOUND', 'ITEM_NOT_FOUND']);
