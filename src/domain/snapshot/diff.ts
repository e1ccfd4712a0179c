import type { SnapshotLayer, SnapshotRow } from '../../model/snapshot/snapshot';

/** A row of a snapshot, or of a group as it is now, which is not saved. */
export type ComparedRow = Omit<SnapshotRow, 'saved'> & Partial<Pick<SnapshotRow, 'saved'>>;

/** One of two states of a group. */
export interface ComparedSide {
  /** For people: `A`, `B` or `live`. */
  readonly name: string;
  readonly rows: readonly ComparedRow[];
  /** sha256 of the package in which a row lies; undefined where it lies in none. @default none lies in any */
  readonly packageOf?: (row: ComparedRow) => string | undefined;
}

/** One thing that is another; a side that has it not is absent. */
export interface RowFieldChange {
  readonly field: string;
  readonly before?: string | number;
  readonly after?: string | number;
}

export const itemDifferences = ['added', 'removed', 'changed', 'same'] as const;
export type ItemDifference = (typeof itemDifferences)[number];

export interface ItemDiff {
  readonly itemId: string;
  readonly type: string;
  readonly title: string;
  /** `same`: as far as it was compared. */
  readonly difference: ItemDifference;
  readonly fields: readonly RowFieldChange[];
  /** What was compared, of an item that both sides have. */
  readonly compared: readonly string[];
  /** What of its data was not compared, and why; empty where the data was compared. */
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
      return other ? [new Comparison(before, after).of(row, other)] : [];
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
  compared: [],
  notCompared: [],
});

/** Of one item that both sides have. */
class Comparison {
  private readonly fields: RowFieldChange[] = [];
  private readonly compared: string[] = [];
  private readonly notCompared: string[] = [];

  constructor(
    private readonly before: ComparedSide,
    private readonly after: ComparedSide,
  ) {}

  of(then: ComparedRow, now: ComparedRow): ItemDiff {
    this.field('type', then.type, now.type);
    this.field('title', then.title, now.title);
    this.field('owner', then.owner, now.owner);
    this.field('url', then.url, now.url);
    this.field('hosted', then.hosted ? 'yes' : 'no', now.hosted ? 'yes' : 'no');
    this.field('saved', savedWords(then), savedWords(now));
    this.field('modified', timeOf(then.modified), timeOf(now.modified));
    this.field('size', sizeOf(then.size), sizeOf(now.size));
    this.data(then, now);
    const { itemId, type, title } = now;
    const difference = this.fields.length > 0 ? 'changed' : 'same';
    const { fields, compared, notCompared } = this;
    return { itemId, type, title, difference, fields, compared, notCompared };
  }

  /** Compares what both sides know. @returns whether they do */
  private field(
    name: string,
    before: string | number | undefined,
    after: string | number | undefined,
  ): boolean {
    if (before === undefined || after === undefined) return false;
    this.compared.push(name);
    if (before !== after) this.fields.push({ field: name, before, after });
    return true;
  }

  private data(then: ComparedRow, now: ComparedRow): void {
    if (this.isOnePackage(then, now)) {
      this.compared.push('bytes of the package');
    } else if (then.copy && now.copy) {
      this.field('bytes of the data', then.copy.dataSha256.slice(0, 12), now.copy.dataSha256.slice(0, 12));
    } else if (then.hosted || now.hosted) {
      this.layers(then, now);
    } else {
      this.noteUnknown('time of the last change', timeOf(then.modified), timeOf(now.modified));
      this.noteUnknown('size', sizeOf(then.size), sizeOf(now.size));
    }
  }

  private isOnePackage(then: ComparedRow, now: ComparedRow): boolean {
    const sha256 = this.before.packageOf?.(then);
    const isKnown = then.saved === 'package' && now.saved === 'package' && sha256 !== undefined;
    return isKnown && sha256 === this.after.packageOf?.(now);
  }

  private noteUnknown(what: string, before: unknown, after: unknown): void {
    if (before === undefined || after === undefined)
      this.notCompared.push(`${what} unknown ${this.where(before, after)}`);
  }

  private layers(before: ComparedRow, after: ComparedRow): void {
    const [then, now] = [layersOf(before), layersOf(after)];
    if (!then || !now) {
      this.notCompared.push(`layers unreadable ${this.where(then, now)}`);
      return;
    }
    const others = new Map(now.map((layer) => [layer.layerId, layer]));
    for (const layer of then) {
      const other = others.get(layer.layerId);
      others.delete(layer.layerId);
      if (other) this.layer(layer, other);
      else this.fields.push({ field: `layer ${layer.layerId}`, before: layer.name });
    }
    for (const layer of others.values())
      this.fields.push({ field: `layer ${layer.layerId}`, after: layer.name });
  }

  private layer(then: SnapshotLayer, now: SnapshotLayer): void {
    const named = `layer ${now.layerId}`;
    this.field(`${named} name`, then.name, now.name);
    const [editedThen, editedNow] = [timeOf(then.lastEditDate), timeOf(now.lastEditDate)];
    if (!this.field(`${named} last edit`, editedThen, editedNow))
      this.notCompared.push(`${named} "${now.name}": last edit unknown ${this.where(editedThen, editedNow)}`);
    if (!this.field(`${named} rows`, then.count, now.count))
      this.notCompared.push(`${named} "${now.name}": rows not counted ${this.where(then.count, now.count)}`);
  }

  /** On which side something is missing. */
  private where(before: unknown, after: unknown): string {
    const missing = [
      ...(before === undefined ? [this.before.name] : []),
      ...(after === undefined ? [this.after.name] : []),
    ];
    return `in ${missing.join(' and ')}`;
  }
}

/** Some portals write 0 or -1 for a time that they do not know. */
const timeOf = (at: number | undefined): string | undefined =>
  at !== undefined && at > 0 ? new Date(at).toISOString() : undefined;

/** Services have no size, or one of -1. */
const sizeOf = (size: number | undefined): number | undefined =>
  size !== undefined && size >= 0 ? size : undefined;

/** That it is saved, in whatever way, or is not. */
const savedWords = ({ saved }: ComparedRow): string | undefined =>
  saved === undefined ? undefined : saved === 'no' ? 'no' : 'yes';

/** A service without any layer is one that did not tell them. */
const layersOf = ({ layers }: ComparedRow): SnapshotLayer[] | undefined =>
  layers?.length ? layers : undefined;
