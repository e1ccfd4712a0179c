import { z } from 'zod';
import { snapshotKeys, keys } from '../../store/keys';
import { displacedParts, lostGroups } from '../../domain/transfer/placements';
import { PlaceReader, Roots } from '../../domain/transfer/places';
import type { RunOnTarget } from '../../domain/transfer/portal-facts';
import { isSameUser } from '../../model/identity';
import { PortolanError } from '../../model/errors/errors';
import { type PlacementPart, ROOT_FOLDER, placementParts, arrangement } from '../../model/transfer/placement';
import type { Item } from '../../portal/resources/items/item';
import { protectItem, setThumbnail } from '../../portal/resources/items/item-files';
import { GroupsOfItems } from '../../portal/resources/items/item-groups';
import { findItem, type OwnedItem } from '../../portal/resources/items/items';
import { moveItem, reassignItem } from '../../portal/resources/items/placement';
import { shareItem } from '../../portal/resources/items/update-item';
import type { ActivityDeps } from '../deps';
import { eachItem, countEach, type ItemEnd, summaryOf } from '../attempt/each-item';
import { isRepeat, lastError } from '../attempt/heartbeat';
import { openWrite } from './open-write';
import { addIds, readIds, readImported } from './plan/stored-lists';
import { type Placed, placementsIn } from './read-placement';
import type { Store } from '../../store/store';

export interface PlacedItems extends RunOnTarget {
  /** Snapshots with placements: the first that has an item decides. @default none */
  readonly placedAsIn?: readonly string[];
  /** Created items instead of overwritten ones, with the placement the run arranged. @default false */
  readonly arranged?: boolean;
  /** The imported plan; absent if copies were restored. */
  readonly planRef?: string;
}

/** Number of items whose placement changed, by the part to restore. */
export type DisplacedCounts = Readonly<Record<PlacementPart, number>>;

const displacedItem = z.object({ itemId: z.string(), parts: z.array(z.enum(placementParts)) });

/**
 * Compares current with previous placements of written items. Saves and counts those that changed; undefined if there
 * are none. Changes nothing on the portal.
 */
export async function findDisplaced(
  deps: ActivityDeps,
  input: PlacedItems,
): Promise<DisplacedCounts | undefined> {
  const { portals, store } = deps;
  const portal = portals.open(input.target.name);
  const before = await desiredPlacements(deps, input);
  const written = input.arranged ? [...before.keys()] : await writtenItems(store, input);
  const ids = written.filter((itemId) => before.has(itemId));
  const places = new PlaceReader(portal, new GroupsOfItems(portal, {}, lastError), input.target);
  const found = await countEach(ids, async (itemId) => {
    const { placement } = before.get(itemId) as Placed;
    const item = await findItem(portal, itemId);
    const parts = item ? displacedParts(placement, await places.read(item, placement)) : [];
    return { itemId, parts };
  });
  const displaced = found.filter(({ parts }) => parts.length > 0);
  await store.writeJson(keys.displaced(input.runId), displaced);
  if (displaced.length === 0) return undefined;
  const count = (part: PlacementPart) => displaced.filter(({ parts }) => parts.includes(part)).length;
  return Object.fromEntries(placementParts.map((part) => [part, count(part)])) as DisplacedCounts;
}

/** Restores one part of an item's placement. @param groups that no longer hold it */
type RestoreOne = (item: OwnedItem, placed: Placed, now: Item, groups: readonly string[]) => Promise<void>;

type Opened = Awaited<ReturnType<typeof openWrite>>;

/** How each part of a placement is restored. */
const restorers: Record<
  PlacementPart,
  (opened: Opened, deps: ActivityDeps, input: PlacedItems) => RestoreOne
> = {
  owner:
    ({ portal }) =>
    async (item, { placement: { owner } }) => {
      if (owner !== undefined && !isSameUser(owner, item.owner)) await reassignItem(portal, item, owner);
    },
  folder: ({ portal }, _deps, { target }) => {
    // A repeat recognizes other users' items that an earlier attempt moved, if their folders are visible.
    const seen = target.fullAdmin && isRepeat() ? new Roots(portal) : undefined;
    return async (item, { placement: { folder } }) => {
      if (folder === undefined || folder === (item.folderId ?? ROOT_FOLDER)) return;
      if (await seen?.hold(item.owner, item.itemId, folder)) return;
      await moveItem(portal, item, folder);
    };
  },
  sharing:
    ({ portal }) =>
    async (item, { placement: { access } }, _now, groups) =>
      await shareItem(portal, { ...item, groups, access }),
  thumbnail:
    ({ portal }, { store }) =>
    async (item, { placement: { thumbnail }, snapshotId }) => {
      const source = thumbnail && (await store.openFile(snapshotKeys.thumbnail(snapshotId, item.itemId)));
      if (!source) throw new Error(`its thumbnail is missing from the store at ${store.where}`);
      await setThumbnail(portal, item, { path: thumbnail.path, source });
    },
  protection:
    ({ portal }) =>
    async (item, { placement: { protected: desired = false } }, now) => {
      if (desired !== (now.protected ?? false)) await protectItem(portal, item, desired);
    },
};

/**
 * Restores one part of the placement of every item that `findDisplaced` saved. Safe to repeat.
 * @returns the items that still differ, one line each; the first of them
 */
export async function restorePart(
  deps: ActivityDeps,
  input: PlacedItems & { readonly part: PlacementPart },
): Promise<{ readonly differing: string[] }> {
  const { store } = deps;
  const { runId, target, arranged, part } = input;
  // Part of a write that was already allowed to start.
  const opened = await openWrite(deps, input, { places: arranged, hasBegun: true });
  const { portal } = opened;
  const restore = restorers[part](opened, deps, input);
  const before = await desiredPlacements(deps, input);
  const displaced = (await store.readJson(keys.displaced(runId), z.array(displacedItem))) ?? [];
  const ids = displaced.flatMap(({ itemId, parts }) => (parts.includes(part) ? itemId : []));
  const groups = new GroupsOfItems(portal, {}, lastError);
  // Saved before the change, after which the item no longer matches what the import left.
  await addIds(store, keys.rearranged(runId), ids);
  const restoreOne = async (itemId: string): Promise<ItemEnd> => {
    const placed = before.get(itemId);
    if (!placed) return {};
    const now = await findItem(portal, itemId);
    if (!now) throw new Error('it no longer exists');
    const item = {
      owner: now.owner ?? target.username ?? '',
      itemId,
      folderId: now.ownerFolder || undefined,
    };
    const missing = part === 'sharing' ? await missingOf(groups, itemId, placed) : [];
    await restore(item, placed, now, missing).catch((thrown: unknown) => {
      // Folders of other users' items are not shown, yet some portals need them in the URL: it is where it was moved.
      const { folder } = placed.placement;
      const isUntold = item.folderId === undefined && folder !== undefined && folder !== ROOT_FOLDER;
      if (!isUntold || !absent.has(PortolanError.from(thrown).code)) throw thrown;
      return restore({ ...item, folderId: folder }, placed, now, missing);
    });
    return { isDone: true };
  };
  const how = arranged ? 'set' : 'restored';
  const ends = await eachItem(ids, restoreOne, (itemId, words) => ({
    line: `${itemId} "${before.get(itemId)?.title}": its ${part} could not be ${how}: ${words}`,
  }));
  const { differing } = summaryOf(ends);
  return { differing };
}

/** Groups that no longer hold an item. */
async function missingOf(groups: GroupsOfItems, itemId: string, { placement }: Placed): Promise<string[]> {
  const { ids } = await groups.find(itemId, placement.groups ?? []);
  return lostGroups(placement, { groups: [...ids] });
}

/** Portal responses for an item that is not at its URL. */
const absent: ReadonlySet<string> = new Set(['NOT_FOUND', 'ITEM_NOT_FOUND']);

/** The desired placement of items, by ID. */
async function desiredPlacements(
  { store, snapshots }: ActivityDeps,
  { runId, placedAsIn, arranged }: PlacedItems,
): Promise<ReadonlyMap<string, Placed>> {
  if (!arranged) return await placementsIn(snapshots, placedAsIn);
  return new Map(Object.entries((await store.readJson(keys.arrangement(runId), arrangement)) ?? {}));
}

/** IDs of what the run wrote: imported by its plan, or restored as copies. */
async function writtenItems(store: Store, { runId, planRef }: PlacedItems): Promise<readonly string[]> {
  if (planRef === undefined) return [...(await readIds(store, keys.putBack(runId)))];
  return (await readImported(store, runId)).map(({ itemId }) => itemId);
}
