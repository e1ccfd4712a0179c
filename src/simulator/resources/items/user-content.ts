import { folderOf, isReadable } from '../../access';
import { badRequest, missing, noItem, PortalFault } from '../../errors';
import { writable, type Call } from '../../http/call';
import { cutPage, pageOf } from '../../http/params';
import { json, type Reply } from '../../http/reply';
import { read, write, type Route } from '../../http/router';
import { newItem, requireFreeName } from '../../item-records';
import type { ItemRecord } from '../../state/records';
import { folderOnWire, itemOnWire } from '../../wire';
import { itemFields, ownerOf, ownItem } from './item-calls';
import { takeThumbnail } from './thumbnails';

const users = '/portal/sharing/rest/content/users/:username';

/** A user's own content, and adding items in one request (docs/reference/portal-interface.md, "Items"). */
export const userContentRoutes: readonly Route[] = [
  write('item.add', `${users}/addItem`, addItem),
  write('item.add', `${users}/:folderId/addItem`, addItem),
  read('user.item', `${users}/items/:itemId`, userItem),
  read('user.item', `${users}/:folderId/items/:itemId`, userItem),
  read('user.content', users, content),
  read('user.content', `${users}/:folderId`, content),
];

/** Limit for a file in one request. @format bytes */
const singleUploadLimit = 5 * 1024 ** 3;

async function addItem(call: Call): Promise<Reply> {
  writable(call);
  const { world, params } = call;
  const owner = ownerOf(call);
  const folder = folderOf(world, owner.username, call.path['folderId']);
  const type = params.text('type');
  const title = params.text('title');
  if (type === undefined || title === undefined) throw badRequest("'type' and 'title' property required.");
  const file = params.files.get('file');
  const inParts = params.flag('multipart') ?? false;
  const filename = params.text('filename') ?? params.text('fileName');
  if (inParts && filename === undefined) throw missing('filename');
  const place = { owner: owner.username, ownerFolder: folder?.id ?? null };
  const name = filename ?? file?.filename ?? null;
  requireFreeName(world, { ...place, name });

  const item = newItem(world, {
    ...itemFields(call),
    id: freeId(call),
    ...place,
    title,
    type,
    name,
    status: inParts ? 'partial' : 'completed',
  });
  const lag = !inParts && params.flag('async') === true ? call.settings.commitLagMs : 0;
  world.items.put(item.id, {
    ...item,
    ...(inParts ? {} : await takeData(call, item)),
    ...(await takeThumbnail(call, item)),
    readableAt: item.readableAt + lag,
    indexedAt: item.indexedAt + lag,
  });
  const origin = world.items.get(params.text('originItemId') ?? '');
  const relation = params.text('relationshipTypes') ?? params.text('relationshipType');
  if (origin && relation !== undefined) {
    world.items.change(origin.id, { relations: [...origin.relations, { type: relation, to: item.id }] });
  }
  return json({ success: true, id: item.id, folder: folder?.id ?? null });
}

/** `itemIdToCreate` exists from 10.8.1. */
function freeId({ world, params, settings }: Call): string {
  const desired = settings.release.atLeast('10.8.1') ? params.text('itemIdToCreate') : undefined;
  if (desired === undefined) return world.newId();
  if (!/^[0-9a-f]{32}$/i.test(desired)) throw badRequest("'itemIdToCreate' is not a valid item id.");
  const id = desired.toLowerCase();
  if (world.items.has(id)) {
    throw new PortalFault(409, `Item with id '${id}' already exists.`, { messageCode: 'CONT_0036' });
  }
  return id;
}

/** Stores a request's file or text. @throws PortalFault 400 for data at another URL */
export async function takeData(call: Call, item: ItemRecord): Promise<Partial<ItemRecord>> {
  const { world, params } = call;
  if (params.text('dataUrl') !== undefined) throw badRequest("'dataUrl' is not supported: send 'file'.");
  const file = params.files.get('file');
  if (file && file.bytes > singleUploadLimit) throw badRequest('A single upload is limited to 5 GB.');
  const path = world.files.dataPath(item.id);
  if (file) return { size: await world.files.adopt(file.path, path), data: { kind: 'file' } };
  const text = params.verbatim('text');
  if (text !== undefined) return { size: await world.files.write(path, text), data: { kind: 'file' } };
  return {};
}

function content(call: Call): Reply {
  const { world } = call;
  const owner = ownerOf(call);
  const folder = folderOf(world, owner.username, call.path['folderId']);
  const items = world.items.filter(
    (item) =>
      item.owner === owner.username && item.ownerFolder === (folder?.id ?? null) && isListed(call, item),
  );
  const { info, rows } = cutPage(items, pageOf(call.params));
  const folders = world.folders.filter(({ username }) => username === owner.username);
  return json({
    username: owner.username,
    ...info,
    currentFolder: folder ? folderOnWire(folder) : null,
    items: rows.map((item) => itemOnWire(world, item, call.user)),
    folders: folders.map(folderOnWire),
  });
}

/** An unfinished upload is listed for its owner too, unless the portal hides it. */
const isListed = ({ settings }: Call, item: ItemRecord): boolean =>
  isReadable(item) || (item.status === 'partial' && !settings.hidePartial);

function userItem(call: Call): Reply {
  const item = ownItem(call);
  if (!isListed(call, item)) throw noItem();
  return json({
    item: itemOnWire(call.world, item, call.user),
    sharing: { access: item.access, groups: item.groups },
    folder: item.ownerFolder,
  });
}
