import type { FieldChange, Change } from '../../model/transfer/change';
import type { ReferenceMap } from '../../model/release/reference-map';
import { oneLine } from '../../model/text/plain-text';
import type { Placement, PlacementPart } from '../../model/transfer/placement';
import type { Portal } from '../../portal/client';
import type { Item } from '../../portal/resources/items/item';
import { GroupsOfItems } from '../../portal/resources/items/item-groups';
import { findItem } from '../../portal/resources/items/items';
import { contentOf } from '../snapshot/contents';
import type { Snapshots } from '../snapshot/snapshots';
import { FEATURE_SERVICE, holdsReferences, isHostedService } from '../transfer/classify-item';
import { PlaceReader } from '../transfer/places';
import { rowsMark } from '../transfer/outcomes';
import { displacedParts } from '../transfer/placements';
import type { PortalFacts } from '../transfer/portal-facts';
import { ReferenceMapper } from '../transfer/references/map';
import { compareContent } from './compare-content';
import type { importedAddresses } from './imported-addresses';
import type { ItemContent } from './item-content';
import { ItemReader } from './item-reader';
import { changeWith } from './plan-change';
import { mapTree } from './values';

/** An item that would be overwritten. */
export interface ComparedItem {
  readonly itemId: string;
  readonly type: string;
  /** When the item was last modified as it comes, in the source's words. */
  readonly packaged?: readonly (number | undefined)[];
  /** Its record on the target. */
  readonly held: Pick<Item, 'type'>;
  readonly inGroup: boolean;
}

/** Reads the content that would come. */
export type Coming = (item: ComparedItem) => Promise<ItemContent>;

/** What a comparison needs to know besides both contents. */
export interface Settings {
  readonly target: Pick<PortalFacts, 'username' | 'fullAdmin'>;
  readonly signal?: AbortSignal;
  /** Called with an error that ends the reading of a part; may throw it. @default the part is unread */
  readonly onFailed?: (thrown: unknown) => void;
  readonly groupId: string;
  readonly coming: Coming;
  /** Addresses that differ between the portals. @default none */
  readonly addresses?: ReturnType<typeof importedAddresses>;
  /** What a stage maps after the import. @default nothing */
  readonly map?: ReferenceMap;
  /** Both contents are of one portal. @default false */
  readonly isOnePortal?: boolean;
  /** Marks that rows have as long as they are those which would come, by item ID. @default they are only counted */
  readonly rows?: ReadonlyMap<string, string>;
  /** Placements that the run restores. @default none */
  readonly placed?: ReadonlyMap<string, { readonly placement: Placement }>;
  /** Items that an earlier import of the run has written. @default none */
  readonly moved?: ReadonlySet<string>;
}

/** Compares what the target holds with what would come, one item at a time, so that no content stays in memory. */
export class Comparison {
  readonly #reader: ItemReader;
  readonly #places: PlaceReader;
  readonly #held: Mapped;
  readonly #come: Mapped;
  readonly #map: Mapped;

  constructor(
    private readonly portal: Portal,
    private readonly settings: Settings,
  ) {
    const { addresses, map, target, signal, onFailed } = settings;
    const options = { signal };
    this.#reader = new ItemReader(portal, { signal, onFailed });
    this.#places = new PlaceReader(portal, new GroupsOfItems(portal, options, onFailed), target, options);
    this.#held = mappedBy(addresses?.held);
    this.#come = mappedBy(addresses?.coming);
    this.#map = mappedBy(map);
  }

  async changeOf(item: ComparedItem): Promise<Change> {
    const { coming, isOnePortal: isOne } = this.settings;
    const before = await this.#reader.read(item.itemId);
    const after = await coming(item);
    const held = mapped(unreadAs('target', before), this.#held);
    const comes = this.#comesAs(item, unreadAs('source', after));
    const compared = compareContent(item.type, held, comes, {
      isOnePortal: isOne,
      // An import only brings a picture where there is none.
      keepsThumbnail: before.thumbnail !== undefined,
    });
    const unread = [...new Set([before.unread, after.unread])].filter((why) => why !== undefined);
    const told = unread.length > 0 ? { ...compared, why: unread.join('; ') } : compared;
    return changeWith(told, {
      fields: await this.#besides(item),
      doubt: this.#doubt(item, [before, after]),
    });
  }

  /** As the import leaves it, and then the map of a stage: that has data and addresses only. */
  #comesAs({ type }: ComparedItem, content: ItemContent): ItemContent {
    const imported = mapped(content, this.#come);
    const { details, data } = imported;
    const { url } = details;
    return {
      ...imported,
      details:
        typeof url === 'string' && type !== FEATURE_SERVICE ? { ...details, url: this.#map(url) } : details,
      ...(data !== undefined && holdsReferences(type) && { data: mapped(data, this.#map) }),
    };
  }

  /** What else the run sets: an import shares the item with the group, and a rollback restores its placement. */
  async #besides({ itemId, type, held, inGroup }: ComparedItem): Promise<FieldChange[]> {
    const { groupId, placed } = this.settings;
    const placement = placed?.get(itemId)?.placement;
    return [
      ...(held.type === type
        ? []
        : [{ path: 'item.type', label: 'type', before: oneLine(held.type ?? '?'), after: oneLine(type) }]),
      ...(inGroup ? [] : [{ path: 'item.groups', label: 'group', after: groupId }]),
      ...(placement ? await this.#displaced(itemId, placement) : []),
    ];
  }

  async #displaced(itemId: string, placement: Placement): Promise<FieldChange[]> {
    const item = await findItem(this.portal, itemId, { signal: this.settings.signal });
    if (!item) return [];
    const now = await this.#places.read(item, placement);
    return displacedParts(placement, now).map((part) => ({
      path: `item.${part}`,
      label: part,
      ...textOfPart(part, now, 'before'),
      ...textOfPart(part, placement, 'after'),
    }));
  }

  /** Why an item whose content is the same may differ all the same. */
  #doubt({ itemId, type }: ComparedItem, [before, after]: readonly ItemContent[]): string | undefined {
    const { moved, rows, isOnePortal: isOne = false } = this.settings;
    if (moved?.has(itemId)) return 'an earlier import of this run has written it';
    if (type !== FEATURE_SERVICE) return undefined;
    const mark = rowsMark(before?.layers);
    const isKnown = mark !== undefined && mark === (isOne ? rowsMark(after?.layers) : rows?.get(itemId));
    return isKnown ? undefined : 'its rows are only counted, not compared';
  }
}

type Mapped = (text: string) => string;

const asItIs: Mapped = (text) => text;

function mappedBy(map: ReferenceMap | undefined): Mapped {
  if (!map || Object.keys(map.urls).length + Object.keys(map.items).length === 0) return asItIs;
  const mapper = new ReferenceMapper(map);
  return (text) => mapper.mapped(text);
}

const mapped = <T>(value: T, by: Mapped): T => (by === asItIs ? value : (mapTree(value, by) as T));

function textOfPart(
  part: PlacementPart,
  { owner, folder, folderTitle, access, protected: isProtected }: Placement,
  side: 'before' | 'after',
): Pick<FieldChange, 'before' | 'after'> {
  const texts: Record<PlacementPart, string | undefined> = {
    owner,
    folder: folderTitle ?? folder,
    sharing: access,
    thumbnail: undefined,
    protection: isProtected === undefined ? undefined : isProtected ? 'on' : 'off',
  };
  const text = texts[part];
  return text === undefined ? {} : { [side]: oneLine(text) };
}

/** The words of an error may differ each time, but not the hash that an approval covers. */
const unreadAs = (what: string, content: ItemContent): ItemContent =>
  content.unread === undefined ? content : { ...content, unread: what };

export const unreadContent = (unread: string): ItemContent => ({ details: {}, unread });

/** Content that a snapshot has kept. */
export async function keptBySnapshot(snapshots: Snapshots, snapshotId: string): Promise<Coming> {
  const manifest = await snapshots.read(snapshotId);
  const rows = new Map((await snapshots.rowsOf(manifest)).map((row) => [row.itemId, row]));
  return async ({ itemId }) => {
    const row = rows.get(itemId);
    const content = row && (await contentOf(snapshots, manifest, row));
    if (!content) return unreadContent(`snapshot ${snapshotId} has not kept its content`);
    // A snapshot reads contents after its export.
    const isPackaged = row.modified === undefined || row.modified === content.details['modified'];
    return isPackaged || content.unread !== undefined
      ? content
      : unreadContent(`it was edited while snapshot ${snapshotId} was taken`);
  };
}

/** Addresses of the hosted services that both portals have. @param urls on the source, by item ID */
export const hostedByBoth = (
  urls: ReadonlyMap<string, string | undefined>,
  held: readonly Item[],
): { readonly source: string; readonly target: string }[] =>
  held.flatMap((item) => {
    const source = urls.get(item.id);
    return source && item.url && isHostedService(item) ? [{ source, target: item.url }] : [];
  });
