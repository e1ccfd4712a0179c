import type { Portal } from '../../../portal/client';
import { readItemResourceText, readItemResources } from '../../../portal/resources/items/item-files';
import { readItemText } from '../../../portal/resources/items/items';
import type { CallOptions } from '../../../portal/http/request';
import { figuresOf } from '../../../portal/http/response-limits';
import { JSON_DEPTH_MAX } from '../../../portal/http/limits';
import type { Retry } from '../retry';
import { holdsReferences } from '../item-types';
import type { ItemContent } from './references';

/** A document longer than this is not read for references. @format bytes */
export const DOCUMENT_BYTES_MAX = 32 * 1024 ** 2;

/** Which resources of an item hold references: docs/reference/portal-interface.md, "References". */
const referenceResources: Readonly<Record<string, RegExp>> = {
  StoryMap: /^(?!.*express)(.*\/)?draft[^/]*\.json$/i,
  'StoryMap Theme': /\.json$/i,
  'Web Experience': /^config\/config\.json$/i,
  'Web Experience Template': /^config\/config\.json$/i,
};

/** An item's documents, and what of them could not be read as JSON. */
export interface ReadContent {
  readonly content: ItemContent;
  /** The data is empty. */
  readonly empty: boolean;
  /** Place and reason of what is not JSON, as in `data`: `it is not JSON`. */
  readonly unread: readonly { readonly path: string; readonly reason: string }[];
}

const plainly: Retry = (task) => task();

/**
 * Reads the documents of an item whose type holds references: data, and the resources that its type
 * keeps drafts and configuration in. For other types nothing is read and the record stands alone.
 *
 * @throws PortolanError as the portal's reads do
 */
export async function readContent(
  portal: Portal,
  item: { readonly id: string; readonly type?: string | null } & Readonly<Record<string, unknown>>,
  options?: CallOptions,
  retry: Retry = plainly,
): Promise<ReadContent> {
  const type = item.type ?? '';
  const unread: { path: string; reason: string }[] = [];
  if (!holdsReferences(type)) return { content: { item }, empty: false, unread };

  const json = (path: string, text: string | undefined): unknown => {
    if (text === undefined || text.trim() === '') return undefined;
    const { depth } = figuresOf(text);
    if (depth > JSON_DEPTH_MAX) {
      unread.push({ path, reason: `it is nested ${depth} levels deep (limit ${JSON_DEPTH_MAX})` });
      return undefined;
    }
    try {
      return JSON.parse(text) as unknown;
    } catch {
      unread.push({ path, reason: 'it is not JSON' });
      return undefined;
    }
  };

  const limits = { maxBytes: DOCUMENT_BYTES_MAX };
  const text = await retry(() => readItemText(portal, item.id, limits, options));
  const data = json('data', text);
  const resources: { name: string; json: unknown }[] = [];
  const desired = referenceResources[type];
  if (desired !== undefined) {
    const listed = await retry(() => readItemResources(portal, item.id, options));
    for (const { resource } of listed.filter((each) => desired.test(each.resource))) {
      const body = await retry(() => readItemResourceText(portal, item.id, resource, limits, options));
      resources.push({ name: resource, json: json(`resources[${JSON.stringify(resource)}]`, body) });
    }
  }
  return { content: { item, data, resources }, empty: text === undefined || text.trim() === '', unread };
}
