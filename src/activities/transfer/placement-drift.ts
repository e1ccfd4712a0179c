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
import { type Placed, placementsIn, Roots } from './read-placement';

export interface PlacedItems {
  readonly runId: string;
  /** The portal's name, the group, and the account that is signed in there. */
  readonly target: {
    readonly portal: string;
    readonly groupId: string;
    readonly username?: string;
    /** Sees what lies in folders of others. @default false */
    readonly fullAdmin?: boolean;
  };
  /** Snapshots that say how the items stood: the first that knows of one decides. */
  readonly placedAsIn: readonly string[];
  /** What the run created, in place of that: it is to stand as the run has arranged. @default false */
  readonly arranged?: boolean;
  /** The plan that was imported; absent where copies were put back. */
  readonly planRef?: string;
}

/** How many items stand otherwise than before, by what is to be put back. */
export type DisplacedCounts = Readonly<Record<PlacementPart, number>>;

const displacedItem = z.object({ itemId: z.string(), parts: z.array(z.enum(placementParts)) });

/** The items that a run has displaced, as `displacedItems` noted them last. */
export const notedAsDisplaced = async (
  store: Store,
  runId: string,
): Promise<readonly z.infer<typeof displacedItem>[]> =>
  (await store.readJson(keys.displaced(runId), z.array(displacedItem))) ?? [];

/** What stands otherwise than before is noted for the run, and counted; undefined where nothing does. */
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

/** How items are to stand, by their id. */
export async function desiredPlacements(
  { store, snapshots }: Pick<ActivityDeps, 'store' | 'snapshots'>,
  { runId, placedAsIn, arranged }: PlacedItems,
): Promise<ReadonlyMap<string, Placed>> {
  if (!arranged) return await placementsIn(snapshots, placedAsIn);
  return new Map(Object.entries((await store.readJson(keys.arrangement(runId), arrangement)) ?? {}));
}

/** Ids of what the run has written: imported by its plan, or put back as copies. */
async function writtenItems(store: Store, { runId, planRef }: PlacedItems): Promise<readonly string[]> {
  if (planRef === undefined) return (await store.readJson(keys.putBack(runId), z.array(z.string()))) ?? [];
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

/** Where an item lies, as far as that is told or seen, and whether its picture is the one that it is to have. */
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

/** Anything but the folder in which it is to lie, where it is seen not to lie there. */
const ELSEWHERE = 'elsewhere';

/** Where an item of others lies, as far as that is seen by looking into the folder in which it is to lie. */
async function folderAmong(
  folders: Roots,
  { id, owner }: Item,
  { owner: desired, folder }: Placement,
): Promise<string | undefined> {
  if (folder === undefined || owner === undefined || owner !== desired) return undefined;
  return (await folders.hold(owner, id, folder)) ? folder : ELSEWHERE;
}

/** Whether an item's picture is this one, byte by byte. */
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

/** Keeps of which items the placement is put back, whatever of it. */
export async function noteRearranged(store: Store, runId: string, itemIds: readonly string[]): Promise<void> {
  const key = keys.rearranged(runId);
  const before = (await store.readJson(key, z.array(z.string()))) ?? [];
  await store.writeJson(key, [...new Set([...before, ...itemIds])]);
}
