import { createReadStream } from 'node:fs';
import { rm } from 'node:fs/promises';
import { extname } from 'node:path';
import { visibleItem } from '../../access';
import { badRequest, noResource } from '../../errors';
import type { Call } from '../../http/call';
import { json, type Reply } from '../../http/reply';
import { read, type Route } from '../../http/router';
import type { ItemRecord } from '../../state/records';
import { changeable, inFolders } from './item-calls';

/** The thumbnails of items (docs/reference/portal-interface.md, "Resources and thumbnails"). */
export const thumbnailRoutes: readonly Route[] = [
  {
    ...read('item.thumbnail', '/portal/sharing/rest/content/items/:itemId/info/*file', thumbnail),
    ownFormat: true,
  },
  ...inFolders('item.deleteThumbnail', 'deleteThumbnail', remove),
];

/** @format bytes */
const thumbnailLimit = 10 * 1024 ** 2;
const pictures: ReadonlySet<string> = new Set(['.png', '.gif', '.jpg', '.jpeg']);

/** Stores a request's thumbnail. @throws PortalFault 400 if it is no picture, or too large */
export async function takeThumbnail({ world, params }: Call, item: ItemRecord): Promise<Partial<ItemRecord>> {
  const file = params.files.get('thumbnail');
  if (!file) return {};
  const ending = extname(file.filename).toLowerCase();
  if (!pictures.has(ending)) throw badRequest(`A thumbnail is a picture, not '${ending}'.`);
  if (file.bytes > thumbnailLimit) throw badRequest('A thumbnail is limited to 10 MB.');
  await world.files.adopt(file.path, world.files.thumbnailPath(item.id));
  return { thumbnail: `thumbnail/${file.filename}` };
}

function thumbnail(call: Call): Reply {
  const item = visibleItem(call, call.path['itemId'] ?? '');
  if (!item.thumbnail || item.thumbnail !== call.path['file']) throw noResource();
  const file = call.world.files.thumbnailPath(item.id);
  return {
    kind: 'stream',
    status: 200,
    headers: { 'content-type': `image/${extname(item.thumbnail).slice(1)}` },
    open: () => createReadStream(file),
  };
}

async function remove(call: Call): Promise<Reply> {
  const { world } = call;
  const item = changeable(call);
  world.items.change(item.id, { thumbnail: null, modified: world.now() });
  await rm(world.files.thumbnailPath(item.id), { force: true });
  return json({ success: true, itemId: item.id });
}
