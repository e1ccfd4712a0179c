import { z } from 'zod';
import type { Portal } from '../../portal/client';
import type { CallOptions } from '../../portal/http/request';
import type { Item } from '../../portal/resources/items/item';
import { readItem } from '../../portal/resources/items/items';
import type { Retry } from '../transfer/retry';

const contentLayer = z.object({
  layerId: z.number(),
  name: z.string(),
  /** Geometry type and fields, as the layer says them; absent where it does not. */
  schema: z.unknown().optional(),
  /** Rows; absent where the layer gave no answer. */
  count: z.number().optional(),
  /** Compared between states of one portal only. @format milliseconds since the epoch */
  lastEditDate: z.number().optional(),
});

/**
 * What is compared of an item, the same whether it was read from a portal or from a snapshot: plain JSON values, which
 * also are the form in which it is stored.
 */
export const itemContent = z.object({
  /** The item's record. */
  details: z.record(z.string(), z.unknown()),
  /** Data that is JSON; absent where the item has none. */
  data: z.unknown().optional(),
  /** Data that is a file. */
  file: z.object({ size: z.number(), sha256: z.string().optional() }).optional(),
  resources: z
    .array(
      z.object({
        name: z.string(),
        size: z.number().optional(),
        sha256: z.string().optional(),
        /** Content of a resource that is JSON: compared instead of size and sha256. */
        json: z.unknown().optional(),
      }),
    )
    .optional(),
  /** Sha256 of the thumbnail; absent where it has none. */
  thumbnail: z.string().optional(),
  /** Layers and tables of a hosted service. */
  layers: z.array(contentLayer).optional(),
  /** Why some of it could not be read, or is over its bound: then nothing is called the same. */
  unread: z.string().optional(),
});
export type ItemContent = z.infer<typeof itemContent>;

export interface ReadContentOptions extends CallOptions {
  /** @default repeats of its own, for this item */
  readonly retry?: Retry;
}

/**
 * Reads what is compared of an item. What cannot be read is named in `unread`.
 *
 * @param item its record, or its id where that is not known
 * @throws PortolanError ABORTED
 */
export async function readContent(
  portal: Portal,
  item: Item | string,
  options?: ReadContentOptions,
): Promise<ItemContent> {
  const details = typeof item === 'string' ? await readItem(portal, item, options) : item;
  return { details, unread: 'its content is not read yet' };
}
