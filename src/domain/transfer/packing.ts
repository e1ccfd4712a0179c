import type { Outcomes } from '../../model/transfer/outcomes';
import { packageOf, packagesIn, type SnapshotRow } from '../../model/snapshot/snapshot';
import type { PlanRow } from '../../model/transfer/plan';
import type { RequestedItem } from '../../model/transfer/requested';

/** What an item's record says of its size: 0 or -1 for services: docs/reference/portal-interface.md, "Items". */
interface Sized {
  readonly type?: string | null;
  readonly size?: number | null;
}

/** A service's size is told by nobody before it is exported, nor is that of a record without a size. @format bytes */
export const toldSize = ({ type, size }: Sized): number | undefined =>
  type === 'Feature Service' || size === undefined || size === null || size < 0 ? undefined : size;

/**
 * What an item adds to a package: what its record tells, or what earlier packages have shown where that is more;
 * undefined where nobody knows. @format bytes
 */
export function weightOf(item: Pick<RequestedItem, 'type' | 'size' | 'bytes'>): number | undefined {
  const told = toldSize(item);
  return item.bytes === undefined ? told : Math.max(told ?? 0, item.bytes);
}

/**
 * Items with what earlier packages of the route have shown of their weight. Where everything is to go once more, it is
 * forgotten that one of them was too large for any package: it may have become smaller.
 */
export function withRemembered(
  requested: readonly RequestedItem[],
  known: Outcomes,
  { full, limits }: { readonly full?: boolean; readonly limits: { readonly packageBytes: number } },
): RequestedItem[] {
  return requested.map((item) => {
    const bytes = known[item.itemId]?.bytes;
    return bytes === undefined || (full && bytes > limits.packageBytes) ? item : { ...item, bytes };
  });
}

/** The items that an export may put into a package. */
export const mayGo = (requested: readonly RequestedItem[]): RequestedItem[] =>
  requested.filter(({ skip, same }) => skip === undefined && !same);

/** Those of them that it is known to take. */
export const goesSurely = (requested: readonly RequestedItem[]): RequestedItem[] =>
  mayGo(requested).filter(({ doubt }) => doubt === undefined);

export const weighted = (items: readonly RequestedItem[]): Weighted[] =>
  items.map((item) => ({ itemId: item.itemId, bytes: weightOf(item) ?? 0 }));

/** What items weigh together, as far as that is known. @format bytes */
export const bytesOf = (items: readonly RequestedItem[]): number =>
  items.reduce((sum, item) => sum + (weightOf(item) ?? 0), 0);

/**
 * What a package shows of the items in it whose records tell no size: what it weighs beyond the others is divided among
 * them by what earlier packages have shown, or else equally, since nobody tells more. By their ids.
 */
export function shownBy(packed: readonly RequestedItem[], packageBytes: number): Map<string, number> {
  const untold = packed.filter((item) => toldSize(item) === undefined);
  const told = packed.reduce((sum, item) => sum + (toldSize(item) ?? 0), 0);
  const rest = Math.max(0, packageBytes - told);
  const seen = untold.flatMap(({ bytes }) => (bytes === undefined || bytes === 0 ? [] : [bytes]));
  const mean = seen.reduce((sum, bytes) => sum + bytes, 0) / seen.length || 1;
  const before = (item: RequestedItem): number => item.bytes || mean;
  const all = untold.reduce((sum, item) => sum + before(item), 0);
  return new Map(untold.map((item) => [item.itemId, Math.ceil((rest * before(item)) / all)]));
}

/** What the packages of a snapshot show of items that were exported for it. */
export function shownBySnapshot(
  manifest: Parameters<typeof packageOf>[0],
  rows: readonly SnapshotRow[],
  exported: readonly RequestedItem[],
): Map<string, number> {
  const liesIn = new Map(rows.map((row) => [row.itemId, packageOf(manifest, row)]));
  return new Map(
    packagesIn(manifest).flatMap((each) => [
      ...shownBy(
        exported.filter(({ itemId }) => liesIn.get(itemId) === each),
        each.sizeBytes,
      ),
    ]),
  );
}

/** What a plan shows: previews tell the sizes of services, too, where they tell any. */
export const shownByPlan = (rows: readonly PlanRow[]): Map<string, number> =>
  new Map(
    rows.flatMap(({ itemId, hosted, action, size = 0 }) =>
      hosted && size > 0 && action !== 'same' && action !== 'extra' ? [[itemId, size] as const] : [],
    ),
  );

/**
 * What is known of items that no package could hold together: the least that they must weigh is divided among those
 * that nobody has seen the weight of, or else among all, by what they are known to weigh. By their ids.
 */
export function shownByRefusal(items: readonly RequestedItem[], limitBytes: number): Map<string, number> {
  const least = limitBytes + 1;
  const known = bytesOf(items);
  const unknown = items.filter((item) => weightOf(item) === undefined);
  if (known >= least) return new Map();
  if (unknown.length > 0) {
    const each = Math.ceil((least - known) / unknown.length);
    return new Map(unknown.map(({ itemId }) => [itemId, each]));
  }
  const share = (item: RequestedItem): number =>
    known === 0 ? least / items.length : ((weightOf(item) ?? 0) * least) / known;
  return new Map(items.map((item) => [item.itemId, Math.ceil(share(item))]));
}

/** What is packed: an item with what it adds to a package, as far as that is known. */
export interface Weighted {
  readonly itemId: string;
  /** 0 where nobody knows. @format bytes */
  readonly bytes: number;
}

/** To which items an item refers, by its id. Those that are not packed count for nothing. */
export type References = ReadonlyMap<string, readonly string[]>;

/**
 * Divides items among packages that are imported one after the other, from the first to the last. Items that depend on
 * each other, however far apart, stay in one package where they fit into one; others are cut so that what an item refers
 * to comes in the same package or an earlier one, and items that refer to each other in a circle only come apart where
 * they are too large together. As few packages as first-fit makes of that. What weighs nothing that anybody knows goes
 * where there is most room. The same items come to the same packages, in whatever order they are named.
 *
 * @param limitBytes of a package; an item that is larger gets one of its own
 * @returns ids, a list a package, each in the order in which the items were named
 */
export function partition(
  items: readonly Weighted[],
  references: References,
  limitBytes: number,
): readonly (readonly string[])[] {
  return namedInOrder(items, pack(unitsOf(items, references, limitBytes), limitBytes));
}

/**
 * Cuts a package in two of about the same weight by the same rules; one that nobody knows anything of counts as much as
 * the mean of the others.
 *
 * @param items two at least
 */
export function halve(
  items: readonly Weighted[],
  references: References,
): readonly [readonly string[], readonly string[]] {
  const known = items.filter(({ bytes }) => bytes > 0);
  const mean = known.length === 0 ? 1 : Math.ceil(sum(known) / known.length);
  const weighed = items.map(({ itemId, bytes }) => ({ itemId, bytes: bytes > 0 ? bytes : mean }));
  const half = sum(weighed) / 2;
  const [first = [], second = []] = namedInOrder(items, pack(unitsOf(weighed, references, half), half, 2));
  return [first, second];
}

/** Items that are not cut apart. */
interface Unit {
  readonly items: readonly Weighted[];
  readonly bytes: number;
  /** What has to lie in the same package or an earlier one. */
  readonly after: readonly string[];
}

/** Packages are filled in the order of the units; each goes into the first that has room and is late enough. */
function pack(units: readonly Unit[], limitBytes: number, atMost = Infinity): readonly (readonly string[])[] {
  const packages: { ids: string[]; bytes: number }[] = [];
  const placed = new Map<string, number>();
  const enter = ({ items, bytes, after }: Unit): void => {
    const earliest = after.reduce((latest, itemId) => Math.max(latest, placed.get(itemId) ?? 0), 0);
    const allowed = packages.map((_, at) => at).slice(earliest);
    const free = (at: number): number => limitBytes - (packages[at]?.bytes ?? 0);
    const roomiest = (): number | undefined =>
      allowed.reduce<number | undefined>(
        (best, at) => (best === undefined || free(at) > free(best) ? at : best),
        undefined,
      );
    const found = bytes === 0 ? roomiest() : allowed.find((at) => bytes <= free(at));
    const at = found ?? Math.min(packages.length, atMost - 1);
    const into = (packages[at] ??= { ids: [], bytes: 0 });
    into.bytes += bytes;
    for (const { itemId } of items) {
      into.ids.push(itemId);
      placed.set(itemId, at);
    }
  };
  units.forEach(enter);
  return packages.map(({ ids }) => ids);
}

/**
 * First what had to be cut, each after what it refers to; then what stays whole, the heaviest first; last what weighs
 * nothing.
 */
function unitsOf(items: readonly Weighted[], references: References, limitBytes: number): readonly Unit[] {
  const graph = graphOf(
    [...items].sort((a, b) => (a.itemId < b.itemId ? -1 : 1)),
    references,
  );
  const whole: Unit[] = [];
  const cut: Unit[] = [];
  for (const component of componentsOf(graph)) {
    const bytes = sum(component);
    if (bytes <= limitBytes) whole.push({ items: component, bytes, after: [] });
    else
      cut.push(...byDepth(circlesOf(component, graph).flatMap((circle) => uncut(circle, graph, limitBytes))));
  }
  return [...cut, ...whole.sort((a, b) => b.bytes - a.bytes)];
}

/** Items that refer to each other in a circle, as one unit where they fit into a package. */
function uncut(circle: readonly Weighted[], graph: Graph, limitBytes: number): readonly Unit[] {
  const bytes = sum(circle);
  if (circle.length === 1 || bytes <= limitBytes) {
    const own = new Set(circle.map(({ itemId }) => itemId));
    const after = circle.flatMap((item) => graph.refersTo(item)).filter(({ itemId }) => !own.has(itemId));
    return [{ items: circle, bytes, after: after.map(({ itemId }) => itemId) }];
  }
  const inside = new Set(circle);
  const order = visited(circle, (item) => graph.refersTo(item).filter((other) => inside.has(other)));
  const later = new Set(inside);
  return order.map((item) => {
    later.delete(item);
    const after = graph.refersTo(item).filter((other) => other !== item && !later.has(other));
    return { items: [item], bytes: item.bytes, after: after.map(({ itemId }) => itemId) };
  });
}

/** What refers to nothing before what refers to that alone, and so on; of one depth the heaviest first. */
function byDepth(dependenciesFirst: readonly Unit[]): readonly Unit[] {
  const depths = new Map<string, number>();
  const deep = dependenciesFirst.map((unit) => {
    const depth = unit.after.reduce((most, itemId) => Math.max(most, 1 + (depths.get(itemId) ?? 0)), 0);
    for (const { itemId } of unit.items) depths.set(itemId, depth);
    return { unit, depth };
  });
  return deep.sort((a, b) => a.depth - b.depth || b.unit.bytes - a.unit.bytes).map(({ unit }) => unit);
}

interface Graph {
  readonly items: readonly Weighted[];
  readonly refersTo: (item: Weighted) => readonly Weighted[];
  readonly referredToBy: (item: Weighted) => readonly Weighted[];
}

function graphOf(items: readonly Weighted[], references: References): Graph {
  const byId = new Map(items.map((item) => [item.itemId, item]));
  const named = new Map<Weighted, Weighted[]>(items.map((item) => [item, []]));
  const naming = new Map<Weighted, Weighted[]>(items.map((item) => [item, []]));
  for (const item of items) {
    for (const itemId of new Set(references.get(item.itemId))) {
      const other = byId.get(itemId);
      if (other === undefined || other === item) continue;
      named.get(item)?.push(other);
      naming.get(other)?.push(item);
    }
  }
  return {
    items,
    refersTo: (item) => named.get(item) ?? [],
    referredToBy: (item) => naming.get(item) ?? [],
  };
}

/** Items that hang together by references, whichever way these go. */
function componentsOf({ items, refersTo, referredToBy }: Graph): readonly (readonly Weighted[])[] {
  const neighbors = (item: Weighted): readonly Weighted[] => [...refersTo(item), ...referredToBy(item)];
  return trees(items, neighbors);
}

/** Items of a component that refer to each other in circles, dependencies first: as Kosaraju finds them. */
function circlesOf(component: readonly Weighted[], graph: Graph): readonly (readonly Weighted[])[] {
  return trees(visited(component, graph.referredToBy).reverse(), graph.refersTo);
}

/** What is reached from each item in turn and was not before. */
function trees(
  items: readonly Weighted[],
  next: (item: Weighted) => readonly Weighted[],
): readonly (readonly Weighted[])[] {
  const seen = new Set<Weighted>();
  return items.flatMap((item) => (seen.has(item) ? [] : [visited([item], next, seen)]));
}

/** Items in the order in which a search into the depth leaves them: each after all that it leads to, circles aside. */
function visited(
  items: readonly Weighted[],
  next: (item: Weighted) => readonly Weighted[],
  seen = new Set<Weighted>(),
): Weighted[] {
  const left: Weighted[] = [];
  for (const start of items) {
    if (seen.has(start)) continue;
    seen.add(start);
    const path = [{ item: start, others: next(start).values() }];
    for (let top = path.at(-1); top !== undefined; top = path.at(-1)) {
      const other = top.others.next();
      if (other.done) {
        left.push(top.item);
        path.pop();
      } else if (!seen.has(other.value)) {
        seen.add(other.value);
        path.push({ item: other.value, others: next(other.value).values() });
      }
    }
  }
  return left;
}

const sum = (items: readonly Weighted[]): number => items.reduce((all, { bytes }) => all + bytes, 0);

/** Packages with their items in the order in which these were named. */
function namedInOrder(
  items: readonly Weighted[],
  packages: readonly (readonly string[])[],
): readonly (readonly string[])[] {
  const place = new Map(packages.flatMap((ids, at) => ids.map((itemId) => [itemId, at] as const)));
  return packages.map((_, at) => items.flatMap(({ itemId }) => (place.get(itemId) === at ? [itemId] : [])));
}
