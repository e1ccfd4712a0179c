import { isReadable, maySeeItem, visibleGroup } from '../../access';
import type { Call } from '../../http/call';
import { cutPage, pageOf } from '../../http/params';
import { json, type Reply } from '../../http/reply';
import { read, type Route } from '../../http/router';
import type { ItemRecord } from '../../state/records';
import { itemOnWire } from '../../wire';
import type { World } from '../../world';
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

/** What queries match at a version of the items: a listing asks the same for each of its pages. */
const matched = new WeakMap<World, { version: number; byQuery: Map<string, ItemRecord[]> }>();
const QUERIES_MAX = 100;

function matching(world: World, query: string): ItemRecord[] {
  const { items, portal } = world;
  let known = matched.get(world);
  if (known?.version !== items.version || known.byQuery.size >= QUERIES_MAX) {
    known = { version: items.version, byQuery: new Map() };
    matched.set(world, known);
  }
  const found = known.byQuery.get(query);
  if (found) return found;
  const matches = parseQuery(query);
  const all = items.filter((item) =>
    matches((value, field) => matchesTerm(item, value, field, portal.orgId)),
  );
  known.byQuery.set(query, all);
  return all;
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
  const now = Date.now();
  const found = matching(world, query)
    .filter(
      (item) => isReadable(item) && item.indexedAt <= now && maySeeItem(world, item, user) && among(item),
    )
    .slice(0, SEARCH_ROWS_MAX);
  const { info, rows } = cutPage(found, pageOf(params));
  return json({ query, ...info, results: rows.map((item) => itemOnWire(world, item, user)) });
}
