import { isReadable, maySeeItem, visibleGroup } from '../../access';
import type { Call } from '../../http/call';
import { cutPage, pageOf } from '../../http/params';
import { json, type Reply } from '../../http/reply';
import { read, type Route } from '../../http/router';
import type { ItemRecord } from '../../state/records';
import { itemOnWire } from '../../wire';
import { parseQuery, SEARCH_ROWS_MAX } from '../search-query';

function matchesTerm(item: ItemRecord, value: string, field: string | undefined, orgId: string): boolean {
  if (field === undefined) {
    const words = `${item.title} ${item.snippet ?? ''} ${item.tags.join(' ')} ${item.type}`.toLowerCase();
    return value === '*' || words.includes(value);
  }
  if (value === '*') return true;
  switch (field) {
    case 'id':
      return item.id === value;
    case 'owner':
      return item.owner.toLowerCase() === value;
    case 'type':
      return item.type.toLowerCase() === value;
    case 'title':
      return item.title.toLowerCase().includes(value.replaceAll('*', ''));
    case 'tags':
      return item.tags.some((tag) => tag.toLowerCase() === value);
    case 'typekeywords':
      return item.typeKeywords.some((word) => word.toLowerCase() === value);
    case 'group':
      return item.groups.includes(value);
    case 'access':
      return item.access === value;
    case 'accountid':
    case 'orgid':
      return orgId.toLowerCase() === value;
    default:
      return true;
  }
}

/** Search, with an index that lags behind writes (docs/reference/portal-interface.md, "Listings"). */
export const searchRoutes: readonly Route[] = [
  read('search', '/portal/sharing/rest/search', search),
  read('group.search', '/portal/sharing/rest/content/groups/:groupId/search', searchGroup),
];

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
  const matches = parseQuery(query);
  const now = Date.now();
  const found = world.items
    .filter(
      (item) =>
        isReadable(item) &&
        item.indexedAt <= now &&
        maySeeItem(world, item, user) &&
        among(item) &&
        matches((value, field) => matchesTerm(item, value, field, world.portal.orgId)),
    )
    .slice(0, SEARCH_ROWS_MAX);
  const { info, rows } = cutPage(found, pageOf(params));
  return json({ query, ...info, results: rows.map((item) => itemOnWire(world, item, user)) });
}
