import {
  type KeptLine,
  contentsFileOf,
  ContentsWriter,
  keptItem,
  keptLine,
} from '../../domain/snapshot/contents';
import { changesOf } from '../../domain/snapshot/compare-rows';
import { claimPackages, type FoundPackage, isKnownDamaged } from '../../domain/snapshot/packages';
import { whyUnreadable } from '../../domain/snapshot/unreadable';
import { type ItemContent, readContent } from '../../domain/change/item-content';
import { foldersOfItems, type ItemFolder } from '../../domain/transfer/places';
import type { PortalFacts } from '../../domain/transfer/portal-facts';
import { optional, reasonOf, type Retry, retrier } from '../../domain/transfer/retry';
import { isSameUser } from '../../model/identity';
import { countEach } from '../attempt/each-item';
import type { LiveRow, NamedPackage, SnapshotManifest, SnapshotRow } from '../../model/snapshot/snapshot';
import { type Placement, ROOT_FOLDER } from '../../model/transfer/placement';
import type { Portal } from '../../portal/client';
import type { CallOptions } from '../../portal/http/request';
import { placementOf } from '../../domain/transfer/placements';
import { listGroup } from '../../portal/resources/groups';
import { item } from '../../portal/resources/items/item';
import { idsOf } from '../../portal/resources/items/item-groups';
import { readItemGroups } from '../../portal/resources/items/items';
import type { ActivityDeps } from '../deps';
import { stoppable } from '../attempt/heartbeat';

interface KeepContents {
  readonly runId: string;
  readonly source: PortalFacts;
  readonly groupId: string;
  /** Rows of the new snapshot. */
  readonly rows: readonly SnapshotRow[];
  /** The items as read before the export. */
  readonly live: readonly LiveRow[];
  /** Everything was exported. */
  readonly isWhole: boolean;
  /** The last good snapshot of the group. */
  readonly base?: SnapshotManifest;
  /** What the run has claimed already. */
  readonly claimed: readonly FoundPackage[];
}

/** Rows that name the JSON of their items, and the files that hold it. */
export interface KeptContents {
  readonly rows: readonly SnapshotRow[];
  readonly contents: readonly NamedPackage[];
}

/** A larger file is in the package, and not read a second time for its hash. @format bytes */
const FILE_BYTES_MAX = 8 * 1024 ** 2;

/** Beyond so many files the smallest are joined, so that no chain of nights grows for ever. */
const FILES_MAX = 16;

/**
 * Keeps the JSON of a snapshot's items, read after the export because only a portal can read a package. What is as it
 * was in the last good snapshot is not read again. An item that cannot be read keeps the reason.
 */
export async function keepContents(deps: ActivityDeps, input: KeepContents): Promise<KeptContents> {
  const { portals, snapshots, store } = deps;
  const { runId, source, rows } = input;
  if (rows.length === 0) return { rows, contents: [] };
  const { known, same } = await knownContents(deps, input);
  const joined = filesToJoin(
    rows.flatMap(({ itemId }) => (same.has(itemId) ? (known.get(itemId)?.file ?? []) : [])),
  );
  const writer = new ContentsWriter(store, runId);
  const reader = new ContentReader(
    portals.open(source.name),
    source,
    rows.filter(({ itemId }) => !same.has(itemId)),
    stoppable(),
  );
  const standings = new Map(input.live.map(({ itemId, standing }) => [itemId, standing]));
  const places = await countEach(rows, async (row): Promise<NamedPackage | number> => {
    const { itemId } = row;
    const before = known.get(itemId);
    const isSame = same.has(itemId);
    if (before && isSame && !input.isWhole && !joined.has(before.file)) return before.file;
    const old = before && (await snapshots.contents.open(before.file)).line(itemId);
    // Sharing with other groups is dated nowhere: a backup of everything asks for it again.
    const line =
      old && isSame
        ? await (input.isWhole ? reader.regrouped(itemId, old) : old)
        : await reader.read(row, standings.get(itemId));
    const isKnown = before && !joined.has(before.file) && isEqual(line, old);
    return isKnown ? before.file : await writer.add(itemId, line);
  });
  await writer.end();
  const kept = (input.base?.contents ?? []).filter((file) => places.includes(file));
  const indexOf = (place: NamedPackage | number): number =>
    typeof place === 'number' ? kept.length + place : kept.indexOf(place);
  return {
    rows: rows.map((row, at) => ({ ...row, content: indexOf(places[at] ?? 0) || undefined })),
    contents: [...kept, ...writer.files],
  };
}

interface KnownContent extends Pick<KeptLine, 'standing' | 'isUnread'> {
  readonly file: NamedPackage;
}

/** What the last good snapshot keeps, and which of those items have not changed since. */
interface KnownContents {
  readonly known: ReadonlyMap<string, KnownContent>;
  readonly same: ReadonlySet<string>;
}

/** Claims the files of the last good snapshot. One that is damaged counts as missing. */
async function knownContents(
  { portals, snapshots, store }: ActivityDeps,
  { runId, source, groupId, rows, live, isWhole, base, claimed }: KeepContents,
): Promise<KnownContents> {
  const known = new Map<string, KnownContent>();
  const files = base?.contents ?? [];
  if (!base || files.length === 0) return { known, same: new Set() };
  const before = await snapshots.rowsOf(base).catch((thrown: unknown) => whyUnreadable(base.id, thrown));
  if ('why' in before) return { known, same: new Set() };
  const own = files.map((each) => ({ of: base.id, package: each }));
  const safe = new Set(await claimPackages(snapshots, runId, [...claimed, ...own]));
  for (const file of files) {
    if (!safe.has(file) || (await isKnownDamaged(store, file.key))) continue;
    const opened = await snapshots.contents
      .open(file)
      .catch((thrown: unknown) => whyUnreadable(base.id, thrown));
    if ('why' in opened) continue;
    for (const row of before) {
      if (contentsFileOf(base, row) !== file) continue;
      const line = opened.line(row.itemId);
      if (line) known.set(row.itemId, { file, standing: line.standing, isUnread: line.isUnread });
    }
  }
  const now = new Map(live.map((row) => [row.itemId, row]));
  const changed = changesOf(before, live);
  // The package of a full backup has edits that were made after the look at the items.
  const listed = isWhole ? await listGroup(portals.open(source.name), groupId) : undefined;
  const isSame = ({ itemId, placement }: SnapshotRow): boolean => {
    const [old, row] = [known.get(itemId), now.get(itemId)];
    // Of an item that has left the group meanwhile, nobody can read more.
    if (!old || !row) return old !== undefined;
    if (listed?.has(itemId) && listed.get(itemId)?.modified !== row.modified) return false;
    // What could not be read is tried again when everything is exported; and a release, whose content is approved, reads all.
    if (old.isUnread && isWhole) return false;
    return !changed.has(itemId) && old.standing === row.standing && !placement;
  };
  return { known, same: new Set(rows.filter(isSame).map(({ itemId }) => itemId)) };
}

function filesToJoin(named: readonly NamedPackage[]): ReadonlySet<NamedPackage> {
  const files = [...new Set(named)].sort((one, other) => one.sizeBytes - other.sizeBytes);
  return new Set(files.length < FILES_MAX ? [] : files.slice(0, files.length - FILES_MAX / 2));
}

const isEqual = (one: KeptLine, other: KeptLine | undefined): boolean =>
  one.standing === other?.standing && one.json === other.json;

/** Reads items that are new or have changed. */
class ContentReader {
  readonly #retry: Retry;
  readonly #folders = new Map<string, Promise<ReadonlyMap<string, ItemFolder>>>();

  /** @param rows all that may be read */
  constructor(
    private readonly portal: Portal,
    private readonly source: PortalFacts,
    private readonly rows: readonly SnapshotRow[],
    private readonly options: CallOptions,
  ) {
    this.#retry = retrier(options.signal);
  }

  async read({ itemId, type, title, owner, modified, size }: SnapshotRow, standing = ''): Promise<KeptLine> {
    const content = await readContent(this.portal, itemId, {
      ...this.options,
      retry: this.#retry,
      fileBytes: FILE_BYTES_MAX,
    }).catch((thrown: unknown): ItemContent => ({
      details: { id: itemId, type, title, owner, modified, size },
      unread: reasonOf(thrown),
    }));
    return keptLine(standing, { content, placement: await this.#placementOf(content) });
  }

  /** The same item, as it is shared now. */
  async regrouped(itemId: string, line: KeptLine): Promise<KeptLine> {
    const { content, placement } = keptItem.parse(JSON.parse(line.json));
    return keptLine(line.standing, {
      content,
      placement: placement && { ...placement, groups: (await this.#groupsOf(itemId)) ?? placement.groups },
    });
  }

  async #groupsOf(itemId: string): Promise<string[] | undefined> {
    const own = await optional((each) => readItemGroups(this.portal, itemId, each), this.options);
    return own && idsOf(own).sort();
  }

  async #placementOf({ details }: ItemContent): Promise<Placement | undefined> {
    const { success, data: record } = item.safeParse(details);
    if (!success) return undefined;
    const told = placementOf(record, await this.#groupsOf(record.id), this.source.username);
    if (told.owner === undefined || told.folder === ROOT_FOLDER) return told;
    return { ...told, ...(await this.#foldersOf(told.owner)).get(record.id) };
  }

  /** An item's record names its folder to its owner alone, and by its ID. */
  #foldersOf(owner: string): Promise<ReadonlyMap<string, ItemFolder>> {
    const key = owner.toLowerCase();
    const own = this.rows.filter((row) => isSameUser(row.owner, owner));
    const listed = own.map(({ itemId: id }) => item.parse({ id, owner }));
    const found = this.#folders.get(key) ?? foldersOfItems(this.portal, listed, this.source, this.options);
    this.#folders.set(key, found);
    return found;
  }
}
