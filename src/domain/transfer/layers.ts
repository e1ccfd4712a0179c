import type { SnapshotLayer } from '../../model/snapshot/snapshot';
import type { Portal } from '../../portal/client';
import type { CallOptions } from '../../portal/http/request';
import type { Item } from '../../portal/resources/items/item';
import { countFeatures, type Layer, listLayers, readLayer } from '../../portal/resources/layers';
import { isHostedService } from './classify-item';
import { type Retry, retrier, serviceReasonOf } from './retry';

/** A hosted service, as far as its layers are read. */
interface Service {
  readonly itemId: string;
  readonly url?: string | null;
}

export const serviceOf = ({ id: itemId, url }: Item): Service => ({ itemId, url });

/** A layer or table with its rows. */
export interface LayerCount extends Pick<SnapshotLayer, 'layerId' | 'name' | 'count'> {
  /** Why there is no count. */
  readonly reason?: string;
}

type DescribedLayer = SnapshotLayer & LayerCount & Pick<Layer, 'definition'>;

interface LayerReading extends CallOptions {
  /** Count rows. @default true */
  readonly counts?: boolean;
  /** Read fields and the last edit. @default true */
  readonly records?: boolean;
  readonly retry?: Retry;
}

/**
 * Layers and tables of hosted services with their rows, fields and last edits, by item id; undefined where a service
 * does not tell them, or not all of them. docs/reference/portal-interface.md, "Layers"
 *
 * @param onService called after each service
 * @throws PortolanError ABORTED
 */
export async function readLayers(
  portal: Portal,
  services: readonly Service[],
  { onService, ...reading }: LayerReading & { readonly onService?: (read: number, of: number) => void } = {},
): Promise<Map<string, SnapshotLayer[] | undefined>> {
  const retry = retrier(reading.signal);
  let read = 0;
  const found = await Promise.all(
    services.map(async (service) => {
      const layers = await layersOf(portal, service, { retry, ...reading });
      onService?.(++read, services.length);
      const plain = layers?.map(({ reason: _, definition: _definition, ...layer }) => layer);
      return [service.itemId, plain] as const;
    }),
  );
  return new Map(found);
}

/** Counts the rows of every layer and table; undefined if the service does not tell all of them. */
export const countHostedLayers = (
  portal: Portal,
  item: { readonly url?: string | null },
  options?: CallOptions & { readonly retry?: Retry },
): Promise<LayerCount[] | undefined> => layersOf(portal, item, { ...options, records: false });

/** Layers and tables with rows and definitions; undefined if the service does not tell all of them. */
export const describeHostedLayers = (
  portal: Portal,
  item: { readonly url?: string | null },
  options?: CallOptions & { readonly retry?: Retry },
): Promise<DescribedLayer[] | undefined> => layersOf(portal, item, { ...options });

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
  if (!item.url || !isHostedService(item)) return undefined;
  return lastEditOf(await layersOf(portal, item, { ...options, counts: false }));
}

/** The last edit of layers that were read. */
export function lastEditOf(layers: readonly SnapshotLayer[] | undefined): number | null {
  const edits = layers?.map(({ lastEditDate }) => lastEditDate);
  if (!edits || edits.includes(undefined)) return null;
  return Math.max(0, ...edits.map((at) => at ?? 0));
}

async function layersOf(
  portal: Portal,
  { url }: Omit<Service, 'itemId'>,
  { counts = true, records = true, retry, ...options }: LayerReading,
): Promise<DescribedLayer[] | undefined> {
  if (!url || !/^https?:\/\//i.test(url) || !URL.canParse(url)) return undefined;
  const ask = retry ?? retrier(options.signal);
  const { answer: layers } = await answerOf(() => ask(() => listLayers(portal, url, options)));
  return (
    layers &&
    Promise.all(
      layers.map(async ({ id, name }) => {
        // The date first: rows that are edited between the two questions have a later one.
        const { answer: layer } = records
          ? await answerOf(() => ask(() => readLayer(portal, url, id, options)))
          : {};
        const { answer: count, reason } = counts
          ? await answerOf(() => ask(() => countFeatures(portal, url, id, options)))
          : {};
        return {
          layerId: id,
          name: layer?.name ?? name ?? `layer ${id}`,
          count,
          reason,
          lastEditDate: layer?.lastEditDate,
          schema: layer?.schema,
          definition: layer?.definition,
        };
      }),
    )
  );
}

/** The answer of a service, or why there is none. @throws PortolanError ABORTED, INTERNAL */
async function answerOf<T>(
  question: () => Promise<T>,
): Promise<{ readonly answer?: T; readonly reason?: string }> {
  try {
    return { answer: await question() };
  } catch (thrown) {
    return { reason: serviceReasonOf(thrown) };
  }
}
