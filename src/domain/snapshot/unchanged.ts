import type { LiveRow, SnapshotLayer, SnapshotRow } from '../../model/snapshot/snapshot';

export type Comparison =
  | { readonly same: true }
  /** What has changed, or could not be told, in words; the first such thing of them all. */
  | { readonly same: false; readonly because: string };

/**
 * Whether a group holds what it held when a snapshot was taken, so that another export would bring nothing new. It
 * does only where everything that could tell of a change was read on both sides and is equal: items, their times and
 * sizes, and the last edit of every hosted layer and table, since editing features does not touch the item.
 */
export function sameAsBefore(before: readonly SnapshotRow[], now: readonly LiveRow[]): Comparison {
  const there = new Set(now.map((row) => row.itemId));
  for (const row of before) {
    if (!there.has(row.itemId)) return changed(row, 'is no longer in the group');
  }
  const because = differences(before, now);
  for (const row of now) {
    const what = because.get(row.itemId);
    if (what !== undefined) return changed(row, what);
  }
  return { same: true };
}

/** By the ids of items that are there now, in words: what of each has changed, or could not be told; new ones as well. */
export function differences(
  before: readonly SnapshotRow[],
  now: readonly LiveRow[],
): ReadonlyMap<string, string> {
  const then = new Map(before.map((row) => [row.itemId, row]));
  return new Map(
    now.flatMap((row) => {
      const old = then.get(row.itemId);
      const because = old ? difference(old, row) : 'is new in the group';
      return because === undefined ? [] : [[row.itemId, because]];
    }),
  );
}

const changed = ({ title, itemId }: LiveRow, what: string): Comparison => ({
  same: false,
  because: `"${title}" (${itemId}) ${what}`,
});

function difference(before: SnapshotRow, now: LiveRow): string | undefined {
  if (!isTime(before.modified)) return 'had no time of last change in the snapshot';
  if (!isTime(now.modified)) return 'has no time of last change';
  if (before.modified !== now.modified) return 'was changed';
  if (sizeOf(before) !== sizeOf(now)) return 'has another size';
  if (before.type !== now.type) return 'has another type';
  if (Boolean(before.hosted) !== Boolean(now.hosted)) return 'is now another kind of service';
  if (before.url !== now.url) return 'has another address';
  if (now.placement && !isPlacedAlike(before.placement, now.placement))
    return 'has another owner, folder, sharing level or delete protection';
  return now.hosted ? layerDifference(before.layers, now.layers) : undefined;
}

/** Another picture is a change of the item itself. */
const isPlacedAlike = (before: SnapshotRow['placement'], now: NonNullable<LiveRow['placement']>): boolean =>
  before !== undefined &&
  (['owner', 'folder', 'folderTitle', 'access', 'protected'] as const).every(
    (part) => before[part] === now[part],
  );

function layerDifference(before: SnapshotRow['layers'], now: LiveRow['layers']): string | undefined {
  if (!before?.length) return 'had unreadable layers when the snapshot was taken';
  if (!now?.length) return 'has unreadable layers';
  const then = new Map(before.map((layer) => [layer.layerId, layer]));
  if (then.size !== before.length || now.length !== before.length) return 'has different layers';
  for (const layer of now) {
    const old = then.get(layer.layerId);
    if (!old) return 'has different layers';
    then.delete(layer.layerId);
    const because = edited(old, layer);
    if (because !== undefined) return because;
  }
  return undefined;
}

function edited(before: SnapshotLayer, now: SnapshotLayer): string | undefined {
  const named = `layer ${now.layerId} "${now.name}"`;
  if (!isTime(before.lastEditDate)) return `had no time of the last edit of ${named} in the snapshot`;
  if (!isTime(now.lastEditDate)) return `has no time of the last edit of ${named}`;
  if (before.lastEditDate !== now.lastEditDate) return `has edits in ${named}`;
  if (before.schema !== now.schema) {
    const isTold = before.schema !== undefined && now.schema !== undefined;
    return isTold ? `has different fields in ${named}` : `does not always report the fields of ${named}`;
  }
  if (before.count === undefined) return `had no row count for ${named} in the snapshot`;
  if (now.count === undefined) return `does not report the row count of ${named}`;
  return before.count === now.count ? undefined : `has a different row count in ${named}`;
}

/** Some portals write 0 or -1 for a time that they do not know. */
const isTime = (ms: number | undefined): boolean => ms !== undefined && ms > 0;

/** Services have no size, or one of -1. */
const sizeOf = ({ size }: LiveRow): number | undefined =>
  size !== undefined && size >= 0 ? size : undefined;
