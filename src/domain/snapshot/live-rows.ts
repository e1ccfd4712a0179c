import { knownSize, type LiveRow } from '../../model/snapshot/snapshot';
import type { Portal } from '../../portal/client';
import { groupContentPages } from '../../portal/resources/groups';
import type { Item } from '../../portal/resources/items/item';
import type { CallOptions } from '../../portal/http/request';
import type { Release } from '../../portal/http/versions';
import { classifyItem, isHostedService } from '../transfer/classify-item';
import { readLayers } from '../transfer/layers';
import { hashOfJson } from './hashing';

/** How far the reading is. */
export interface LiveProgress {
  /** Items listed so far. */
  readonly items: number;
  /** Hosted services that were read, or that could not be. */
  readonly services: number;
  /** Of so many; absent until the listing is read to its end. */
  readonly of?: number;
}

export interface LiveOptions extends CallOptions {
  /** Ids of the items that are read of those in the group. @default all */
  readonly items?: readonly string[];
  readonly progress?: (done: LiveProgress) => void;
}

/**
 * What a group holds now: its listing to the last page, and of every hosted service the rows and the last edit of
 * each layer and table. What a service does not tell is absent; nothing is guessed. Rows that are to stand beside a
 * package are read before its export begins: an edit in between then shows as a difference, and none is hidden.
 * docs/reference/portal-interface.md, "Listings" and "Layers"
 *
 * @param release of the portal, by which items are classified
 * @throws PortolanError what the listing throws
 */
export async function readLiveRows(
  portal: Portal,
  groupId: string,
  release: Release | undefined,
  { items, progress, ...options }: LiveOptions = {},
): Promise<LiveRow[]> {
  const desired = items && new Set(items);
  const rows = new Map<string, LiveRow>();
  for await (const page of groupContentPages(portal, groupId, options)) {
    for (const item of page) {
      if (desired?.has(item.id) ?? true) rows.set(item.id, rowOf(item, release));
    }
    progress?.({ items: rows.size, services: 0 });
  }
  const services = [...rows.values()].filter(({ hosted }) => hosted);
  const onService = (read: number, of: number): void => progress?.({ items: rows.size, services: read, of });
  const layers = await readLayers(portal, services, { ...options, onService });
  return [...rows.values()].map((row) => (row.hosted ? { ...row, layers: layers.get(row.itemId) } : row));
}

function rowOf(item: Item, release: Release | undefined): LiveRow {
  const hosted = isHostedService(item) && classifyItem(item, release).verdict !== 'skipped';
  return {
    itemId: item.id,
    type: item.type ?? '?',
    title: item.title ?? item.id,
    size: knownSize(item.size),
    modified: item.modified,
    owner: item.owner,
    standing: standingOf(item),
    ...(hosted && { hosted, url: item.url }),
  };
}

function standingOf({ owner, access, protected: isProtected, ownerFolder }: Item): string {
  return hashOfJson([owner, access, isProtected ?? false, ownerFolder ?? null]).slice(0, STANDING_DIGITS);
}

/** So few tell two of one item apart. */
const STANDING_DIGITS = 12;
