import type { Outcomes } from '../../model/transfer/verification';
import { knownSize, packageOf, packagesIn, type SnapshotRow } from '../../model/snapshot/snapshot';
import type { PlanRow } from '../../model/transfer/plan';
import type { RequestedItem } from '../../model/transfer/requested';
import { FEATURE_SERVICE } from './classify-item';

/** What an item's record says of its size: 0 or -1 for services: docs/reference/portal-interface.md, "Items". */
interface Sized {
  readonly type?: string | null;
  readonly size?: number | null;
}

/** A service's size is told by nobody before it is exported, nor is that of a record without a size. @format bytes */
export const toldSize = ({ type, size }: Sized): number | undefined =>
  type === FEATURE_SERVICE ? undefined : knownSize(size ?? undefined);

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
export function shownBy(
  packed: readonly Pick<RequestedItem, 'itemId' | 'type' | 'size' | 'bytes'>[],
  packageBytes: number,
): Map<string, number> {
  const untold = packed.filter((item) => toldSize(item) === undefined);
  const told = packed.reduce((sum, item) => sum + (toldSize(item) ?? 0), 0);
  const rest = Math.max(0, packageBytes - told);
  const seen = untold.flatMap(({ bytes }) => (bytes === undefined || bytes === 0 ? [] : [bytes]));
  const mean = seen.reduce((sum, bytes) => sum + bytes, 0) / seen.length || 1;
  const before = ({ bytes }: { readonly bytes?: number }): number => bytes || mean;
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
 * they are too large together. What weighs nothing that anybody knows goes where there is most room. The same items come
 * to the same packages, in whatever order they are named.
 *
 * @param limitBytes of a package; an item that is larger gets one of its own
 * @returns ids, a list a package, each in the order in which the items were named
 */
export function partition(
  items: readonly Weighted[],
  references: References,
  limitBytes: number,
  atMost = Infinity,
): readonly (readonly string[])[] {
  const packages: { readonly holds: Set<Weighted>; free: number }[] = [];
  const put = (unit: readonly Weighted[], bytes: number, found: number): void => {
    const at = found < 0 ? Math.min(packages.length, atMost - 1) : found;
    const into = (packages[at] ??= { holds: new Set(), free: limitBytes });
    into.free -= bytes;
    for (const item of unit) into.holds.add(item);
  };
  const graph = graphOf(items, references);
  const whole: (readonly Weighted[])[] = [];
  for (const component of componentsOf(graph)) {
    if (sum(component) <= limitBytes) whole.push(component);
    else
      for (const unit of cut(component, graph, limitBytes)) {
        const bytes = sum(unit);
        put(unit, bytes, bytes <= (packages.at(-1)?.free ?? -1) ? packages.length - 1 : -1);
      }
  }
  for (const unit of whole.sort((a, b) => sum(b) - sum(a))) {
    const bytes = sum(unit);
    const roomiest = packages.reduce(
      (best, { free }, at) => (free > (packages[best]?.free ?? -Infinity) ? at : best),
      -1,
    );
    put(unit, bytes, bytes === 0 ? roomiest : packages.findIndex(({ free }) => bytes <= free));
  }
  return packages.map(({ holds }) => items.flatMap((item) => (holds.has(item) ? [item.itemId] : [])));
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
  const [first = [], second = []] = partition(weighed, references, sum(weighed) / 2, 2);
  return [first, second];
}

/** Items of a component in units that fit into a package, each after what it refers to. */
const cut = (
  component: readonly Weighted[],
  { refersTo, referredToBy }: Graph,
  limitBytes: number,
): (readonly Weighted[])[] =>
  // Items that refer to each other in circles, dependencies first: as Kosaraju finds them.
  trees(visited(component, referredToBy).reverse(), refersTo).flatMap((circle) => {
    if (sum(circle) <= limitBytes) return [circle];
    const inside = new Set(circle);
    return visited(circle, (item) => refersTo(item).filter((other) => inside.has(other))).map((item) => [
      item,
    ]);
  });

interface Graph {
  readonly items: readonly Weighted[];
  readonly refersTo: (item: Weighted) => readonly Weighted[];
  readonly referredToBy: (item: Weighted) => readonly Weighted[];
}

function graphOf(named: readonly Weighted[], references: References): Graph {
  const items = [...named].sort((a, b) => (a.itemId < b.itemId ? -1 : 1));
  const byId = new Map(items.map((item) => [item.itemId, item]));
  const refers = new Map<Weighted, Weighted[]>(items.map((item) => [item, []]));
  const naming = new Map<Weighted, Weighted[]>(items.map((item) => [item, []]));
  for (const item of items) {
    for (const itemId of new Set(references.get(item.itemId))) {
      const other = byId.get(itemId);
      if (other === undefined || other === item) continue;
      refers.get(item)?.push(other);
      naming.get(other)?.push(item);
    }
  }
  return {
    items,
    refersTo: (item) => refers.get(item) ?? [],
    referredToBy: (item) => naming.get(item) ?? [],
  };
}

/** Items that hang together by references, whichever way these go. */
function componentsOf({ items, refersTo, referredToBy }: Graph): readonly (readonly Weighted[])[] {
  const neighbors = (item: Weighted): readonly Weighted[] => [...refersTo(item), ...referredToBy(item)];
  return trees(items, neighbors);
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
