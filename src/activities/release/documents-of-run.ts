import { isDeepStrictEqual } from 'node:util';
import { Readable } from 'node:stream';
import { z } from 'zod';
import { isHostedService } from '../../domain/transfer/classify-item';
import { holdsReferences } from '../../domain/transfer/item-types';
import { DOCUMENT_BYTES_MAX } from '../../domain/transfer/references/item-content';
import type { ItemTexts } from '../../domain/transfer/references/map-document';
import type { Portal } from '../../portal/client';
import type { CallOptions, FileSource } from '../../portal/http/request';
import type { Item } from '../../portal/resources/items/item';
import { readItemText } from '../../portal/resources/items/items';
import { restoreItemCopy } from '../../portal/resources/items/restore-item';

/** An item's JSON and URL, as a run saves them. */
export const keptTexts = z.object({ data: z.string().optional(), url: z.string().optional() });

/** As they were immediately after an import. */
export const importedTexts = keptTexts.extend({
  /** The plan that imported it, which distinguishes the imports of a run. */
  planRef: z.string(),
  /** The item was as the import left it. */
  asLeft: z.boolean(),
});

/** Whether items of this type may contain anything to map. */
export const mayBeMapped = ({ type, url }: Pick<Item, 'type' | 'url'>): boolean =>
  holdsReferences(type ?? '') || Boolean(url);

/** Without the URL of a hosted service, which only its portal decides. */
export async function textsOf(portal: Portal, item: Item, options: CallOptions): Promise<ItemTexts> {
  const data = holdsReferences(item.type ?? '')
    ? await readItemText(portal, item.id, { maxBytes: DOCUMENT_BYTES_MAX }, options)
    : undefined;
  return { data, url: item.url && !isHostedService(item) ? item.url : undefined };
}

/** Sets the JSON and URL of an existing item, and nothing else. Safe to repeat. */
export async function writeTexts(
  portal: Portal,
  now: Item,
  { data, url }: ItemTexts,
  { username, ...options }: CallOptions & { readonly username: string },
): Promise<void> {
  const record = { ...now, url: url ?? now.url };
  await restoreItemCopy(
    portal,
    { record, data: data === undefined ? undefined : sourceOf(data), owner: now.owner ?? username },
    options,
  );
}

function sourceOf(text: string): FileSource {
  const bytes = Buffer.from(text);
  return { size: bytes.length, open: (start, end) => Readable.from([bytes.subarray(start, end)]) };
}

/** Whether two items have equal content: a portal may format JSON in its own way. */
export const sameTexts = (one: ItemTexts, other: ItemTexts): boolean =>
  one.url === other.url && (one.data === other.data || sameJson(one.data, other.data));

function sameJson(one = '', other = ''): boolean {
  try {
    return isDeepStrictEqual(JSON.parse(one), JSON.parse(other));
  } catch {
    return one.trim() === other.trim();
  }
}
