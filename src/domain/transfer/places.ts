import { createHash } from 'node:crypto';
import { isSameUser } from '../../model/identity';
import { type Placement, ROOT_FOLDER } from '../../model/transfer/placement';
import type { Portal } from '../../portal/client';
import type { CallOptions } from '../../portal/http/request';
import type { Folder, Item } from '../../portal/resources/items/item';
import { openItemFile } from '../../portal/resources/items/item-files';
import type { GroupsOfItems } from '../../portal/resources/items/item-groups';
import { userContentPages } from '../../portal/resources/listings';
import { hashed } from '../snapshot/hashing';
import { type PlacedNow, type PlacementField, placementOf } from './placements';
import type { PortalFacts } from './portal-facts';
import { optional } from './retry';

/**
 * Content of other users' folders, for administrators, because the record of such an item does not name its folder.
 * docs/reference/portal-interface.md, "Placement"
 */
export class Roots {
  private readonly read = new Map<string, Promise<ReadonlySet<string>>>();

  constructor(
    private readonly portal: Portal,
    private readonly options?: CallOptions,
  ) {}

  /** @param folder of that owner */
  async hold(owner: string, itemId: string, folder: string = ROOT_FOLDER): Promise<boolean> {
    const key = JSON.stringify([owner.toLowerCase(), folder]);
    const ids = this.read.get(key) ?? this.idsIn(owner, folder);
    this.read.set(key, ids);
    // A repeat reads it again.
    ids.catch(() => this.read.delete(key));
    return (await ids).has(itemId);
  }

  private async idsIn(owner: string, folder: string): Promise<ReadonlySet<string>> {
    const ids = new Set<string>();
    const at = { folderId: folder === ROOT_FOLDER ? undefined : folder };
    for await (const { items } of userContentPages(this.portal, owner, at, this.options))
      for (const { id } of items) ids.add(id);
    return ids;
  }
}

/** Any folder other than the desired one. */
const ELSEWHERE = 'elsewhere';

type Attempt = <T>(field: PlacementField, read: () => Promise<T>) => Promise<T | undefined>;

/** Reads how items are placed now, as far as a comparison with their desired placement needs it. */
export class PlaceReader {
  readonly #folders?: Roots;

  constructor(
    private readonly portal: Portal,
    private readonly groups: GroupsOfItems,
    private readonly account: Partial<Pick<PortalFacts, 'username' | 'fullAdmin'>>,
    private readonly options?: CallOptions,
  ) {
    if (account.fullAdmin) this.#folders = new Roots(portal, options);
  }

  /** @param attempt decides what a failed read means. @default it fails the whole */
  async read(item: Item, desired: Placement, attempt: Attempt = (_, read) => read()): Promise<PlacedNow> {
    const { groups: inQuestion } = desired;
    const found = inQuestion && (await attempt('groups', () => this.groups.find(item.id, inQuestion)));
    const told = placementOf(item, found && [...found.ids, ...found.unknown], this.account.username);
    return {
      ...told,
      hidesGroups: !found?.own,
      folder: told.folder ?? (await attempt('folder', () => this.#folderOf(item, desired))),
      hasThumbnail: await attempt('thumbnail', () => this.#hasThumbnail(item, desired)),
    };
  }

  /** The folder of another user's item, found by looking into the desired folder. */
  async #folderOf({ id, owner }: Item, { owner: desired, folder }: Placement): Promise<string | undefined> {
    if (!this.#folders || folder === undefined || owner === undefined || !isSameUser(owner, desired))
      return undefined;
    return (await this.#folders.hold(owner, id, folder)) ? folder : ELSEWHERE;
  }

  /** Whether an item's thumbnail equals the desired one, byte by byte. */
  async #hasThumbnail({ id, thumbnail: path }: Item, { thumbnail: desired }: Placement): Promise<boolean> {
    if (!desired) return true;
    const file = { kind: 'thumbnail', path: path ?? '' } as const;
    const opened = path ? await openItemFile(this.portal, id, file, this.options) : undefined;
    if (!opened) return false;
    const hash = createHash('sha256');
    let bytes = 0;
    try {
      for await (const chunk of hashed(opened.body, hash)) {
        bytes += chunk.length;
        if (bytes > desired.sizeBytes) return false;
      }
    } finally {
      opened.body.destroy();
    }
    return hash.digest('hex') === desired.sha256;
  }
}

/** A folder by its id, and its title where it has one: the root has none. */
export interface ItemFolder {
  readonly folder: string;
  readonly folderTitle?: string;
}

/**
 * In which folders of their owners items lie. An item's record says it to its owner alone, and administrators see it in
 * what users have: that is read folder by folder, until all are found. What this account may not look into is left out.
 * docs/reference/portal-interface.md, "Placement"
 */
export async function foldersOfItems(
  portal: Portal,
  items: readonly Item[],
  { username, fullAdmin }: Pick<PortalFacts, 'username' | 'fullAdmin'>,
  options?: CallOptions,
): Promise<ReadonlyMap<string, ItemFolder>> {
  const found = new Map<string, ItemFolder>();
  for (const owner of new Set(items.flatMap((item) => item.owner ?? []))) {
    if (!fullAdmin && !isSameUser(owner, username)) continue;
    const own = items.filter((item) => isSameUser(item.owner, owner));
    const read = await optional((each) => ownedFolders(portal, owner, own, each), options);
    for (const [itemId, folder] of read ?? []) found.set(itemId, folder);
  }
  return found;
}

async function ownedFolders(
  portal: Portal,
  owner: string,
  items: readonly Item[],
  options: CallOptions,
): Promise<Map<string, ItemFolder>> {
  const found = new Map<string, ItemFolder>();
  const left = new Set(items.map(({ id }) => id));
  const folders = new Map<string, Folder>();
  const lie = (itemId: string, folder: ItemFolder): void => {
    if (left.delete(itemId)) found.set(itemId, folder);
  };
  for await (const page of userContentPages(portal, owner, {}, options)) {
    for (const each of page.folders) folders.set(each.id, each);
    for (const { id } of page.items) lie(id, { folder: ROOT_FOLDER });
  }
  for (const { id, ownerFolder } of items) {
    const told = folders.get(ownerFolder ?? '');
    if (told) lie(id, { folder: told.id, folderTitle: told.title });
  }
  for (const { id: folderId, title } of folders.values()) {
    if (left.size === 0) break;
    for await (const page of userContentPages(portal, owner, { folderId }, options))
      for (const { id } of page.items) lie(id, { folder: folderId, folderTitle: title });
  }
  return found;
}
