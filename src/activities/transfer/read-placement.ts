import { keepCopy } from '../../domain/snapshot/keep-copy';
import type { Snapshots } from '../../domain/snapshot/snapshots';
import { snapshotKeys } from '../../domain/snapshot/snapshot-keys';
import type { PortalFacts } from '../../domain/transfer/portal-facts';
import { unrestorableParts, placementOf } from '../../domain/transfer/placements';
import { PortolanError } from '../../model/errors/errors';
import { type Placement, ROOT_FOLDER } from '../../model/transfer/placement';
import type { Portal } from '../../portal/client';
import { openItemFile } from '../../portal/resources/items/item-files';
import type { Item } from '../../portal/resources/items/item';
import { type GroupsOfItems } from '../../portal/resources/items/item-groups';
import { readItem } from '../../portal/resources/items/items';
import { userContentPages } from '../../portal/resources/listings';
import type { Store } from '../../store/store';
import { lastError } from '../attempt/heartbeat';

/** How an item stands before it is overwritten. */
export interface Standing {
  /** Absent where it cannot be read. */
  readonly placement?: Placement;
  /** What of it could not be put back, should the portal replace it. */
  readonly beyond: readonly string[];
}

/** As pictures are at most. docs/reference/portal-interface.md, "Limits" @format bytes */
const THUMBNAIL_BYTES_MAX = 10 * 1024 ** 2;

/** What the reading of one item shares with that of the others. */
export interface StandingReader {
  readonly portal: Portal;
  readonly store: Store;
  readonly target: PortalFacts;
  readonly roots: Roots;
  readonly groups: GroupsOfItems;
  /** Ids of groups whose listings say whether they hold an item. @default none */
  readonly ownGroups?: readonly string[];
}

/**
 * What lies in the roots, and other folders, of others, as administrators see it: an item's record tells them nothing of that.
 * docs/reference/portal-interface.md, "Placement"
 */
export class Roots {
  private readonly read = new Map<string, Promise<ReadonlySet<string>>>();

  constructor(
    private readonly portal: Portal,
    private readonly signal: AbortSignal,
  ) {}

  /** @param folder of that owner */
  async hold(owner: string, itemId: string, folder: string = ROOT_FOLDER): Promise<boolean> {
    const key = JSON.stringify([owner, folder]);
    const ids = this.read.get(key) ?? this.idsIn(owner, folder);
    this.read.set(key, ids);
    return (await ids).has(itemId);
  }

  private async idsIn(owner: string, folder: string): Promise<ReadonlySet<string>> {
    const ids = new Set<string>();
    const at = { folderId: folder === ROOT_FOLDER ? undefined : folder };
    for await (const { items } of userContentPages(this.portal, owner, at, { signal: this.signal }))
      for (const { id } of items) ids.add(id);
    return ids;
  }
}

/** Reads how an item stands, and keeps its picture beside the snapshot. Throws what may still go away by itself. */
export async function readStanding(
  reader: StandingReader,
  { itemId, snapshotId }: { readonly itemId: string; readonly snapshotId: string },
  signal: AbortSignal,
): Promise<Standing> {
  const { portal, store, target } = reader;
  const item = await orNothing(() => readItem(portal, itemId, { signal }));
  if (!item) return { beyond: unrestorableParts(undefined, undefined, target) };
  const { placement, beyond } = await standingOf(reader, item);
  const thumbnail = await orNothing(() => keptThumbnail(portal, store, item, snapshotId, signal));
  return { placement: { ...placement, ...(thumbnail && { thumbnail }) }, beyond };
}

/** Where an item stands whose record was read, and what of that could not be put back. */
async function standingOf(
  { target, roots, groups, ownGroups = [] }: Omit<StandingReader, 'portal' | 'store'>,
  item: Item,
): Promise<Required<Standing>> {
  const { own, ids } = await groups.find(item.id, ownGroups);
  const told = placementOf(item, own || ids.length > 0 ? ids : undefined, target.username);
  const isInRoot =
    told.folder === undefined && target.fullAdmin && told.owner !== undefined
      ? await orNothing(() => roots.hold(told.owner ?? '', item.id))
      : false;
  const placement = isInRoot ? { ...told, folder: ROOT_FOLDER } : told;
  return { placement, beyond: unrestorableParts(placement, own, target) };
}

/**
 * What of an item could not be put back, should an import replace it. A listing that tells less of the items of others
 * than their own record does not do for these.
 *
 * @param listed its record as the group's listing has it; undefined where it is in no listing of ours
 */
export async function beyondReach(
  reader: Omit<StandingReader, 'store'>,
  itemId: string,
  listed: Item | undefined,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const { portal, target } = reader;
  const isOwn = listed?.owner !== undefined && listed.owner === target.username;
  const item = isOwn ? listed : await orNothing(() => readItem(portal, itemId, { signal }));
  return item ? (await standingOf(reader, item)).beyond : unrestorableParts(undefined, undefined, target);
}

/** Keeps an item's picture beside a snapshot; undefined where it has none, or the portal has lost it. */
export async function keptThumbnail(
  portal: Portal,
  store: Store,
  { id, thumbnail: path }: Item,
  snapshotId: string,
  signal: AbortSignal,
): Promise<Placement['thumbnail']> {
  if (!path) return undefined;
  const opened = await openItemFile(portal, id, { kind: 'thumbnail', path }, { signal });
  if (!opened) return undefined;
  const key = snapshotKeys.thumbnail(snapshotId, id);
  return {
    path,
    ...(await keepCopy(store, key, opened, { atMost: THUMBNAIL_BYTES_MAX, portal: portal.name })),
  };
}

/** What is read; nothing where the portal will not tell it. */
export async function orNothing<T>(read: () => Promise<T>): Promise<T | undefined> {
  try {
    return await read();
  } catch (thrown) {
    const { code } = lastError(PortolanError.from(thrown));
    if (code === 'ABORTED' || code.startsWith('STORE_')) throw thrown;
    return undefined;
  }
}

/** A placement, and the snapshot beside which its picture lies. */
export interface Placed {
  readonly placement: Placement;
  readonly snapshotId: string;
  readonly title: string;
}

/** How items stood, by their id: as the first of these snapshots says that knows of them. */
export async function placementsIn(
  snapshots: Snapshots,
  ids: readonly string[],
): Promise<ReadonlyMap<string, Placed>> {
  const found = new Map<string, Placed>();
  for (const snapshotId of ids) {
    for (const { itemId, title, placement } of await snapshots.rowsOf(await snapshots.read(snapshotId)))
      if (placement && !found.has(itemId)) found.set(itemId, { placement, snapshotId, title });
  }
  return found;
}
