import { folderNamed, folderOf, isAdministrator, visibleItem } from '../../access';
import { deleteItemNow, requireFreeName } from '../../item-records';
import { denied, missing, noUser, PortalFault } from '../../errors';
import { signedIn, writable, type Call } from '../../http/call';
import { json, type Reply } from '../../http/reply';
import { read, type Route } from '../../http/router';
import type { ItemRecord } from '../../state/records';
import type { World } from '../../world';
import { groupOnWire, itemOnWire } from '../../wire';
import { changeable, inFolders, itemFields, ownItem } from './item-calls';
import { takeThumbnail } from './thumbnails';
import { takeData } from './user-content';

const content = '/portal/sharing/rest/content/items/:itemId';

/** Reading, changing, moving and deleting items (docs/reference/portal-interface.md, "Items"). */
export const itemRoutes: readonly Route[] = [
  read('item.read', content, readItem),
  read('item.groups', `${content}/groups`, itemGroups),
  ...inFolders('item.update', 'update', update),
  ...inFolders('item.delete', 'delete', remove),
  ...inFolders('item.canDelete', 'canDelete', canDelete),
  ...inFolders('item.move', 'move', move),
  ...inFolders('item.reassign', 'reassign', reassign),
  ...inFolders('item.protect', 'protect', (call) => protect(call, true)),
  ...inFolders('item.unprotect', 'unprotect', (call) => protect(call, false)),
];

function readItem(call: Call): Reply {
  const item = visibleItem(call, call.path['itemId'] ?? '');
  return json(itemOnWire(call.world, item, call.user));
}

function itemGroups(call: Call): Reply {
  const { world, user, settings } = call;
  const item = visibleItem(call, call.path['itemId'] ?? '');
  const told = item.groups.filter((id) => !settings.unlistedGroups.includes(id));
  const groups = told.map((id) => world.groups.get(id)).filter((group) => group !== undefined);
  const seen = groups.filter(
    (group) => group.owner === user?.username || group.members.includes(user?.username ?? ''),
  );
  return json({
    admin: groups
      .filter((group) => group.owner === user?.username)
      .map((group) => groupOnWire(world, group, user)),
    member: seen
      .filter((group) => group.owner !== user?.username)
      .map((group) => groupOnWire(world, group, user)),
    other: groups.filter((group) => !seen.includes(group)).map((group) => groupOnWire(world, group, user)),
  });
}

async function update(call: Call): Promise<Reply> {
  const { world, params } = call;
  const item = changeable(call);
  const file = params.files.get('file');
  const name = params.text('filename') ?? params.text('fileName') ?? file?.filename;
  if (file && name !== undefined) requireFreeName(world, { ...item, name });
  const data = { ...(await takeData(call, item)), ...(await takeThumbnail(call, item)) };
  const clears = params.flag('clearEmptyFields') ?? false;
  const fields = Object.fromEntries(
    Object.entries(itemFields(call)).filter(([, value]) => clears || (value !== null && !isEmptyList(value))),
  );
  world.items.change(item.id, {
    ...fields,
    ...data,
    ...(file && name !== undefined && { name }),
    modified: world.now(),
    indexedAt: Date.now() + call.settings.searchLagMs,
  });
  return json({ success: true, id: item.id });
}

const isEmptyList = (value: unknown): boolean => Array.isArray(value) && value.length === 0;

const protectedFault = (): PortalFault =>
  new PortalFault(400, 'Unable to delete item. Delete protection is turned on.', {
    messageCode: 'CONT_0048',
  });

/** Seen on portals: Esri/solution.js issue 675; the error does not say which services. */
const relatedFault = (): PortalFault =>
  new PortalFault(400, 'Unable to delete item. This service item has a related Service item', {
    messageCode: 'CONT_00481',
  });

/** Views, and other services derived from a hosted service. */
const hasRelatedServices = (world: World, { id }: ItemRecord): boolean =>
  world.items.find(
    ({ deletedAt, relations }) =>
      deletedAt === undefined && relations.some(({ type, to }) => type === 'Service2Service' && to === id),
  ) !== undefined;

/** Moves to the recycle bin, if there is one (from 11.3), unless `permanentDelete` is true. */
async function remove(call: Call): Promise<Reply> {
  writable(call);
  const { world, params, settings } = call;
  const item = ownItem(call);
  if (item.protected) throw protectedFault();
  if (settings.relatedServicesHold && hasRelatedServices(world, item)) throw relatedFault();
  const bin = settings.recycleBin === 'on' && settings.release.atLeast('11.3') && item.status === 'completed';
  if (bin && params.flag('permanentDelete') !== true) {
    world.items.change(item.id, { deletedAt: world.now() });
  } else {
    await deleteItemNow(world, item);
  }
  return json({ success: true, itemId: item.id });
}

function canDelete(call: Call): Reply {
  const item = ownItem(call);
  if (!item.protected) return json({ itemId: item.id, success: true });
  const { code, message, more } = protectedFault();
  const error = { code, messageCode: more.messageCode, message, offendingItems: [item.id] };
  return json({ itemId: item.id, success: false, error });
}

function move(call: Call): Reply {
  writable(call);
  const item = ownItem(call);
  const desired = call.params.text('folder') ?? call.params.text('folderId');
  if (desired === undefined) throw missing('folder');
  const folder = folderOf(call.world, item.owner, desired);
  requireFreeName(call.world, { ...item, ownerFolder: folder?.id ?? null });
  call.world.items.change(item.id, { ownerFolder: folder?.id ?? null });
  return json({ success: true, itemId: item.id, owner: item.owner, folder: folder?.id ?? '' });
}

/** For administrators: changes the owner, and the folder by title. Groups, access and protection stay. */
function reassign(call: Call): Reply {
  writable(call);
  const { world, params } = call;
  if (!isAdministrator(signedIn(call))) throw denied();
  const item = ownItem(call);
  const username = params.text('targetUsername');
  if (username === undefined) throw missing('targetUsername');
  if (!world.users.has(username)) throw noUser();
  const title = params.text('targetFolderName') ?? '/';
  const folder = title === '/' ? null : folderNamed(world, username, title);
  const place = { owner: username, ownerFolder: folder?.id ?? null };
  requireFreeName(world, { ...item, ...place });
  world.items.change(item.id, place);
  return json({ success: true, itemId: item.id });
}

function protect(call: Call, on: boolean): Reply {
  writable(call);
  const item: ItemRecord = ownItem(call);
  call.world.items.change(item.id, { protected: on });
  return json({ success: true, itemId: item.id });
}
