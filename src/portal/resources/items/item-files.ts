import path from 'node:path';
import { z } from 'zod';
import { PortolanError } from '../../../model/errors/errors';
import type { Portal } from '../../client';
import { type Download, downloadFile } from './download';
import type { Item } from './item';
import { itemRequest, type OwnedItem, readItem, success, wholeText } from './items';
import { ListingSize } from '../../http/response-limits';
import { PAGE_MAX } from '../../http/limits';
import { pathOf } from '../../http/address';
import { number, readableOf, requiredText } from '../../http/reading';
import type { CallOptions, FilePart, FileSource, Params } from '../../http/request';

/** A file that an item has beside its data. docs/reference/portal-interface.md, "Resources and thumbnails" */
export interface ItemFile {
  readonly kind: 'resource' | 'thumbnail';
  /** As the portal names it: `config/config.json` of a resource, `thumbnail/map.png` of a thumbnail. */
  readonly path: string;
}

const resourcePage = z.looseObject({
  nextStart: number,
  resources: readableOf(z.looseObject({ resource: requiredText })),
});
type ItemResource = z.infer<typeof resourcePage>['resources'][number];

/** The files that lie beside an item's data. docs/reference/portal-interface.md, "Resources and thumbnails" */
export async function readItemResources(
  portal: Portal,
  itemId: string,
  options?: CallOptions,
): Promise<ItemResource[]> {
  const resources: ItemResource[] = [];
  const listing = new ListingSize(portal.name, 'item.resources');
  for (let start = 1; start > 0;) {
    const page = await portal.call(
      {
        operation: 'item.resources',
        path: pathOf`content/items/${itemId}/resources`,
        params: { start, num: PAGE_MAX },
        schema: resourcePage,
        missing: 'ITEM_NOT_FOUND',
      },
      { ...options, listing },
    );
    resources.push(...page.resources);
    start = (page.nextStart ?? -1) > start ? (page.nextStart ?? -1) : -1;
  }
  return resources;
}

/** A resource as text; undefined where it is empty. @throws PortolanError BAD_RESPONSE beyond maxBytes */
export async function readItemResourceText(
  portal: Portal,
  itemId: string,
  resource: string,
  { maxBytes }: { maxBytes: number },
  options?: CallOptions,
): Promise<string | undefined> {
  return wholeText(portal, { ...addressOf(itemId, { kind: 'resource', path: resource }), maxBytes }, options);
}

const folders = { resource: 'resources', thumbnail: 'info' } as const;

const addressOf = (itemId: string, file: ItemFile): { operation: string; path: string } => ({
  operation: `item.${file.kind}`,
  path: [
    pathOf`content/items/${itemId}`,
    folders[file.kind],
    ...file.path.split('/').map((part) => pathOf`${part}`),
  ].join('/'),
});

/** All files beside an item's data. */
export async function listItemFiles(
  portal: Portal,
  { id, thumbnail }: Item,
  options?: CallOptions,
): Promise<ItemFile[]> {
  const resources = await readItemResources(portal, id, options);
  return [
    ...resources.map(({ resource }) => ({ kind: 'resource', path: resource }) as const),
    ...(thumbnail ? [{ kind: 'thumbnail', path: thumbnail } as const] : []),
  ];
}

/**
 * Opens such a file as a stream; undefined for a thumbnail that the portal has lost: it answers its address with 404,
 * 400, 500 or a page, twice, and knows the item meanwhile. docs/reference/portal-interface.md, "Resources and thumbnails"
 *
 * @throws PortolanError ITEM_NOT_FOUND, PERMISSION_DENIED
 */
export async function openItemFile(
  portal: Portal,
  itemId: string,
  file: ItemFile,
  options?: CallOptions,
): Promise<Download | undefined> {
  const open = () => downloadFile(portal, addressOf(itemId, file), { from: 0 }, options);
  try {
    return await open();
  } catch (thrown) {
    if (!saysLost(file, thrown)) throw thrown;
  }
  await readItem(portal, itemId, options);
  try {
    return await open();
  } catch (thrown) {
    if (saysLost(file, thrown)) return undefined;
    throw thrown;
  }
}

/** How portals say that a thumbnail which a record names is not there any more. */
const saysLost = ({ kind }: ItemFile, thrown: unknown): boolean =>
  kind === 'thumbnail' &&
  PortolanError.is(
    thrown,
    'NOT_FOUND',
    'ITEM_NOT_FOUND',
    'BAD_REQUEST',
    'SERVER_ERROR',
    'HTML_RESPONSE',
    'BAD_RESPONSE',
  );

/**
 * Gives an item exactly these files beside its data: others that it has are removed.
 *
 * @throws PortolanError PERMISSION_DENIED, BAD_REQUEST where the portal does not take such a file
 */
export async function setItemFiles(
  portal: Portal,
  item: OwnedItem,
  files: readonly (ItemFile & { readonly source: FileSource })[],
  options?: CallOptions,
): Promise<void> {
  const present = await readItemResources(portal, item.itemId, options);
  const there = new Set(present.map(({ resource }) => resource));
  for (const file of files) await put(portal, item, file, there.has(file.path), options);
  const desired = new Set(files.map(({ kind, path: name }) => `${kind} ${name}`));
  for (const resource of there) {
    if (!desired.has(`resource ${resource}`))
      await changeItem(portal, item, { name: 'removeResources', params: { resource } }, options);
  }
}

/** Gives an item a picture, in place of any other. docs/reference/portal-interface.md, "Resources and thumbnails" */
export const setThumbnail = (
  portal: Portal,
  item: OwnedItem,
  { path: name, source }: { readonly path: string; readonly source: FileSource },
  options?: CallOptions,
): Promise<void> => put(portal, item, { kind: 'thumbnail', path: name, source }, false, options);

/** Takes the thumbnail off an item that has one. */
export const removeThumbnail = (portal: Portal, item: OwnedItem, options?: CallOptions): Promise<void> =>
  changeItem(portal, item, { name: 'deleteThumbnail' }, options);

/** Turns the protection against deleting on or off. docs/reference/portal-interface.md, "Delete" */
export const protectItem = (
  portal: Portal,
  item: OwnedItem,
  isProtected: boolean,
  options?: CallOptions,
): Promise<void> => changeItem(portal, item, { name: isProtected ? 'protect' : 'unprotect' }, options);

function put(
  portal: Portal,
  item: OwnedItem,
  { kind, path: name, source }: ItemFile & { readonly source: FileSource },
  isThere: boolean,
  options?: CallOptions,
): Promise<void> {
  const filename = path.posix.basename(name);
  if (kind === 'thumbnail')
    return changeItem(
      portal,
      item,
      { name: 'update', file: { field: 'thumbnail', filename, source } },
      options,
    );
  const folder = path.posix.dirname(name);
  const params = { fileName: filename, resourcesPrefix: folder === '.' ? undefined : folder };
  const call = isThere ? 'updateResources' : 'addResources';
  return changeItem(portal, item, { name: call, params, file: { filename, source } }, options);
}

/** One call that changes an item, under its owner. */
export async function changeItem(
  portal: Portal,
  item: OwnedItem,
  { name, ...sent }: { name: string; params?: Params; file?: FilePart },
  options?: CallOptions,
): Promise<void> {
  await portal.call({ ...itemRequest(item, name), ...sent, schema: success }, options);
}
