import { denied, noFolder, noGroup, noItem, tokenRequired } from './errors';
import type { FolderRecord, GroupRecord, ItemRecord, UserRecord } from './state/records';
import type { TokenFacts } from './tokens';
import type { World } from './world';

/** The caller of a request, and its portal. */
export interface Viewer {
  readonly world: World;
  readonly session?: TokenFacts;
  readonly user?: UserRecord;
}

/** Full administrator: the role, and no custom role on top of it. */
export const isAdministrator = (user: UserRecord | undefined): boolean =>
  user?.role === 'org_admin' && user.roleId === undefined;

export const mayViewAll = (user: UserRecord | undefined): boolean =>
  user?.privileges.includes('portal:admin:viewItems') ?? false;

export const isMember = (group: GroupRecord, user: UserRecord | undefined): boolean =>
  user !== undefined && (group.owner === user.username || group.members.includes(user.username));

export function maySeeGroup(group: GroupRecord, user: UserRecord | undefined): boolean {
  if (group.access === 'public') return true;
  if (!user) return false;
  return group.access === 'org' || isMember(group, user) || mayViewAll(user);
}

/** Other users' private groups appear not to exist. @throws PortalFault */
export function visibleGroup({ world, session, user }: Viewer, id: string): GroupRecord {
  const group = world.groups.get(id);
  if (group && maySeeGroup(group, user)) return group;
  if (!session) throw tokenRequired();
  throw noGroup();
}

/** Exists, is not in the recycle bin, and its commit lag has passed. */
export function isReadable(item: ItemRecord): boolean {
  return item.deletedAt === undefined && item.status === 'completed' && item.readableAt <= Date.now();
}

export function maySeeItem(world: World, item: ItemRecord, user: UserRecord | undefined): boolean {
  if (item.access === 'public') return true;
  if (!user) return false;
  if (item.access === 'org' || item.owner === user.username || mayViewAll(user)) return true;
  return item.groups.some((id) => {
    const group = world.groups.get(id);
    return group !== undefined && isMember(group, user);
  });
}

/**
 * @throws PortalFault 499 without a token, 400 CONT_0001 if the item does not exist for this user, or 403 on portals
 * that distinguish the two
 */
export function visibleItem({ world, session, user }: Viewer, id: string): ItemRecord {
  const item = world.items.get(id.toLowerCase());
  const readable = item !== undefined && isReadable(item);
  if (readable && maySeeItem(world, item, user)) return item;
  if (!session) throw tokenRequired();
  if (readable && world.settings.unreadable === 'denied') throw denied();
  throw noItem();
}

/** Owner, administrator, or member of a Shared-updates group that holds the item. */
export function mayUpdateItem(world: World, item: ItemRecord, user: UserRecord): boolean {
  if (item.owner === user.username || isAdministrator(user)) return true;
  return item.groups.some((id) => {
    const group = world.groups.get(id);
    return group !== undefined && isMember(group, user) && group.capabilities.includes('updateitemcontrol');
  });
}

/** A folder by ID or title; `/` and nothing mean the root. @throws PortalFault if it does not exist */
export function folderOf(world: World, username: string, id: string | undefined): FolderRecord | null {
  if (id === undefined || id === '/') return null;
  const folder = world.folders.get(id);
  if (folder?.username === username) return folder;
  throw noFolder();
}

/** The folder with that title, created if missing. */
export function folderNamed(world: World, username: string, title: string): FolderRecord {
  const known = findFolder(world, username, title);
  if (known) return known;
  const folder = { id: world.newId(), username, title, created: world.now() };
  return world.folders.put(folder.id, folder);
}

export const findFolder = (world: World, username: string, title: string): FolderRecord | undefined =>
  world.folders.find(
    (folder) => folder.username === username && folder.title.toLowerCase() === title.toLowerCase(),
  );
