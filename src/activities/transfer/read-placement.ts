import { keepCopy } from '../../domain/snapshot/keep-copy';
import type { Snapshots } from '../../domain/snapshot/snapshots';
import { snapshotKeys } from '../../store/keys';
import type { PortalFacts } from '../../domain/transfer/portal-facts';
import { Roots } from '../../domain/transfer/places';
import { unrestorableParts, placementOf } from '../../domain/transfer/placements';
import { isSameUser } from '../../model/identity';
import { PortolanError } from '../../model/errors/errors';
import { type Placement, ROOT_FOLDER } from '../../model/transfer/placement';
import type { Portal } from '../../portal/client';
import { openItemFile } from '../../portal/resources/items/item-files';
import type { Item } from '../../portal/resources/items/item';
import { GroupsOfItems } from '../../portal/resources/items/item-groups';
import { readItem } from '../../portal/resources/items/items';
import type { Store } from '../../store/store';
import { lastError } from '../attempt/heartbeat';

/** An item's placement before it is overwritten. */
interface PlacementReading {
  /** Absent if unreadable. */
  readonly placement?: Placement;
  /** Parts that could not be restored if the portal replaces the item. */
  readonly beyond: readonly string[];
}

/** Maximum size of thumbnails. docs/reference/portal-interface.md, "Limits" @format bytes */
const THUMBNAIL_BYTES_MAX = 10 * 1024 ** 2;

/** What is shared between readings of items. */
type PlacementReader = ReturnType<typeof placementReader> & {
  /** IDs of groups whose listings show whether they hold an item. @default none */
  readonly ownGroups?: readonly string[];
};

export const placementReader = (portal: Portal, target: PortalFacts) => ({
  portal,
  target,
  roots: new Roots(portal),
  groups: new GroupsOfItems(portal, {}, lastError),
});

/** Reads an item's placement and saves its thumbnail with the snapshot. Rethrows errors that retries may fix. */
export async function readPlacement(
  reader: PlacementReader,
  store: Store,
  { itemId, snapshotId }: { readonly itemId: string; readonly snapshotId: string },
): Promise<PlacementReading> {
  const { portal, target } = reader;
  const item = await readOrUndefined(() => readItem(portal, itemId));
  if (!item) return { beyond: unrestorableParts(undefined, undefined, target) };
  const { placement, beyond } = await standingOf(reader, item);
  const thumbnail = await readOrUndefined(() => keptThumbnail(portal, store, item, snapshotId));
  return { placement: { ...placement, thumbnail }, beyond };
}

/** The placement of an item whose record was read, and which parts could not be restored. */
async function standingOf(
  { target, roots, groups, ownGroups = [] }: PlacementReader,
  item: Item,
): Promise<Required<PlacementReading>> {
  const { own, ids } = await groups.find(item.id, ownGroups);
  const told = placementOf(item, own || ids.length > 0 ? ids : undefined, target.username);
  const isInRoot =
    told.folder === undefined && target.fullAdmin && told.owner !== undefined
      ? await readOrUndefined(() => roots.hold(told.owner ?? '', item.id))
      : false;
  const placement = isInRoot ? { ...told, folder: ROOT_FOLDER } : told;
  return { placement, beyond: unrestorableParts(placement, own, target) };
}

/**
 * Which parts of an item could not be restored if an import replaces it. Reads the record of other users' items, because
 * a listing tells less about them.
 *
 * @param listed its record in the group's listing; undefined if it is not listed
 */
export async function beyondReach(
  reader: PlacementReader,
  itemId: string,
  listed: Item | undefined,
): Promise<readonly string[]> {
  const { portal, target } = reader;
  const isOwn = isSameUser(listed?.owner, target.username);
  const item = listed && isOwn ? listed : await readOrUndefined(() => readItem(portal, itemId));
  return item ? (await standingOf(reader, item)).beyond : unrestorableParts(undefined, undefined, target);
}

/** Saves an item's thumbnail with a snapshot; undefined if it has none, or the portal has lost it. */
export async function keptThumbnail(
  portal: Portal,
  store: Store,
  { id, thumbnail: path }: Item,
  snapshotId: string,
): Promise<Placement['thumbnail']> {
  if (!path) return undefined;
  const opened = await openItemFile(portal, id, { kind: 'thumbnail', path });
  if (!opened) return undefined;
  const key = snapshotKeys.thumbnail(snapshotId, id);
  return {
    path,
    ...(await keepCopy(store, key, opened, { atMost: THUMBNAIL_BYTES_MAX, portal: portal.name })),
  };
}

/** Reads; undefined if the portal refuses. */
export async function readOrUndefined<T>(read: () => Promise<T>): Promise<T | undefined> {
  try {
    return await read();
  } catch (thrown) {
    const { code } = lastError(PortolanError.from(thrown));
    if (code === 'ABORTED' || code.startsWith('STORE_')) throw thrown;
    return undefined;
  }
}

/** A placement, and the snapshot that holds its thumbnail. */
export interface Placed {
  readonly placement: Placement;
  readonly snapshotId: string;
  readonly title: string;
}

/** Placements by item ID, each from the first of these snapshots that has it. */
export async function placementsIn(
  snapshots: Snapshots,
  ids: readonly string[] = [],
): Promise<ReadonlyMap<string, Placed>> {
  const found = new Map<string, Placed>();
  for (const snapshotId of ids) {
    for (const { itemId, title, placement } of await snapshots.rowsOf(await snapshots.read(snapshotId)))
      if (placement && !found.has(itemId)) found.set(itemId, { placement, snapshotId, title });
  }
  return found;
}
