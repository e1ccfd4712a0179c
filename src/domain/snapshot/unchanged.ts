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
  if (!isTime(before.modified)) return 'had no time of its last change in the snapshot';
  if (!isTime(now.modified)) return 'does not tell when it was last changed';
  if (before.modified !== now.modified) return 'was changed';
  if (sizeOf(before) !== sizeOf(now)) return 'has another size';
  if (before.type !== now.type) return 'is of another type';
  if (Boolean(before.hosted) !== Boolean(now.hosted)) return 'has become a service of another kind';
  if (before.url !== now.url) return 'is served under another address';
  if (now.placement && !isPlacedAlike(before.placement, now.placement)) return 'stands otherwise';
  return now.hosted ? layerDifference(before.layers, now.layers) : undefined;
}

/** Another picture is a change of the item itself. */
const isPlacedAlike = (before: SnapshotRow['placement'], now: NonNullable<LiveRow['placement']>): boolean =>
  before !== undefined &&
  (['owner', 'folder', 'folderTitle', 'access', 'protected'] as const).every(
    (part) => before[part] === now[part],
  );

function layerDifference(before: SnapshotRow['layers'], now: LiveRow['layers']): string | undefined {
  if (!before?.length) return 'had layers that could not be read when the snapshot was taken';
  if (!now?.length) return 'has layers that cannot be read';
  const then = new Map(before.map((layer) => [layer.layerId, layer]));
  if (then.size !== before.length || now.length !== before.length) return 'has other layers than before';
  for (const layer of now) {
    const old = then.get(layer.layerId);
    if (!old) return 'has other layers than before';
    then.delete(layer.layerId);
    const because = edited(old, layer);
    if (because !== undefined) return because;
  }
  return undefined;
}

function edited(before: SnapshotLayer, now: SnapshotLayer): string | undefined {
  const named = `layer ${now.layerId} "${now.name}"`;
  if (!isTime(before.lastEditDate)) return `had no time of the last edit of ${named} in the snapshot`;
  if (!isTime(now.lastEditDate)) return `does not tell when ${named} was last edited`;
  if (before.lastEditDate !== now.lastEditDate) return `has edits in ${named}`;
  if (before.schema !== now.schema) {
    const isTold = before.schema !== undefined && now.schema !== undefined;
    return isTold ? `has other fields in ${named}` : `does not always tell the fields of ${named}`;
  }
  if (before.count === undefined) return `had rows in ${named} that were not counted in the snapshot`;
  if (now.count === undefined) return `does not tell how many rows are in ${named}`;
  return before.count === now.count ? undefined : `has another number of rows in ${named}`;
}

/** Some portals write 0 or -1 for a time that they do not know. */
const isTime = (ms: number | undefined): boolean => ms !== undefined && ms > 0;

/** Services have no size, or one of -1. */
const sizeOf = ({ size }: LiveRow): number | undefined =>
  size !== undefined && size >= 0 ? size : undefined;
