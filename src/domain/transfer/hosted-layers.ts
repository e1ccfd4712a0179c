import type { Portal } from '../../portal/client';
import { countFeatures, readService } from '../../portal/resources/layers';
import type { CallOptions } from '../../portal/http/request';
import { type Ask, asker, serviceReasonOf } from './retry';

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
 * @returns `undefined` where the service itself does not tell its layers
 * @throws PortolanError ABORTED
 */
export async function countHostedLayers(
  portal: Portal,
  item: { readonly url?: string | null },
  options?: CallOptions,
  ask: Ask = asker(options?.signal),
): Promise<LayerCount[] | undefined> {
  const url = item.url;
  if (!url || !/^https?:\/\//i.test(url) || !URL.canParse(url)) return undefined;
  try {
    const { layers, tables } = await ask(() => readService(portal, url, options));
    return await Promise.all(
      [...layers, ...tables].map(({ id, name }) => countLayer(portal, url, { id, name }, ask, options)),
    );
  } catch (thrown) {
    serviceReasonOf(thrown);
    return undefined;
  }
}

async function countLayer(
  portal: Portal,
  url: string,
  layer: { readonly id: number; readonly name?: string },
  ask: Ask,
  options?: CallOptions,
): Promise<LayerCount> {
  const known = { layerId: layer.id, name: layer.name ?? `layer ${layer.id}` };
  try {
    return { ...known, count: await ask(() => countFeatures(portal, url, layer.id, options)) };
  } catch (thrown) {
    return { ...known, reason: serviceReasonOf(thrown) };
  }
}
