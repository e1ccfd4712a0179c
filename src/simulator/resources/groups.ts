import { isAdministrator, mayViewAll, isReadable, maySeeItem, visibleGroup } from '../access';
import { denied, noItem } from '../errors';
import { signedIn, writable, type Call } from '../http/call';
import { cutPage, pageOf } from '../http/params';
import { json, type Reply } from '../http/reply';
import { read, write, type Route } from '../http/router';
import type { GroupRecord, ItemRecord, UserRecord } from '../state/records';
import { groupOnWire, itemOnWire } from '../wire';
import { ownItem } from './items/item-calls';
import type { World } from '../world';

/** Groups and their content (docs/reference/portal-interface.md, "Groups"). */
export const groupRoutes: readonly Route[] = [
  read('group.read', '/portal/sharing/rest/community/groups/:groupId', readGroup),
  read('group.users', '/portal/sharing/rest/community/groups/:groupId/users', groupUsers),
  read('group.content', '/portal/sharing/rest/content/groups/:groupId', groupContent),
  ...['', '/users/:username', '/users/:username/:folderId'].flatMap((owner) => [
    write('item.share', `/portal/sharing/rest/content${owner}/items/:itemId/share`, share),
    write('item.unshare', `/portal/sharing/rest/content${owner}/items/:itemId/unshare`, unshare),
  ]),
];

const groupOf = (call: Call): GroupRecord => visibleGroup(call, call.path['groupId'] ?? '');

function readGroup(call: Call): Reply {
  return json(groupOnWire(call.world, groupOf(call), call.user));
}

function groupUsers(call: Call): Reply {
  const { owner, members } = groupOf(call);
  return json({ owner, admins: [owner], users: members });
}

/** Items of a group that this user may see, in order of creation. */
export function itemsOfGroup(world: World, groupId: string, user: UserRecord | undefined): ItemRecord[] {
  return world.itemsIn(groupId).filter((item) => isReadable(item) && maySeeItem(world, item, user));
}

function groupContent(call: Call): Reply {
  const group = groupOf(call);
  const items = itemsOfGroup(call.world, group.id, call.user);
  const { info, rows } = cutPage(items, pageOf(call.params));
  return json({
    ...info,
    items: rows.map((item) => ({ ...itemOnWire(call.world, item, call.user), groupCategories: [] })),
  });
}

/** Full administrator, or owner of the group. @throws PortalFault 499 or 403 */
export function ownerOrAdministrator(call: Call, group: GroupRecord): UserRecord {
  const user = signedIn(call);
  if (group.owner !== user.username && !isAdministrator(user)) throw denied();
  return user;
}

function share(call: Call): Reply {
  writable(call);
  const item = sharedItem(call);
  const named = call.params.list('groups') ?? [];
  const notSharedWith = named.filter((id) => !mayShareWith(call, id));
  const groups = [...new Set([...item.groups, ...named.filter((id) => !notSharedWith.includes(id))])];
  const everyone = call.params.flag('everyone') ?? false;
  const org = call.params.flag('org') ?? false;
  const access = everyone ? 'public' : org ? 'org' : groups.length > 0 ? 'shared' : item.access;
  call.world.items.change(item.id, { groups, access });
  return json({ itemId: item.id, notSharedWith });
}

function unshare(call: Call): Reply {
  writable(call);
  const item = sharedItem(call);
  const named = call.params.list('groups') ?? [];
  const groups = item.groups.filter((id) => !named.includes(id));
  const access = item.access === 'shared' && groups.length === 0 ? 'private' : item.access;
  call.world.items.change(item.id, { groups, access });
  return json({ itemId: item.id, notUnsharedFrom: [] });
}

function sharedItem(call: Call): ItemRecord {
  if (call.path['username'] !== undefined) return ownItem(call);
  const user = signedIn(call);
  const item = call.world.items.get(call.path['itemId'] ?? '');
  if (!item || !isReadable(item)) throw noItem();
  if (item.owner !== user.username && !isAdministrator(user)) throw denied();
  return item;
}

/** In a Shared-updates group all members can update an item, so its owner must confirm. */
function mayShareWith(call: Call, groupId: string): boolean {
  const group = call.world.groups.get(groupId);
  const user = signedIn(call);
  if (group?.capabilities.includes('updateitemcontrol') && call.params.flag('confirmItemControl') !== true) {
    return false;
  }
  return (
    group !== undefined &&
    (mayViewAll(user) || group.owner === user.username || group.members.includes(user.username))
  );
}
