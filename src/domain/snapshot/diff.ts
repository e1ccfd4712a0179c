import { type ComparedRow, compareRows, type RowFieldChange, type UnknownField } from './compare-rows';

/** One of two states of a group. */
export interface ComparedSide {
  /** For people: `A`, `B` or `live`. */
  readonly name: string;
  readonly rows: readonly ComparedRow[];
  /** sha256 of the package in which a row lies; undefined where it lies in none. @default none lies in any */
  readonly packageOf?: (row: ComparedRow) => string | undefined;
}

const itemDifferences = ['added', 'removed', 'changed', 'same'] as const;
type ItemDifference = (typeof itemDifferences)[number];

export interface ItemDiff {
  readonly itemId: string;
  readonly type: string;
  readonly title: string;
  /** `same`: as far as it was compared. */
  readonly difference: ItemDifference;
  readonly fields: readonly RowFieldChange[];
  /** Both sides have the same bytes of its data, or bytes were compared. */
  readonly bytes?: true;
  /** Data that was not compared, and why. */
  readonly notCompared: readonly string[];
}

export interface SnapshotDiff {
  readonly items: readonly ItemDiff[];
  /** `notCompared`: of those that are the same or changed, whose data was not compared. */
  readonly counts: Readonly<Record<ItemDifference | 'notCompared', number>>;
}

/**
 * How two states of a group differ, item by item in the order added, removed, changed, same. Nothing is taken for
 * equal that was not compared: it is named.
 */
export function diffSides(before: ComparedSide, after: ComparedSide): SnapshotDiff {
  const then = new Map(before.rows.map((row) => [row.itemId, row]));
  const now = new Map(after.rows.map((row) => [row.itemId, row]));
  const items = [
    ...[...now.values()].filter(({ itemId }) => !then.has(itemId)).map((row) => alone(row, 'added')),
    ...[...then.values()].filter(({ itemId }) => !now.has(itemId)).map((row) => alone(row, 'removed')),
    ...[...then.values()].flatMap((row) => {
      const other = now.get(row.itemId);
      return other ? [both(row, other, before, after)] : [];
    }),
  ].sort((a, b) => itemDifferences.indexOf(a.difference) - itemDifferences.indexOf(b.difference));
  const count = (difference: ItemDifference): number =>
    items.filter((item) => item.difference === difference).length;
  return {
    items,
    counts: {
      added: count('added'),
      removed: count('removed'),
      changed: count('changed'),
      same: count('same'),
      notCompared: items.filter(({ notCompared }) => notCompared.length > 0).length,
    },
  };
}

export const differs = ({ counts }: SnapshotDiff): boolean =>
  counts.added + counts.removed + counts.changed > 0;

const alone = ({ itemId, type, title }: ComparedRow, difference: 'added' | 'removed'): ItemDiff => ({
  itemId,
  type,
  title,
  difference,
  fields: [],
  notCompared: [],
});

function both(then: ComparedRow, now: ComparedRow, before: ComparedSide, after: ComparedSide): ItemDiff {
  const { itemId, type, title } = now;
  const { fields, unknown } = compareRows(then, now);
  const sha256 = before.packageOf?.(then);
  const isKnown = then.saved === 'package' && now.saved === 'package' && sha256 !== undefined;
  const isOnePackage = isKnown && sha256 === after.packageOf?.(now);
  const named = { before: before.name, after: after.name, both: `${before.name} and ${after.name}` };
  const words = ({ what, in: where }: UnknownField): string => `${what} unknown in ${named[where]}`;
  return {
    itemId,
    type,
    title,
    difference: fields.length > 0 ? 'changed' : 'same',
    fields,
    bytes: isOnePackage || (then.copy && now.copy) ? true : undefined,
    notCompared: isOnePackage ? [] : unknown.map(words),
  };
}
