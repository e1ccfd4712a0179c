import type { Outcomes } from '../../model/transfer/outcomes';
import { packageOf, packagesIn, type SnapshotRow } from '../../model/snapshot/snapshot';
import type { PlanRow } from '../../model/transfer/plan';
import type { RequestedItem } from '../../model/transfer/requested';
import type { Weighted } from './partition';

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
