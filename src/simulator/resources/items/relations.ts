import { maySeeItem, visibleItem } from '../../access';
import { badRequest } from '../../errors';
import type { Call } from '../../http/call';
import { cutPage, pageOf } from '../../http/params';
import { json, type Reply } from '../../http/reply';
import { read, type Route } from '../../http/router';
import type { ItemRecord } from '../../state/records';
import { itemOnWire } from '../../wire';

const content = '/portal/sharing/rest/content/items/:itemId';

/** Relationships between items; portals fill them only partly (docs/reference/portal-interface.md, "References"). */
export const relationRoutes: readonly Route[] = [
  read('item.relatedItems', `${content}/relatedItems`, related),
  read('item.dependencies', `${content}/dependencies`, (call) => dependencies(call, 'forward')),
  read('item.dependents', `${content}/dependencies/listDependentsTo`, (call) =>
    dependencies(call, 'reverse'),
  ),
];

/** Relationship types whose "forward" goes from data to its user. */
const fromDataToConsumer: ReadonlySet<string> = new Set([
  'Data2Map',
  'Data2App',
  'Data2Scene',
  'Map2App',
  'Scene2App',
  'App2DependentApp',
  'Widget2App',
  'Map2StoryMapTheme',
  'Notebook2WebTool',
]);

interface Link {
  readonly type: string;
  readonly item: ItemRecord;
}

/** Records list the other end from the item's view: its source, or what it consists of. */
function linksOf({ world, user }: Call, item: ItemRecord, direction: 'forward' | 'reverse'): Link[] {
  const named = item.relations.map(({ type, to }) => ({ type, item: world.items.get(to), end: 'origin' }));
  const naming = [...world.items.values()].flatMap((other) =>
    other.relations
      .filter(({ to }) => to === item.id)
      .map(({ type }) => ({ type, item: other, end: 'destination' })),
  );
  return [...named, ...naming].flatMap(({ type, item: other, end }) => {
    const isForward = fromDataToConsumer.has(type) ? end === 'destination' : end === 'origin';
    const desired = isForward === (direction === 'forward');
    return desired && other && maySeeItem(world, other, user) ? [{ type, item: other }] : [];
  });
}

function related(call: Call): Reply {
  const { params, world, user } = call;
  const item = visibleItem(call, call.path['itemId'] ?? '');
  const types = params.list('relationshipTypes') ?? params.list('relationshipType');
  if (!types) throw badRequest("'relationshipType' must be specified.");
  const direction = params.text('direction') ?? 'forward';
  if (direction !== 'forward' && direction !== 'reverse')
    throw badRequest("'direction' must be forward or reverse.");
  const links = linksOf(call, item, direction).filter(({ type }) => types.includes(type));
  return json({ total: links.length, relatedItems: links.map((link) => itemOnWire(world, link.item, user)) });
}

/** Up to 10.8.1 the list is named `items`. */
function dependencies(call: Call, side: 'forward' | 'reverse'): Reply {
  const item = visibleItem(call, call.path['itemId'] ?? '');
  const { world, user } = call;
  const needs = item.relations.map(({ to }) => to);
  const neededBy = world.items
    .filter((other) => other.relations.some(({ to }) => to === item.id))
    .map(({ id }) => id);
  const ids = (side === 'forward' ? needs : neededBy).filter((id) => {
    const other = world.items.get(id);
    return other !== undefined && maySeeItem(world, other, user);
  });
  const { info, rows } = cutPage(ids, pageOf(call.params, 100));
  const list = rows.map((id) => ({ dependencyType: 'id', id }));
  const name = call.settings.release.atLeast('10.9') ? 'list' : 'items';
  return json({ [name]: list, num: info.num, nextStart: info.nextStart });
}
