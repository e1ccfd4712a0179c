import type { SnapshotLayer } from '../../model/snapshot/snapshot';
import type { Portal } from '../../portal/client';
import type { CallOptions } from '../../portal/http/request';
import { countFeatures, listLayers, readLayer, type ServiceLayer } from '../../portal/resources/layers';
import type { Item } from '../../portal/resources/items/item';
import { type Retry, retrier, serviceReasonOf } from './retry';

/** A hosted service, as far as its layers are read. */
interface Service {
  readonly itemId: string;
  readonly url?: string | null;
}

export const serviceOf = ({ id: itemId, url }: Item): Service => ({ itemId, url });

export interface LayerReading extends CallOptions {
  /** @default true */
  readonly counts?: boolean;
  /** Is told of each service that was read, or could not be. */
  readonly onService?: (read: number, of: number) => void;
}

/**
 * Layers and tables of hosted services with their rows, fields and last edits, by item id; undefined where a service
 * does not tell them, or not all of them. docs/reference/portal-interface.md, "Layers"
 *
 * @throws PortolanError ABORTED
 */
export async function readLayers(
  portal: Portal,
  services: readonly Service[],
  { counts = true, onService, ...options }: LayerReading = {},
): Promise<Map<string, SnapshotLayer[] | undefined>> {
  const retry = retrier(options.signal);
  let read = 0;
  const found = await Promise.all(
    services.map(async ({ itemId, url }) => {
      const layers = await layersAt(portal, url, counts, retry, options);
      onService?.(++read, services.length);
      return [itemId, layers] as const;
    }),
  );
  return new Map(found);
}

async function layersAt(
  portal: Portal,
  url: string | null | undefined,
  counts: boolean,
  retry: Retry,
  options: CallOptions,
): Promise<SnapshotLayer[] | undefined> {
  if (!url || !/^https?:\/\//i.test(url) || !URL.canParse(url)) return undefined;
  const layers = await answerOf(() => retry(() => listLayers(portal, url, options)));
  return layers && Promise.all(layers.map((layer) => liveLayer(portal, url, layer, counts, retry, options)));
}

async function liveLayer(
  portal: Portal,
  url: string,
  { id, name }: ServiceLayer,
  counts: boolean,
  retry: Retry,
  options: CallOptions,
): Promise<SnapshotLayer> {
  // The date first: rows that are edited between the two questions have a later one.
  const layer = await answerOf(() => retry(() => readLayer(portal, url, id, options)));
  const count = counts
    ? await answerOf(() => retry(() => countFeatures(portal, url, id, options)))
    : undefined;
  return {
    layerId: id,
    name: layer?.name ?? name ?? `layer ${id}`,
    count,
    lastEditDate: layer?.lastEditDate,
    schema: layer?.schema,
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
