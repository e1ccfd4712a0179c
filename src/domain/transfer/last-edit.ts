import { PortolanError } from '../../model/errors/errors';
import type { Portal } from '../../portal/client';
import type { Item } from '../../portal/resources/items/item';
import { readLayer, readService } from '../../portal/resources/layers';
import type { CallOptions } from '../../portal/http/request';
import { isHostedService } from './classify-item';

/**
 * When features of a hosted service were last edited, over all of its layers and tables: editing them leaves the item
 * as it is. Null where one of them does not tell; undefined for an item that is no hosted service.
 * docs/reference/portal-interface.md, "Layers" @format milliseconds since the epoch
 */
export async function lastEdit(
  portal: Portal,
  item: Item,
  options?: CallOptions,
): Promise<number | null | undefined> {
  const { url } = item;
  if (!url || !isHostedService(item)) return undefined;
  try {
    const { layers, tables } = await readService(portal, url, options);
    let last = 0;
    for (const { id } of [...layers, ...tables]) {
      const { lastEditDate } = await readLayer(portal, url, id, options);
      if (lastEditDate === undefined) return null;
      last = Math.max(last, lastEditDate);
    }
    return last;
  } catch (thrown) {
    if (PortolanError.from(thrown).code === 'ABORTED') throw thrown;
    return null;
  }
}
