import type { Portal } from '../../portal/client';
import { countFeatures, listLayers, readLayer, type ServiceLayer } from '../../portal/resources/layers';
import type { CallOptions } from '../../portal/http/request';
import { type Retry, retrier, serviceReasonOf } from './retry';
import type { SnapshotLayer } from '../../model/snapshot/snapshot';
import { PortolanError } from '../../model/errors/errors';
import type { Item } from '../../portal/resources/items/item';
import { isHostedService } from './classify-item';

/** Rows of one layer or table of a hosted service. */
export interface LayerCount {
  readonly layerId: number;
  readonly name: string;
  /** Absent where the layer gave no answer. */
  readonly count?: number;
  /** Why there is no count. */
  readonly reason?: string;
}

/**
 * Counts the rows of every layer and table of a hosted service. A layer that gives no answer has no
 * count and a reason; nothing is guessed. docs/reference/portal-interface.md, "Layers"
 *
 * @returns `undefined` if the service does not tell all its layers
 * @throws PortolanError ABORTED
 */
export async function countHostedLayers(
  portal: Portal,
  item: { readonly url?: string | null },
  options?: CallOptions,
  retry: Retry = retrier(options?.signal),
): Promise<LayerCount[] | undefined> {
  const url = item.url;
  if (!url || !/^https?:\/\//i.test(url) || !URL.canParse(url)) return undefined;
  try {
    const layers = await retry(() => listLayers(portal, url, options));
    return await Promise.all(layers.map((layer) => countLayer(portal, url, layer, retry, options)));
  } catch (thrown) {
    serviceReasonOf(thrown);
    return undefined;
  }
}

async function countLayer(
  portal: Portal,
  url: string,
  layer: ServiceLayer,
  retry: Retry,
  options?: CallOptions,
): Promise<LayerCount> {
  const known = { layerId: layer.id, name: layer.name ?? `layer ${layer.id}` };
  try {
    return { ...known, count: await retry(() => countFeatures(portal, url, layer.id, options)) };
  } catch (thrown) {
    return { ...known, reason: serviceReasonOf(thrown) };
  }
}

/**
 * When features of a hosted service were last edited, over all of its layers and tables: editing them leaves the item
 * as it is. Null if one of them does not tell, or has no id; undefined for an item that is no hosted service.
 * docs/reference/portal-interface.md, "Layers" @format milliseconds since the epoch
 */
export async function lastEdit(
  portal: Portal,
  item: Item,
  options?: CallOptions,
): Promise<number | null | undefined> {
  const { url } = item;
  if (!url || !isHostedService(item)) return undefined;
  const retry = retrier(options?.signal);
  try {
    let last = 0;
    for (const { id } of await retry(() => listLayers(portal, url, options))) {
      const { lastEditDate } = await retry(() => readLayer(portal, url, id, options));
      if (lastEditDate === undefined) return null;
      last = Math.max(last, lastEditDate);
    }
    return last;
  } catch (thrown) {
    if (PortolanError.from(thrown).code === 'ABORTED') throw thrown;
    return null;
  }
}

/** The same of layers that were read. */
export function lastEditOf(layers: readonly SnapshotLayer[] | undefined): number | null {
  const edits = layers?.map(({ lastEditDate }) => lastEditDate);
  if (!edits || edits.includes(undefined)) return null;
  return Math.max(0, ...edits.map((at) => at ?? 0));
}
