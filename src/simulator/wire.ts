import { isAdministrator } from './access';
import type { Settings } from './options';
import type { Entry, FolderRecord, GroupRecord, ItemRecord, UserRecord } from './state/records';
import type { World } from './world';

/**
 * Records as sent to clients. In strict mode only with fields the interface names. Otherwise also with some that real
 * portals add, so that clients must tolerate them.
 */
export function itemOnWire(world: World, item: ItemRecord, viewer?: UserRecord): Record<string, unknown> {
  const own = viewer?.username === item.owner || isAdministrator(viewer);
  return {
    id: item.id,
    owner: item.owner,
    orgId: world.portal.orgId,
    created: item.created,
    modified: item.modified,
    guid: null,
    name: item.name,
    title: item.title,
    type: item.type,
    typeKeywords: item.typeKeywords,
    description: item.description,
    tags: item.tags,
    snippet: item.snippet,
    thumbnail: item.thumbnail ?? null,
    extent: item.extent,
    categories: item.categories,
    spatialReference: item.spatialReference,
    accessInformation: item.accessInformation,
    licenseInfo: item.licenseInfo,
    culture: item.culture,
    properties: item.properties,
    url: item.url,
    access: item.access,
    size: item.size,
    protected: item.protected,
    ...(own && { ownerFolder: item.ownerFolder }),
    numViews: 0,
    numComments: 0,
    avgRating: 0,
    scoreCompleteness: 50,
    listed: false,
    proxyFilter: null,
    ...more(world.settings, {
      isOrgItem: true,
      documentation: null,
      appCategories: [],
      industries: [],
      languages: [],
      largeThumbnail: null,
      banner: null,
      screenshots: [],
      numRatings: 0,
      groupDesignations: null,
      lastModified: item.modified,
    }),
  };
}

export function groupOnWire(world: World, group: GroupRecord, viewer?: UserRecord): Record<string, unknown> {
  return {
    id: group.id,
    title: group.title,
    owner: group.owner,
    ...more(world.settings, {
      isInvitationOnly: true,
      description: null,
      snippet: null,
      tags: group.tags ?? [],
      typeKeywords: [],
      phone: null,
      sortField: 'title',
      sortOrder: 'asc',
      isViewOnly: false,
      thumbnail: null,
      created: group.created,
      modified: group.modified,
      access: group.access,
      capabilities: group.capabilities,
      isReadOnly: false,
      protected: false,
      autoJoin: false,
      ...(viewer && { userMembership: { username: viewer.username, memberType: membership(group, viewer) } }),
    }),
  };
}

const membership = (group: GroupRecord, user: UserRecord): string => {
  if (group.owner === user.username) return 'owner';
  return group.members.includes(user.username) ? 'member' : 'none';
};

export function userOnWire(world: World, user: UserRecord): Record<string, unknown> {
  const groups = world.groups
    .filter((group) => group.owner === user.username || group.members.includes(user.username))
    .map((group) => groupOnWire(world, group, user));
  return {
    username: user.username,
    fullName: user.fullName,
    orgId: world.portal.orgId,
    role: user.role,
    ...(user.roleId !== undefined && { roleId: user.roleId }),
    privileges: user.privileges,
    groups,
    storageUsage: 0,
    storageQuota: -1,
    ...more(world.settings, {
      id: world.hash(user.username).slice(0, 32),
      level: '2',
      disabled: false,
      access: 'org',
      email: `${user.username}@example.com`,
      units: 'metric',
      culture: 'en',
      created: user.created,
      modified: user.created,
      provider: 'arcgis',
      userType: 'arcgisonly',
    }),
  };
}

export const folderOnWire = (folder: FolderRecord): Record<string, unknown> => ({
  username: folder.username,
  id: folder.id,
  title: folder.title,
  created: folder.created,
});

/** Entry of the lists of exports and imports. Its format is assumed, so there are two. */
export function entryOnWire(settings: Settings, entry: Entry): unknown {
  if (settings.entryShape === 'string') return entry.itemId;
  return {
    itemId: entry.itemId,
    ...(entry.reason !== undefined && more(settings, { reason: entry.reason })),
  };
}

/** Fields the interface does not name: none in strict mode. */
export const more = (settings: Settings, fields: Record<string, unknown>): Record<string, unknown> =>
  settings.strict ? {} : fields;
