import type { ItemRecord } from '../../state/records';
import { isReadable, maySeeItem, visibleGroup } from '../../access';
import type { Call } from '../../http/call';
import { cutPage, pageOf } from '../../http/params';
import { json, type Reply } from '../../http/reply';
import { read, type Route } from '../../http/router';
import { itemOnWire } from '../../wire';

/**
 * A small part of the search language: words, `field:value` and `field:"some value"`, with an optional space after the
 * colon, joined by AND. A minus or NOT before a term excludes it. Brackets may contain terms joined by OR.
 */
function matchesQuery(item: ItemRecord, query: string, orgId: string): boolean {
  const tokens = query.match(/\(|\)|-?[\w]+:\s*"[^"]*"|-?[\w]+:\s*[^\s()]+|-?"[^"]*"|[^\s()]+/g) ?? [];
  const parser = new QueryParser(tokens, (term) => matchesTerm(item, term, orgId));
  return parser.either();
}

class QueryParser {
  private position = 0;

  constructor(
    private readonly tokens: readonly string[],
    private readonly test: (term: string) => boolean,
  ) {}

  either(): boolean {
    let result = this.all();
    while (this.tokens[this.position]?.toUpperCase() === 'OR') {
      this.position += 1;
      const right = this.all();
      result = result || right;
    }
    return result;
  }

  private all(): boolean {
    let result = true;
    for (let token = this.tokens[this.position]; token !== undefined; token = this.tokens[this.position]) {
      if (token === ')' || token.toUpperCase() === 'OR') break;
      if (token.toUpperCase() === 'AND') this.position += 1;
      else result = this.one() && result;
    }
    return result;
  }

  private one(): boolean {
    const token = this.tokens[this.position] ?? '';
    this.position += 1;
    if (token.toUpperCase() === 'NOT') return !this.one();
    if (token === '(') {
      const inner = this.either();
      this.position += 1;
      return inner;
    }
    return token.startsWith('-') ? !this.test(token.slice(1)) : this.test(token);
  }
}

function matchesTerm(item: ItemRecord, term: string, orgId: string): boolean {
  const match = /^(\w+):\s*(.*)$/s.exec(term);
  if (!match) {
    const words = `${item.title} ${item.snippet ?? ''} ${item.tags.join(' ')} ${item.type}`.toLowerCase();
    return term === '*' || words.includes(unquoted(term));
  }
  const value = unquoted(match[2] ?? '');
  if (value === '*') return true;
  switch (match[1]?.toLowerCase()) {
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

const unquoted = (text: string): string => text.replace(/^"(.*)"$/s, '$1').toLowerCase();

/** Search, with an index that lags behind writes (docs/reference/portal-interface.md, "Listings"). */
export const searchRoutes: readonly Route[] = [
  read('search', '/portal/sharing/rest/search', search),
  read('group.search', '/portal/sharing/rest/content/groups/:groupId/search', searchGroup),
];

/** Paging ends here. */
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
