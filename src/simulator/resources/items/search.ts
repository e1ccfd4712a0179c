import { isReadable, maySeeItem, visibleGroup } from '../../access';
import type { Call } from '../../http/call';
import { cutPage, pageOf } from '../../http/params';
import { json, type Reply } from '../../http/reply';
import { read, type Route } from '../../http/router';
import type { ItemRecord } from '../../state/records';
import { itemOnWire } from '../../wire';
import { matchesQuery } from '../../query';

/** Search, an index that lags behind what was written (docs/reference/portal-interface.md, "Listings"). */
export const searchRoutes: readonly Route[] = [
  read('search', '/portal/sharing/rest/search', search),
  read('group.search', '/portal/sharing/rest/content/groups/:groupId/search', searchGroup),
];

/** Rows beyond cannot be paged to. */
const mostRows = 10_000;

function search(call: Call): Reply {
  return answer(call, () => true);
}

function searchGroup(call: Call): Reply {
  const group = visibleGroup(call, call.path['groupId'] ?? '');
  return answer(call, (item) => item.groups.includes(group.id));
}

function answer(call: Call, among: (item: ItemRecord) => boolean): Reply {
  const { world, params, user } = call;
  const query = params.text('q') ?? '';
  const now = Date.now();
  const found = world.items
    .filter(
      (item) =>
        isReadable(item) &&
        item.indexedAt <= now &&
        maySeeItem(world, item, user) &&
        among(item) &&
        matchesQuery(item, query, world.portal.orgId),
    )
    .slice(0, mostRows);
  const { info, rows } = cutPage(found, pageOf(params));
  return json({ query, ...info, results: rows.map((item) => itemOnWire(world, item, user)) });
}
