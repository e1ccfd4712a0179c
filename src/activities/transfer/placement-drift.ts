import { createHash } from 'node:crypto';
import { z } from 'zod';
import { hashed } from '../../domain/snapshot/hashing';
import { displacedParts, placementOf } from '../../domain/transfer/placements';
import { mapLimited } from '../../model/map-limited';
import { arrangement } from '../../model/transfer/arrangement';
import { ledger } from '../../model/transfer/ledger';
import { type Placement, type PlacementPart, placementParts } from '../../model/transfer/placement';
import type { Portal } from '../../portal/client';
import { REQUESTS_AT_A_TIME } from '../../portal/http/limiter';
import type { Item } from '../../portal/resources/items/item';
import { openItemFile } from '../../portal/resources/items/item-files';
import { GroupsOfItems } from '../../portal/resources/items/item-groups';
import { findItem } from '../../portal/resources/items/items';
import { keys } from '../../store/keys';
import type { Store } from '../../store/store';
import type { ActivityDeps } from '../deps';
import { lastError, lastProgress, progress, stopSignal } from '../attempt/heartbeat';
import { readIds } from './plan/stored-lists';
import { type Placed, placementsIn, Roots } from './read-placement';

export interface PlacedItems {
  readonly runId: string;
  /** The portal's name, the group and the signed-in account. */
  readonly target: {
    readonly portal: string;
    readonly groupId: string;
    readonly username?: string;
    /** Can see other users' folders. @default false */
    readonly fullAdmin?: boolean;
  };
  /** Snapshots with placements: the first that has an item decides. */
  readonly placedAsIn: readonly string[];
  /** Created items instead of overwritten ones, with the placement the run arranged. @default false */
  readonly arranged?: boolean;
  /** The imported plan; absent if copies were restored. */
  readonly planRef?: string;
}

/** Number of items whose placement changed, by the part to restore. */
export type DisplacedCounts = Readonly<Record<PlacementPart, number>>;

const displacedItem = z.object({ itemId: z.string(), parts: z.array(z.enum(placementParts)) });

/** The items with changed placement, as last saved by `displacedItems`. */
export const notedAsDisplaced = async (
  store: Store,
  runId: string,
): Promise<readonly z.infer<typeof displacedItem>[]> =>
  (await store.readJson(keys.displaced(runId), z.array(displacedItem))) ?? [];

/** Finds, saves and counts changed placements; undefined if there are none. */
export async function displacedItems(
  { portals, store, snapshots }: Pick<ActivityDeps, 'portals' | 'store' | 'snapshots'>,
  input: PlacedItems,
): Promise<DisplacedCounts | undefined> {
  const portal = portals.open(input.target.portal);
  const { fullAdmin = false } = input.target;
  const folders = input.arranged && fullAdmin ? new Roots(portal, stopSignal()) : undefined;
  const before = await desiredPlacements({ store, snapshots }, input);
  const written = input.arranged ? [...before.keys()] : await writtenItems(store, input);
  const ids = written.filter((itemId) => before.has(itemId));
  const groups = new GroupsOfItems(portal, { signal: stopSignal() }, lastError);
  let done = 0;
  const found = await mapLimited(ids, REQUESTS_AT_A_TIME, async (itemId) => {
    const { placement } = before.get(itemId) as Placed;
    const parts = await displacedOf(
      { portal, username: input.target.username, folders, groups },
      itemId,
      placement,
    );
    progress({ ...lastProgress<object>(), compared: ++done, of: ids.length });
    return { itemId, parts };
  });
  const displaced = found.filter(({ parts }) => parts.length > 0);
  await store.writeJson(keys.displaced(input.runId), displaced);
  if (displaced.length === 0) return undefined;
  const count = (part: PlacementPart) => displaced.filter(({ parts }) => parts.includes(part)).length;
  return Object.fromEntries(placementParts.map((part) => [part, count(part)])) as DisplacedCounts;
}

/** The desired placement of items, by ID. */
export async function desiredPlacements(
  { store, snapshots }: Pick<ActivityDeps, 'store' | 'snapshots'>,
  { runId, placedAsIn, arranged }: PlacedItems,
): Promise<ReadonlyMap<string, Placed>> {
  if (!arranged) return await placementsIn(snapshots, placedAsIn);
  return new Map(Object.entries((await store.readJson(keys.arrangement(runId), arrangement)) ?? {}));
}

/** IDs of what the run wrote: imported by its plan, or restored as copies. */
async function writtenItems(store: Store, { runId, planRef }: PlacedItems): Promise<readonly string[]> {
  if (planRef === undefined) return [...(await readIds(store, keys.putBack(runId)))];
  return ((await store.readJson(keys.ledger(runId), ledger))?.imported ?? []).map(({ itemId }) => itemId);
}

async function displacedOf(
  { groups, ...lookers }: PlaceReader & { readonly groups: GroupsOfItems },
  itemId: string,
  before: Placement,
): Promise<PlacementPart[]> {
  const item = await findItem(lookers.portal, itemId, { signal: stopSignal() });
  if (!item) return [];
  const { ids, unknown } = await groups.find(itemId, before.groups ?? []);
  const now = placementOf(item, [...ids, ...unknown], lookers.username);
  const place = await placeOf(lookers, item, before);
  return displacedParts(before, { ...now, ...place });
}

interface PlaceReader {
  readonly portal: Portal;
  readonly username?: string;
  readonly folders?: Roots;
}

/** An item's folder, as far as known, and whether its thumbnail is the desired one. */
export async function placeOf(
  { portal, username, folders }: PlaceReader,
  item: Item,
  desired: Placement,
): Promise<{ readonly folder?: string; readonly hasThumbnail: boolean }> {
  const { folder: told } = placementOf(item, undefined, username);
  return {
    folder: told ?? (folders && (await folderAmong(folders, item, desired))),
    hasThumbnail: desired.thumbnail === undefined || (await hasPicture(portal, item, desired.thumbnail)),
  };
}

/** Any folder other than the desired one. */
const ELSEWHERE = 'elsewhere';

/** The folder of another user's item, found by looking into the desired folder. */
async function folderAmong(
  folders: Roots,
  { id, owner }: Item,
  { owner: desired, folder }: Placement,
): Promise<string | undefined> {
  if (folder === undefined || owner === undefined || owner !== desired) return undefined;
  return (await folders.hold(owner, id, folder)) ? folder : ELSEWHERE;
}

/** Whether an item's thumbnail equals this one, byte by byte. */
async function hasPicture(
  portal: Portal,
  { id, thumbnail: path }: Item,
  { sizeBytes, sha256 }: NonNullable<Placement['thumbnail']>,
): Promise<boolean> {
  if (!path) return false;
  const opened = await openItemFile(portal, id, { kind: 'thumbnail', path }, { signal: stopSignal() });
  if (!opened) return false;
  const hash = createHash('sha256');
  let bytes = 0;
  try {
    for await (const chunk of hashed(opened.body, hash)) {
      bytes += chunk.length;
      if (bytes > sizeBytes) return false;
    }
  } finally {
    opened.body.destroy();
  }
  return hash.digest('hex') === sha256;
}
