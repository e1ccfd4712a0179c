import { snapshotKeys } from '../../domain/snapshot/snapshot-keys';
import { missingGroups } from '../../domain/transfer/placements';
import { PortolanError } from '../../model/errors/errors';
import { WARNINGS_MAX } from '../../model/run/warnings';
import type { RestoreInput } from '../../model/run/snapshot-input';
import { type PlacementPart, ROOT_FOLDER } from '../../model/transfer/placement';
import { planIdentity } from '../../model/transfer/plan-hash';
import type { Portal } from '../../portal/client';
import type { Item } from '../../portal/resources/items/item';
import { type OwnedItem, protectItem, setThumbnail } from '../../portal/resources/items/item-files';
import { GroupsOfItems } from '../../portal/resources/items/item-groups';
import { findItem } from '../../portal/resources/items/items';
import { moveItem, reassignItem } from '../../portal/resources/items/placement';
import { shareItem } from '../../portal/resources/items/update-item';
import type { ActivityDeps } from '../deps';
import { isRepeat, lastError, progress, stopSignal } from '../attempt/heartbeat';
import {
  desiredPlacements,
  type DisplacedCounts,
  displacedItems,
  notedAsDisplaced,
  noteRearranged,
  type PlacedItems,
} from './placement-drift';
import { readPlanFile, requireOwnPlan } from './plan/stored-lists';
import { type Placed, Roots } from './read-placement';

export interface PutBackPart {
  readonly done: number;
  /** Items that still differ, one line each; the first of them. */
  readonly differing: string[];
}

/** Restores one part of an item's placement. */
type PutPartBack = (item: OwnedItem, placed: Placed, now: Item, groups: readonly string[]) => Promise<void>;

export function createPlacementActivities({ portals, store, snapshots, authority }: ActivityDeps) {
  return {
    /** Compares current with previous placements of written items. Changes nothing. */
    async findDisplaced(input: PlacedItems): Promise<DisplacedCounts | undefined> {
      return await displacedItems({ portals, store, snapshots }, input);
    },

    /** Restores owners. */
    async giveItemsBack(input: PlacedItems): Promise<PutBackPart> {
      return await putBack(input, 'owner', (portal, options) => async (item, { placement: { owner } }) => {
        if (owner !== undefined && owner !== item.owner) await reassignItem(portal, item, owner, options);
      });
    },

    /** Restores folders. */
    async moveItemsBack(input: PlacedItems): Promise<PutBackPart> {
      return await putBack(input, 'folder', (portal, options) => {
        // A repeat recognizes other users' items that an earlier attempt moved, if their folders are visible.
        const seen = input.target.fullAdmin && isRepeat() ? new Roots(portal, options.signal) : undefined;
        return async (item, { placement: { folder } }) => {
          if (folder === undefined || folder === (item.folderId ?? ROOT_FOLDER)) return;
          if (await seen?.hold(item.owner, item.itemId, folder)) return;
          await moveItem(portal, item, folder, options);
        };
      });
    },

    /** Restores sharing levels and group memberships. */
    async shareItemsAgain(input: PlacedItems): Promise<PutBackPart> {
      return await putBack(
        input,
        'sharing',
        (portal, options) =>
          async (item, { placement: { access } }, _now, groups) =>
            await shareItem(portal, { ...item, groups, access }, options),
      );
    },

    /** Restores thumbnails. */
    async putThumbnailsBack(input: PlacedItems): Promise<PutBackPart> {
      return await putBack(
        input,
        'thumbnail',
        (portal, options) =>
          async (item, { placement: { thumbnail }, snapshotId }) => {
            const source =
              thumbnail && (await store.openFile(snapshotKeys.thumbnail(snapshotId, item.itemId)));
            if (!source) throw new Error(`its thumbnail is missing from the store at ${store.where}`);
            await setThumbnail(portal, item, { path: thumbnail.path, source }, options);
          },
      );
    },

    /** Restores delete protection. */
    async protectItemsAgain(input: PlacedItems): Promise<PutBackPart> {
      return await putBack(input, 'protection', (portal, options) => async (item, { placement }, now) => {
        const { protected: desired = false } = placement;
        if (desired !== (now.protected ?? false)) await protectItem(portal, item, desired, options);
      });
    },
  };

  /** Restores one part of the placement of every item that `findDisplaced` saved. Safe to repeat. */
  async function putBack(
    input: PlacedItems,
    part: PlacementPart,
    act: (portal: Portal, options: { readonly signal: AbortSignal }) => PutPartBack,
  ): Promise<PutBackPart> {
    const { runId, target, planRef, arranged = false } = input;
    if (arranged)
      await authority.requireSigned(
        runId,
        'restore',
        (signed) => (signed as RestoreInput).putRight !== undefined,
      );
    if (planRef !== undefined) requireOwnPlan(runId, planRef);
    await authority.require(runId, {
      target: { portal: target.portal, groupId: target.groupId },
      // Part of a write that was already allowed to start.
      hasBegun: true,
      ...(planRef !== undefined && { plan: planIdentity(await readPlanFile(store, planRef)) }),
    });
    const portal = portals.open(target.portal);
    const options = { signal: stopSignal() };
    const put = act(portal, options);
    const before = await desiredPlacements({ store, snapshots }, input);
    const rows = (await notedAsDisplaced(store, runId)).filter(({ parts }) => parts.includes(part));
    const groups = new GroupsOfItems(portal, options, lastError);
    const differing: string[] = [];
    let done = 0;
    // Saved before the change, after which the item no longer matches what the import left.
    await noteRearranged(
      store,
      runId,
      rows.map(({ itemId }) => itemId),
    );
    for (const { itemId } of rows) {
      const placed = before.get(itemId);
      if (!placed) continue;
      try {
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
        done += 1;
      } catch (thrown) {
        const error = lastError(thrown);
        differing.push(
          `${itemId} "${placed.title}": its ${part} could not be ${arranged ? 'set' : 'restored'}: ${error.plainMessage}`,
        );
      }
      progress({ done, of: rows.length, part });
    }
    return { done, differing: differing.slice(0, WARNINGS_MAX) };
  }
}

/** Groups that no longer hold an item. */
async function missingOf(groups: GroupsOfItems, itemId: string, { placement }: Placed): Promise<string[]> {
  const { ids } = await groups.find(itemId, placement.groups ?? []);
  return missingGroups(placement, { groups: [...ids] });
}

/** Portal responses for an item that is not at its URL. */
const absent: ReadonlySet<string> = new Set(['NOT_FOUND', 'ITEM_NOT_FOUND']);
