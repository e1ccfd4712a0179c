import type { UserRecord } from '../state/records';
import type { World } from '../world';

/** Users of every simulated portal, with their passwords. */
export const builtInUsers = {
  /** Full administrator. */
  admin: { username: 'admin', password: 'admin-pw' },
  /** Publisher, not administrator; owns the seeded group and its items. */
  owner: { username: 'owner', password: 'owner-pw' },
  /** Member of the seeded group with read access only. */
  viewer: { username: 'viewer', password: 'viewer-pw' },
  /** Administrator with a custom role: sees everything, but is no full administrator. */
  custom: { username: 'custom', password: 'custom-pw' },
  /** Publisher in no group. */
  other: { username: 'other', password: 'other-pw' },
} as const;

const userPrivileges = ['portal:user:createItem', 'portal:user:shareToGroup'];
const adminPrivileges = ['portal:admin:viewItems', 'portal:admin:updateItemCategorySchema'];

export function addUsers(world: World, passwords: Readonly<Record<string, string>> = {}): void {
  const add = (
    { username, password }: { username: string; password: string },
    fields: Pick<UserRecord, 'fullName' | 'role' | 'privileges'> & { roleId?: string },
  ): void => {
    const passwordHash = world.hash(passwords[username] ?? password);
    world.users.put(username, { username, passwordHash, created: world.portal.created, ...fields });
  };
  const all = [...adminPrivileges, ...userPrivileges];
  add(builtInUsers.admin, { fullName: 'Ada Admin', role: 'org_admin', privileges: all });
  add(builtInUsers.owner, { fullName: 'Olga Owner', role: 'org_publisher', privileges: userPrivileges });
  add(builtInUsers.viewer, { fullName: 'Vic Viewer', role: 'org_viewer', privileges: [] });
  add(builtInUsers.custom, {
    fullName: 'Cas Custom',
    role: 'org_admin',
    roleId: 'c0ffee00c0ffee00',
    privileges: all,
  });
  add(builtInUsers.other, { fullName: 'Otto Other', role: 'org_publisher', privileges: userPrivileges });
}
