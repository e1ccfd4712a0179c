import { maySeeGroup } from '../access';
import { noUser } from '../errors';
import { signedIn, type Call } from '../http/call';
import { cutPage, pageOf } from '../http/params';
import { json, type Reply } from '../http/reply';
import { read, type Route } from '../http/router';
import type { GroupRecord } from '../state/records';
import { groupOnWire, userOnWire } from '../wire';
import { parseQuery, SEARCH_ROWS_MAX } from './search-query';

/** Users, and searching for groups (docs/reference/portal-interface.md, "Portal"). */
export const communityRoutes: readonly Route[] = [
  read('community.self', '/portal/sharing/rest/community/self', self),
  read('user.read', '/portal/sharing/rest/community/users/:username', readUser),
  read('portal.users', '/portal/sharing/rest/portals/:portalId/users', orgUsers),
  read('group.find', '/portal/sharing/rest/community/groups', findGroups),
];

function self(call: Call): Reply {
  return json(userOnWire(call.world, signedIn(call)));
}

function readUser(call: Call): Reply {
  signedIn(call);
  const user = call.world.users.get(call.path['username'] ?? '');
  if (!user) throw noUser();
  return json(userOnWire(call.world, user));
}

function findGroups(call: Call): Reply {
  const { world, params, user } = call;
  const query = params.text('q') ?? '';
  const matches = parseQuery(query);
  const found = world.groups
    .filter(
      (group) =>
        maySeeGroup(group, user) &&
        matches((value, field) => matchesTerm(group, value, field, world.portal.orgId)),
    )
    .slice(0, SEARCH_ROWS_MAX);
  const { info, rows } = cutPage(found, pageOf(params));
  return json({ query, ...info, results: rows.map((group) => groupOnWire(world, group, user)) });
}

function matchesTerm(group: GroupRecord, value: string, field: string | undefined, orgId: string): boolean {
  const { id, title, owner, access, tags = [] } = group;
  if (value === '*') return true;
  switch (field) {
    case undefined:
      return `${title} ${tags.join(' ')}`.toLowerCase().includes(value);
    case 'id':
      return id === value;
    case 'owner':
      return owner.toLowerCase() === value;
    case 'title':
      return title.toLowerCase().includes(value.replaceAll('*', ''));
    case 'tags':
      return tags.some((tag) => tag.toLowerCase() === value);
    case 'access':
      return access === value;
    case 'accountid':
    case 'orgid':
      return orgId.toLowerCase() === value;
    default:
      return true;
  }
}

/** Members of the organization, by name. */
function orgUsers(call: Call): Reply {
  signedIn(call);
  const { info, rows } = cutPage([...call.world.users.filter(() => true)], pageOf(call.params));
  return json({ ...info, users: rows.map((user) => userOnWire(call.world, user)) });
}
