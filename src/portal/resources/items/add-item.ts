import { z } from 'zod';
import { PortolanError } from '../../../model/errors/errors';
import type { Portal } from '../../client';
import { PACKAGE_KEYWORDS, PACKAGE_TYPE } from './item';
import { PARTS_MAX, SINGLE_UPLOAD_MAX } from '../../http/limits';
import { requiredId } from '../../http/ids';
import { pathOf } from '../../http/address';
import { flag, label, text, toList, toNumber } from '../../http/reading';
import type { CallOptions, FilePart, FileSource, Params } from '../../http/request';
import { atLeast, type PortalVersion } from '../../http/versions';

/** First release that takes `itemIdToCreate`. docs/reference/portal-interface.md, "Add item" */
const ITEM_ID_TO_CREATE_SINCE = '10.8.1';

export interface PackageItem {
  /** Owner of the new item, which lies in the root folder. */
  readonly username: string;
  readonly title: string;
  readonly tags: readonly string[];
  /** File name, ending in `.epk`. */
  readonly filename: string;
  /** 32 hexadecimal digits; the portal refuses an id that is in use, so that a repeat makes no second item. */
  readonly itemIdToCreate?: string;
  readonly version: PortalVersion;
}

const added = z.looseObject({ success: flag, id: requiredId('item') });
const success = z.looseObject({ success: flag });

const folderPath = (username: string, folderId?: string): string =>
  folderId ? pathOf`content/users/${username}/${folderId}` : pathOf`content/users/${username}`;

const properties = (item: PackageItem) => ({
  title: item.title,
  type: PACKAGE_TYPE,
  typeKeywords: PACKAGE_KEYWORDS,
  tags: item.tags,
  filename: item.filename,
  itemIdToCreate: atLeast(item.version, ITEM_ID_TO_CREATE_SINCE) ? item.itemIdToCreate : undefined,
});

interface NewItem {
  /** Owner of the new item. */
  readonly username: string;
  /** @default the root folder */
  readonly folderId?: string;
  /** Form fields, `title` and `type` among them. */
  readonly params: Params;
  readonly file?: FilePart;
}

/**
 * Adds an item, with its file in the same request where one is given: its length is announced (portals cap chunked
 * uploads at 50 MB). docs/reference/portal-interface.md, "Add item"
 *
 * @throws PortolanError PACKAGE_TOO_LARGE over 5 GB; BAD_REQUEST, among others for an id in use
 */
export async function addItem(
  portal: Portal,
  { username, folderId, params, file }: NewItem,
  options?: CallOptions,
): Promise<{ id: string }> {
  if (file && file.source.size > SINGLE_UPLOAD_MAX) {
    const words = 'One request carries at most 5 GB. Send the file in parts.';
    throw new PortolanError('PACKAGE_TOO_LARGE', words, { portal: portal.name, operation: 'item.add' });
  }
  const { id } = await portal.call(
    {
      operation: 'item.add',
      method: 'POST',
      encoding: 'multipart',
      path: `${folderPath(username, folderId)}/addItem`,
      params,
      file,
      schema: added,
    },
    options,
  );
  return { id };
}

/** Adds a package item with its file, as `addItem` does. docs/reference/portal-interface.md, "Add item" */
export const addPackageItem = (
  portal: Portal,
  request: PackageItem & { readonly file: FileSource; readonly onProgress?: (sentBytes: number) => void },
  options?: CallOptions,
): Promise<{ id: string }> =>
  addItem(
    portal,
    {
      username: request.username,
      params: properties(request),
      file: { filename: request.filename, source: request.file, onProgress: request.onProgress },
    },
    options,
  );

/** Adds a package item whose file comes in parts; this request carries none of it. docs/reference/portal-interface.md, "Parts" */
export async function startMultipart(
  portal: Portal,
  request: PackageItem,
  options?: CallOptions,
): Promise<{ id: string }> {
  const answer = await portal.call(
    {
      operation: 'item.addMultipart',
      method: 'POST',
      encoding: 'multipart',
      path: `${folderPath(request.username)}/addItem`,
      params: { ...properties(request), multipart: true },
      schema: added,
    },
    options,
  );
  return { id: answer.id };
}

/** An item whose upload in parts has begun. */
interface PartialItem {
  readonly username: string;
  readonly itemId: string;
}

const itemPath = ({ username, itemId }: PartialItem): string =>
  pathOf`content/users/${username}/items/${itemId}`;

interface PartUpload extends PartialItem {
  /** From 1; the same number again replaces the part. */
  readonly partNum: number;
  readonly file: FileSource;
  /** First byte of the part. @default 0 */
  readonly start?: number;
  /** Exclusive. @default the file's size */
  readonly end?: number;
  readonly onProgress?: (sentBytes: number) => void;
}

/** Sends one part. May be repeated, in any order, several at a time. docs/reference/portal-interface.md, "Parts" */
export async function addPart(portal: Portal, part: PartUpload, options?: CallOptions): Promise<void> {
  if (!Number.isInteger(part.partNum) || part.partNum < 1 || part.partNum > PARTS_MAX) {
    throw new PortolanError('INTERNAL', `Parts are numbered 1 to ${PARTS_MAX}, not ${part.partNum}.`);
  }
  await portal.call(
    {
      operation: 'item.addPart',
      method: 'POST',
      path: `${itemPath(part)}/addPart`,
      query: { partNum: part.partNum },
      file: {
        filename: `part-${part.partNum}`,
        source: part.file,
        start: part.start,
        end: part.end,
        onProgress: part.onProgress,
      },
      schema: success,
      missing: 'ITEM_NOT_FOUND',
    },
    options,
  );
}

/** Numbers of the parts that the portal holds, ascending. docs/reference/portal-interface.md, "Parts" */
export async function listParts(portal: Portal, item: PartialItem, options?: CallOptions): Promise<number[]> {
  const toNumbers = (value: unknown) => toList(value).flatMap((each) => toNumber(each) ?? []);
  const answer = await portal.call(
    {
      operation: 'item.parts',
      path: `${itemPath(item)}/parts`,
      schema: z.looseObject({ parts: z.unknown().transform(toNumbers).optional() }),
      missing: 'ITEM_NOT_FOUND',
    },
    options,
  );
  return (answer.parts ?? []).sort((a, b) => a - b);
}

/** Ends an upload in parts; the portal then joins them, see readItemStatus. docs/reference/portal-interface.md, "Parts" */
export async function commit(
  portal: Portal,
  request: PartialItem & Pick<PackageItem, 'title' | 'tags' | 'filename'>,
  options?: CallOptions,
): Promise<void> {
  await portal.call(
    {
      operation: 'item.commit',
      method: 'POST',
      path: `${itemPath(request)}/commit`,
      params: {
        id: request.itemId,
        type: PACKAGE_TYPE,
        title: request.title,
        typeKeywords: PACKAGE_KEYWORDS,
        tags: request.tags,
        filename: request.filename,
        async: true,
      },
      schema: success,
      missing: 'ITEM_NOT_FOUND',
    },
    options,
  );
}

const statusRecord = z.looseObject({ status: label, statusMessage: text });

interface ItemStatus {
  /** `partial`: not committed; `unknown`: a word that is none of these, or none at all. */
  readonly phase: 'partial' | 'processing' | 'completed' | 'failed' | 'unknown';
  /** The portal's word. */
  readonly status: string;
  readonly statusMessage?: string;
}

/** What has become of an item's upload. A failed one is a record, not an error. docs/reference/portal-interface.md, "Item status" */
export async function readItemStatus(
  portal: Portal,
  item: PartialItem,
  options?: CallOptions,
): Promise<ItemStatus> {
  const answer = await portal.call(
    {
      operation: 'item.status',
      path: `${itemPath(item)}/status`,
      schema: statusRecord,
      statusIsData: true,
      missing: 'ITEM_NOT_FOUND',
    },
    options,
  );
  const status = answer.status ?? '';
  return { phase: itemPhase(status), status, statusMessage: answer.statusMessage };
}

function itemPhase(status: string): ItemStatus['phase'] {
  const word = status.trim().toLowerCase();
  switch (word) {
    case 'partial':
    case 'processing':
    case 'completed':
    case 'failed':
      return word;
    default:
      return 'unknown';
  }
}
