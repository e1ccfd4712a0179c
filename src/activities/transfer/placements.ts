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
  /** Items that stay otherwise, a line each; the first of them. */
  readonly differing: string[];
}

/** What is done with one item whose part of its placement is to be put back. */
type PutPartBack = (item: OwnedItem, placed: Placed, now: Item, groups: readonly string[]) => Promise<void>;

export function createPlacementActivities({ portals, store, snapshots, authority }: ActivityDeps) {
  return {
    /** Compares how what was imported, or put back as a copy, stands with how it stood. Changes nothing. */
    async findDisplaced(input: PlacedItems): Promise<DisplacedCounts | undefined> {
      return await displacedItems({ portals, store, snapshots }, input);
    },

    /** Gives items back to who owned them. */
    async giveItemsBack(input: PlacedItems): Promise<PutBackPart> {
      return await putBack(input, 'owner', (portal, options) => async (item, { placement: { owner } }) => {
        if (owner !== undefined && owner !== item.owner) await reassignItem(portal, item, owner, options);
      });
    },

    /** Moves items back into the folders in which they lay. */
    async moveItemsBack(input: PlacedItems): Promise<PutBackPart> {
      return await putBack(input, 'folder', (portal, options) => {
        // A repeat sees of others what an earlier attempt has moved, where their folders are shown.
        const seen = input.target.fullAdmin && isRepeat() ? new Roots(portal, options.signal) : undefined;
        return async (item, { placement: { folder } }) => {
          if (folder === undefined || folder === (item.folderId ?? ROOT_FOLDER)) return;
          if (await seen?.hold(item.owner, item.itemId, folder)) return;
          await moveItem(portal, item, folder, options);
        };
      });
    },

    /** Shows items to whom they were shown, and adds them to the groups that held them. */
    async shareItemsAgain(input: PlacedItems): Promise<PutBackPart> {
      return await putBack(
        input,
        'sharing',
        (portal, options) =>
          async (item, { placement: { access } }, _now, groups) =>
            await shareItem(portal, { ...item, groups, access }, options),
      );
    },

    /** Gives items the pictures that they had. */
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

    /** Protects items against being deleted, or not, as they were. */
    async protectItemsAgain(input: PlacedItems): Promise<PutBackPart> {
      return await putBack(input, 'protection', (portal, options) => async (item, { placement }, now) => {
        const { protected: desired = false } = placement;
        if (desired !== (now.protected ?? false)) await protectItem(portal, item, desired, options);
      });
    },
  };

  /** One part of the placement of every item that `findDisplaced` noted. Putting back again is putting back once. */
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
      // It belongs to what the run has written, which was allowed to begin.
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
    // Noted before anything is changed: after it an item's record is another one than the import left.
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
          // Of items of others the folder is not told, and some portals take calls only there: it lies where it was moved.
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

/** Groups that held an item and do not any more. */
async function missingOf(groups: GroupsOfItems, itemId: string, { placement }: Placed): Promise<string[]> {
  const { ids } = await groups.find(itemId, placement.groups ?? []);
  return missingGroups(placement, { groups: [...ids] });
}

/** How portals answer for an item that is not where it is addressed. */
const absent: ReadonlySet<string> = new Set(['NOT_FOUND', 'ITEM_NOT_FOUND']);
