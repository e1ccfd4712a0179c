import { visibleItem } from '../../access';
import { badRequest, noItem, PortalFault } from '../../errors';
import type { Call } from '../../http/call';
import type { Reply } from '../../http/reply';
import { read, type Route } from '../../http/router';
import type { ItemRecord } from '../../state/records';
import type { World } from '../../world';

/** The file of an item, in the configured mode (docs/reference/portal-interface.md, "Download"). */
export const itemDataRoutes: readonly Route[] = [
  { ...read('item.data', '/portal/sharing/rest/content/items/:itemId/data', data), ownFormat: true },
];

/** Routes of the storage server for redirects. */
export const storageRoutes: readonly Route[] = [
  { ...read('storage.data', '/storage/:itemId', storedData), ownFormat: true },
];

function data(call: Call): Reply {
  const { world, settings, params } = call;
  const item = visibleItem(call, call.path['itemId'] ?? '');
  if (params.text('f') === 'zip' && !item.type.endsWith('Package')) {
    throw badRequest('Format not allowed for this Item Type');
  }
  if (settings.dataErrors) throw new PortalFault(500, 'Unable to read the data of the item.');
  if (item.size <= 0 && settings.noData === 'error') throw new PortalFault(500, 'Item does not have a file.');
  if (item.size <= 0 && settings.noData === 'absent') throw noItem();
  if (settings.redirect && item.size > 0) return { kind: 'redirect', location: signedAddress(world, item) };
  return fileReply(call, item);
}

const redirectLifeMs = 15 * 60_000;

function signedAddress(world: World, item: ItemRecord): string {
  const expires = Date.now() + redirectLifeMs;
  const signature = world.hash(`storage ${item.id} ${expires}`);
  return `${world.storageOrigin}/storage/${item.id}?expires=${expires}&signature=${signature}`;
}

/** Object stores refuse a request with two signatures: a token must not be sent along. */
function storedData(call: Call): Reply {
  const { world, params, headers } = call;
  const carriesToken = headers['x-esri-authorization'] ?? headers.authorization ?? params.text('token');
  if (carriesToken !== undefined)
    throw new PortalFault(400, 'Only one way of signing in is allowed.', { httpStatus: 400 });
  const item = world.items.get(call.path['itemId'] ?? '');
  const expires = params.integer('expires') ?? 0;
  const signed = item && world.matches(`storage ${item.id} ${expires}`, params.text('signature') ?? '');
  if (!signed || expires < Date.now())
    throw new PortalFault(403, 'The signature is not valid.', { httpStatus: 403 });
  return fileReply(call, item);
}

function fileReply({ world, settings, headers }: Call, item: ItemRecord): Reply {
  const etag = `"${item.id}-${item.modified}-${item.size}"`;
  const range = settings.noRange ? undefined : rangeOf(headers.range, headers['if-range'], etag, item.size);
  if (range === 'unsatisfiable') throw new PortalFault(416, 'Range not satisfiable.', { httpStatus: 416 });
  const { start, end } = range ?? { start: 0, end: Math.max(0, item.size) };
  return {
    kind: 'stream',
    status: range ? 206 : 200,
    headers: {
      'content-type': contentType(item),
      ...(item.name !== null && {
        'content-disposition': `attachment; filename="${item.name}"; size=${item.size}`,
      }),
      ...(!settings.noLength && { 'content-length': end - start }),
      ...(!settings.noRange && { 'accept-ranges': 'bytes', etag }),
      ...(range && { 'content-range': `bytes ${start}-${end - 1}/${item.size}` }),
    },
    open: () => world.files.readData(item, start, end),
  };
}

/** A single range from a first byte on; anything else returns the whole file. */
function rangeOf(
  header: string | undefined,
  ifRange: string | string[] | undefined,
  etag: string,
  size: number,
): { start: number; end: number } | 'unsatisfiable' | undefined {
  const match = /^bytes=(\d+)-(\d*)$/.exec(header ?? '');
  if (!match || (ifRange !== undefined && ifRange !== etag)) return undefined;
  const start = Number(match[1]);
  const end = match[2] === '' ? size : Math.min(size, Number(match[2]) + 1);
  return start < end ? { start, end } : 'unsatisfiable';
}

function contentType(item: ItemRecord): string {
  const type = mimeTypes.find(([ending]) => item.name?.toLowerCase().endsWith(ending));
  if (type) return type[1];
  return /^(Web |StoryMap|Dashboard|Feature )/.test(item.type)
    ? 'application/json'
    : 'application/octet-stream';
}

const mimeTypes: readonly (readonly [ending: string, type: string])[] = [
  ['.csv', 'text/csv'],
  ['.pdf', 'application/pdf'],
  ['.tif', 'image/tiff'],
  ['.png', 'image/png'],
  ['.json', 'application/json'],
  ['.zip', 'application/zip'],
];
