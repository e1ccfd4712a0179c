import { createHash } from 'node:crypto';
import { z } from 'zod';
import { PortolanError } from '../../model/errors/errors';
import { shortened } from '../../model/text/plain-text';
import { bytesText } from '../../model/text/words';
import type { Portal } from '../../portal/client';
import { toNumber } from '../../portal/http/reading';
import type { CallOptions } from '../../portal/http/request';
import { type Download, downloadItemData } from '../../portal/resources/items/download';
import type { Item } from '../../portal/resources/items/item';
import {
  openItemFile,
  readItemResources,
  readItemResourceText,
} from '../../portal/resources/items/item-files';
import { readItem, readItemText, unlessNoData } from '../../portal/resources/items/items';
import { holdsReferences, isHostedService, itemTypes } from '../transfer/classify-item';
import { describeHostedLayers } from '../transfer/layers';
import { DOCUMENT_BYTES_MAX, readJson } from '../transfer/references/content';
import { reasonOf, retrier, type Retry } from '../transfer/retry';

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
  /** Limits and repeats requests over several items. @default over this one */
  readonly retry?: Retry;
  /** A larger file is not read. @format bytes @default 64 MB */
  readonly fileBytes?: number;
}

/** Larger files are not read to be compared. @format bytes */
export const FILE_BYTES_MAX = 64 * 1024 ** 2;
/** So much of an item's resources is read to be compared. @format bytes */
export const RESOURCE_BYTES_MAX = 16 * 1024 ** 2;
/** A file may be so much longer than its item says. @format bytes */
const SIZE_DOUBT = 1024 ** 2;
/** Items have fewer; the rest of a list of that many is not read. */
const RESOURCES_MAX = 2_000;
/** @format bytes */
const THUMBNAIL_BYTES_MAX = 10 * 1024 ** 2;

/**
 * Reads what is compared of an item. What cannot be read is named in `unread`.
 *
 * @throws PortolanError if the portal is unreachable or denies access, or the caller stops it
 */
export async function readContent(
  portal: Portal,
  itemId: string,
  { retry: given, fileBytes = FILE_BYTES_MAX, ...options }: ReadContentOptions = {},
): Promise<ItemContent> {
  const retry = given ?? retrier(options.signal);
  const unread: string[] = [];
  const attempt = async <T>(what: string, read: () => Promise<T>): Promise<T | undefined> => {
    try {
      return await read();
    } catch (thrown) {
      unread.push(`${what}: ${reasonOf(thrown)}`);
      return undefined;
    }
  };
  const scope: Scope = { portal, itemId, options, retry, fileBytes, unread };
  const item = await attempt('the item', () => retry(() => readItem(portal, itemId, options)));
  let content: ItemContent = { details: { ...item } };
  if (item) {
    const [data, resources, thumbnail, layers] = await Promise.all([
      attempt('its data', () => readData(scope, item)),
      attempt('its resources', () => readResources(scope)),
      attempt('its thumbnail', () => readThumbnail(scope, item)),
      isHostedService(item) ? attempt('its layers', () => readHostedLayers(scope, item)) : undefined,
    ]);
    content = { ...content, ...data, resources, thumbnail, layers };
  }
  // Requests end in any order; the reasons are part of a hash.
  return { ...content, unread: shortened(unread.sort().join('; ')) || undefined };
}

interface Scope {
  readonly portal: Portal;
  readonly itemId: string;
  readonly options: CallOptions;
  readonly retry: Retry;
  readonly fileBytes: number;
  readonly unread: string[];
}

/** Data of a type that is not known may be either. */
async function readData(scope: Scope, item: Item): Promise<Pick<ItemContent, 'data' | 'file'>> {
  const { portal, itemId, options, retry, fileBytes, unread } = scope;
  const { type = '', size = 0 } = item;
  if (holdsReferences(type)) {
    const limit = { maxBytes: DOCUMENT_BYTES_MAX };
    const { json, why } = readJson(await retry(() => readItemText(portal, itemId, limit, options)));
    if (why !== undefined) unread.push(`its data: ${why}`);
    return { data: json };
  }
  if (size > fileBytes) throw tooLarge('file', fileBytes);
  // A portal that sends far more than it says might never end.
  const most = size > 0 ? Math.min(fileBytes, size + SIZE_DOUBT) : fileBytes;
  const open = () => downloadItemData(portal, itemId, { from: 0 }, options);
  const isFile = Object.hasOwn(itemTypes, type);
  const bytes = await retry(async () => {
    const download = await unlessNoData(portal, itemId, open, options);
    return download && bytesOf(download, most, isFile ? 0 : DOCUMENT_BYTES_MAX);
  });
  if (!bytes?.size) return {};
  const { json } = readJson(bytes.text);
  return typeof json === 'object' ? { data: json } : { file: { size: bytes.size, sha256: bytes.sha256 } };
}

interface Bytes {
  readonly size: number;
  readonly sha256: string;
  /** Absent where it is longer than desired. */
  readonly text?: string;
}

/** Reads a file for its hash, in bounded memory, and keeps its text where that is no longer than `keep`. */
async function bytesOf({ body }: Download, most: number, keep = 0): Promise<Bytes> {
  const hash = createHash('sha256');
  const kept: Buffer[] = [];
  let size = 0;
  for await (const chunk of body as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > most) throw tooLarge('file', most);
    hash.update(chunk);
    if (size <= keep) kept.push(chunk);
  }
  const text = size <= keep ? Buffer.concat(kept).toString().trim() : undefined;
  return { size, sha256: hash.digest('hex'), text };
}

const tooLarge = (what: string, most: number): PortolanError =>
  new PortolanError(
    'BAD_RESPONSE',
    `The ${what} is longer than ${bytesText(most)}, up to which it is compared.`,
  );

async function readResources(scope: Scope): Promise<ItemContent['resources']> {
  const { portal, itemId, options, retry, unread } = scope;
  const listed = await retry(() => readItemResources(portal, itemId, options));
  if (listed.length > RESOURCES_MAX) unread.push(`its resources: only the first ${RESOURCES_MAX} were read`);
  let [room, roomForJson] = [RESOURCE_BYTES_MAX, DOCUMENT_BYTES_MAX];
  // In the order of names, so that both sides read the same ones within the bound.
  const named = listed
    .slice(0, RESOURCES_MAX)
    .map(({ resource: name, size }) => ({ name, size: toNumber(size) ?? 0 }))
    .sort((one, other) => (one.name < other.name ? -1 : 1));
  const isJson = (name: string): boolean => /\.json$/i.test(name);
  const told = named.reduce((sum, { name, size }) => sum + (isJson(name) ? size : 0), 0);
  if (told > DOCUMENT_BYTES_MAX) throw tooLarge('JSON of its resources', DOCUMENT_BYTES_MAX);
  return Promise.all(
    named.map(async ({ name, size }) => {
      if (isJson(name)) {
        const limit = { maxBytes: DOCUMENT_BYTES_MAX };
        const text = await retry(() => readItemResourceText(portal, itemId, name, limit, options));
        // Some portals tell no sizes.
        roomForJson -= text?.length ?? 0;
        if (roomForJson < 0) throw tooLarge('JSON of its resources', DOCUMENT_BYTES_MAX);
        const { json, why } = readJson(text);
        if (why !== undefined) unread.push(`its resource ${name}: ${why}`);
        return { name, size, json };
      }
      if (size > room) {
        unread.push(`its resource ${name}: only ${bytesText(RESOURCE_BYTES_MAX)} of resources are read`);
        return { name, size };
      }
      room -= size;
      const bytes = await retry(async () => {
        const download = await openItemFile(portal, itemId, { kind: 'resource', path: name }, options);
        return download && bytesOf(download, RESOURCE_BYTES_MAX);
      });
      return { name, size: bytes?.size ?? size, sha256: bytes?.sha256 };
    }),
  );
}

async function readThumbnail(
  { portal, itemId, options, retry }: Scope,
  { thumbnail }: Item,
): Promise<string | undefined> {
  if (!thumbnail) return undefined;
  return retry(async () => {
    const opened = await openItemFile(portal, itemId, { kind: 'thumbnail', path: thumbnail }, options);
    return opened && (await bytesOf(opened, THUMBNAIL_BYTES_MAX)).sha256;
  });
}

async function readHostedLayers(
  { portal, options, retry, unread }: Scope,
  item: Item,
): Promise<ItemContent['layers']> {
  const layers = await describeHostedLayers(portal, item, { ...options, retry });
  if (!layers) unread.push('its layers: the service does not respond, or does not tell all of them');
  return layers?.map(({ layerId, name, count, reason, definition, lastEditDate }) => {
    if (count === undefined) unread.push(`its layer ${layerId}: ${reason ?? 'its rows are not counted'}`);
    if (!definition) unread.push(`its layer ${layerId}: it does not tell its fields`);
    return { layerId, name, schema: definition, count, lastEditDate };
  });
}
