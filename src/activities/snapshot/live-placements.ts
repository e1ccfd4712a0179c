import { foldersOfItems } from '../../domain/transfer/arrangement/item-folders';
import type { PortalFacts } from '../../domain/transfer/portal-facts';
import { mapLimited } from '../../model/map-limited';
import type { LiveRow } from '../../model/snapshot/snapshot';
import type { Portal } from '../../portal/client';
import { REQUESTS_AT_A_TIME } from '../../portal/http/limiter';
import { groupContentPages } from '../../portal/resources/groups';
import type { Item } from '../../portal/resources/items/item';
import type { Store } from '../../store/store';
import { progress } from '../attempt/heartbeat';
import { keptThumbnail, orNothing } from '../transfer/read-placement';

/** What is needed to read the placement of a group's items. */
interface Reader {
  readonly portal: Portal;
  readonly source: PortalFacts;
  readonly groupId: string;
  readonly signal: AbortSignal;
}

/** Rows with each item's current placement, without thumbnails; and the records that name them. */
export interface PlacedRows {
  readonly rows: readonly LiveRow[];
  readonly items: readonly Item[];
}

/** Without groups: those of one portal mean nothing on another. */
export async function withPlacements(rows: readonly LiveRow[], reader: Reader): Promise<PlacedRows> {
  const { portal, source, groupId, signal } = reader;
  const asked = new Set(rows.map(({ itemId }) => itemId));
  const items: Item[] = [];
  for await (const page of groupContentPages(portal, groupId, { signal }))
    items.push(...page.filter(({ id }) => asked.has(id)));
  const folders = await foldersOfItems(portal, items, source, { signal });
  const listed = new Map(items.map((item) => [item.id, item]));
  const placed = rows.map((row): LiveRow => {
    const item = listed.get(row.itemId);
    if (!item) return row;
    const { owner, access, protected: isProtected = false } = item;
    return { ...row, placement: { owner, access, protected: isProtected, ...folders.get(item.id) } };
  });
  return { rows: placed, items };
}

/** Adds the thumbnails, which are saved with the snapshot of that ID. */
export async function withThumbnails(
  { rows, items }: PlacedRows,
  {
    portal,
    store,
    snapshotId,
  }: Pick<Reader, 'portal'> & { readonly store: Store; readonly snapshotId: string },
  signal: AbortSignal,
): Promise<LiveRow[]> {
  const listed = new Map(items.map((item) => [item.id, item]));
  let read = 0;
  return await mapLimited(rows, REQUESTS_AT_A_TIME, async (row) => {
    const item = listed.get(row.itemId);
    const thumbnail = item && (await orNothing(() => keptThumbnail(portal, store, item, snapshotId, signal)));
    progress({ pictures: ++read, of: rows.length });
    return thumbnail && row.placement ? { ...row, placement: { ...row.placement, thumbnail } } : row;
  });
}
