import type { LiveRow, SnapshotLayer } from '../../model/snapshot/snapshot';
import type { Portal } from '../../portal/client';
import { groupContentPages } from '../../portal/resources/groups';
import type { Item } from '../../portal/resources/items/item';
import { countFeatures, readLayer, readService, type ServiceLayer } from '../../portal/resources/layers';
import type { CallOptions } from '../../portal/http/request';
import type { Release } from '../../portal/http/versions';
import { type Retry, retrier, serviceReasonOf } from '../transfer/retry';
import { classifyItem, isHostedService } from '../transfer/classify-item';

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
  const retry = retrier(options.signal);
  const of = [...rows.values()].filter(({ hosted }) => hosted).length;
  let services = 0;
  return Promise.all(
    [...rows.values()].map(async (row) => {
      if (!row.hosted) return row;
      const layers = await liveLayers(portal, row.url, retry, options);
      services += 1;
      progress?.({ items: rows.size, services, of });
      return { ...row, layers };
    }),
  );
}

function rowOf(item: Item, release: Release | undefined): LiveRow {
  const hosted = isHostedService(item) && classifyItem(item, release).verdict !== 'skipped';
  return {
    itemId: item.id,
    type: item.type ?? '?',
    title: item.title ?? item.id,
    // Services have no size, or one of -1.
    size: item.size !== undefined && item.size >= 0 ? item.size : undefined,
    modified: item.modified,
    owner: item.owner,
    ...(hosted && { hosted, url: item.url }),
  };
}

/** Undefined where the service does not tell its layers, or not all of them. */
async function liveLayers(
  portal: Portal,
  url: string | undefined,
  retry: Retry,
  options: CallOptions,
): Promise<SnapshotLayer[] | undefined> {
  if (!url || !/^https?:\/\//i.test(url) || !URL.canParse(url)) return undefined;
  const service = await answerOf(() => retry(() => readService(portal, url, options)));
  if (!service || service.unnamed > 0) return undefined;
  const { layers, tables } = service;
  return Promise.all([...layers, ...tables].map((layer) => liveLayer(portal, url, layer, retry, options)));
}

async function liveLayer(
  portal: Portal,
  url: string,
  { id, name }: ServiceLayer,
  retry: Retry,
  options: CallOptions,
): Promise<SnapshotLayer> {
  // The date first: rows that are edited between the two questions have a later one.
  const layer = await answerOf(() => retry(() => readLayer(portal, url, id, options)));
  const count = await answerOf(() => retry(() => countFeatures(portal, url, id, options)));
  return {
    layerId: id,
    name: layer?.name ?? name ?? `layer ${id}`,
    count,
    lastEditDate: layer?.lastEditDate,
  };
}

/** The answer of a service; undefined where there is none. @throws PortolanError ABORTED, INTERNAL */
async function answerOf<T>(question: () => Promise<T>): Promise<T | undefined> {
  try {
    return await question();
  } catch (thrown) {
    serviceReasonOf(thrown);
    return undefined;
  }
}
