import { maySeeGroup } from '../access';
import { noUser } from '../errors';
import { signedIn, type Call } from '../http/call';
import { cutPage, pageOf } from '../http/params';
import { json, type Reply } from '../http/reply';
import { read, type Route } from '../http/router';
import { groupOnWire, userOnWire } from '../wire';

/** Users, and searching for groups (docs/reference/portal-interface.md, "Portal"). */
export const communityRoutes: readonly Route[] = [
  read('community.self', '/portal/sharing/rest/community/self', self),
  read('user.read', '/portal/sharing/rest/community/users/:username', readUser),
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
  const words = [...query.matchAll(/(?:(\w+):)?("[^"]*"|[^\s()]+)/g)].map(([, field, value]) => ({
    field,
    value: (value ?? '').replaceAll('"', '').toLowerCase(),
  }));
  const found = world.groups.filter(
    (group) =>
      maySeeGroup(group, user) &&
      words.every(({ field, value }) => {
        if (field === 'id') return group.id === value;
        if (field === 'owner') return group.owner === value;
        if (field === 'title' || field === undefined)
          return group.title.toLowerCase().includes(value.replaceAll('*', ''));
        return true;
      }),
  );
  const { info, rows } = cutPage(found, pageOf(params));
  return json({ query, ...info, results: rows.map((group) => groupOnWire(world, group, user)) });
}
