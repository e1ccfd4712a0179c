import { isSameUser } from '../../model/identity';
import {
  knownSize,
  knownTime,
  type LiveRow,
  type SnapshotLayer,
  type SnapshotRow,
} from '../../model/snapshot/snapshot';

/** A row of a snapshot, or of a group as it is now, which is not saved. */
export type ComparedRow = Omit<SnapshotRow, 'saved'> & Partial<Pick<SnapshotRow, 'saved'>>;

/** Something that differs; absent on a side that has none. */
export interface RowFieldChange {
  readonly field: string;
  readonly before?: string | number;
  readonly after?: string | number;
}

/** Something that could not be compared, and where it is unknown. */
export interface UnknownField {
  readonly what: string;
  readonly in: 'before' | 'after' | 'both';
}

interface RowComparison {
  readonly fields: readonly RowFieldChange[];
  readonly unknown: readonly UnknownField[];
}

type Value = string | number | undefined;

/**
 * How an item differs between two states of its group. The data of hosted services is compared by rows and last edits of
 * their layers, since editing features does not touch the item.
 */
export function compareRows(before: ComparedRow, after: ComparedRow): RowComparison {
  const fields: RowFieldChange[] = [];
  const unknown: UnknownField[] = [];
  const compare = (field: string, then: Value, now: Value): void => {
    if (then !== undefined && now !== undefined && then !== now)
      fields.push({ field, before: then, after: now });
  };
  const note = (what: string, then: unknown, now: unknown): void => {
    if (then === undefined || now === undefined)
      unknown.push({ what, in: then !== undefined ? 'after' : now !== undefined ? 'before' : 'both' });
  };
  const areHosted = Boolean(before.hosted && after.hosted);
  compare('type', before.type, after.type);
  compare('title', before.title, after.title);
  if (!isSameUser(before.owner, after.owner)) compare('owner', before.owner, after.owner);
  compare('url', before.url, after.url);
  compare('hosted', before.hosted ? 'yes' : 'no', after.hosted ? 'yes' : 'no');
  compare('saved', isSaved(before), isSaved(after));
  const [timeThen, timeNow] = [timeOf(before.modified), timeOf(after.modified)];
  compare('modified', timeThen, timeNow);
  const [sizeThen, sizeNow] = [knownSize(before.size), knownSize(after.size)];
  compare('size', sizeThen, sizeNow);
  if (before.copy && after.copy) {
    const [then, now] = [before.copy, after.copy].map(({ dataSha256 }) => dataSha256.slice(0, 12));
    compare('bytes of the data', then, now);
    return { fields, unknown };
  }
  note('time of the last change', timeThen, timeNow);
  // Hosted services have no size.
  if (!areHosted || (sizeThen ?? sizeNow) !== undefined) note('size', sizeThen, sizeNow);
  if (areHosted && (before.url ?? after.url) !== undefined) note('address', before.url, after.url);
  if (!before.hosted && !after.hosted) return { fields, unknown };
  const [then, now] = [layersOf(before), layersOf(after)];
  note('layers', then, now);
  for (const id of then && now ? new Set([...then.keys(), ...now.keys()]) : []) {
    const [old, layer] = [then?.get(id), now?.get(id)];
    if (!old || !layer) {
      fields.push({ field: `layer ${id}`, before: old?.name, after: layer?.name });
      continue;
    }
    const [editThen, editNow] = [timeOf(old.lastEditDate), timeOf(layer.lastEditDate)];
    compare(`layer ${id} name`, old.name, layer.name);
    compare(`layer ${id} last edit`, editThen, editNow);
    compare(`layer ${id} rows`, old.count, layer.count);
    compare(`layer ${id} fields`, old.schema, layer.schema);
    const named = `layer ${id} "${layer.name}":`;
    note(`${named} last edit`, editThen, editNow);
    note(`${named} rows`, old.count, layer.count);
    if ((old.schema ?? layer.schema) !== undefined) note(`${named} fields`, old.schema, layer.schema);
  }
  return { fields, unknown };
}

/**
 * Why another export of a group may bring something new; undefined if it would not. Everything that could tell of a
 * change must be known and equal.
 */
export function whyChanged(before: readonly SnapshotRow[], now: readonly LiveRow[]): string | undefined {
  const there = new Set(now.map((row) => row.itemId));
  const gone = before.find((row) => !there.has(row.itemId));
  if (gone) return named(gone, 'is no longer in the group');
  const because = changesOf(before, now);
  const changed = now.find((row) => because.has(row.itemId));
  return changed && named(changed, because.get(changed.itemId) ?? '');
}

const named = ({ title, itemId }: LiveRow, what: string): string => `"${title}" (${itemId}) ${what}`;

/** How items that are in the group now have changed, or why that is unknown, by ID; new ones too. */
export function changesOf(
  before: readonly SnapshotRow[],
  now: readonly LiveRow[],
): ReadonlyMap<string, string> {
  const then = new Map(before.map((row) => [row.itemId, row]));
  return new Map(
    now.flatMap((row) => {
      const old = then.get(row.itemId);
      const because = old ? changeOf(old, row) : 'is new in the group';
      return because === undefined ? [] : [[row.itemId, because]];
    }),
  );
}

function changeOf(before: SnapshotRow, now: LiveRow): string | undefined {
  const { fields, unknown } = compareRows(before, now);
  const [change] = fields;
  if (change) return `changed: ${change.field} ${change.before ?? '-'} -> ${change.after ?? '-'}`;
  if (now.placement && !isPlacedAlike(before.placement, now.placement))
    return 'has another owner, folder, sharing level or delete protection';
  // Services that a portal does not host never have a size.
  const missing = unknown.find(({ what, in: where }) => what !== 'size' || where !== 'both');
  const where = { before: 'in the snapshot', after: 'now', both: 'both times' } as const;
  return missing && `cannot be compared: ${missing.what} unknown ${where[missing.in]}`;
}

/** A new thumbnail changes the item itself. */
const isPlacedAlike = (before: SnapshotRow['placement'], now: NonNullable<LiveRow['placement']>): boolean =>
  before !== undefined &&
  (before.owner === now.owner || isSameUser(before.owner, now.owner)) &&
  (['folder', 'folderTitle', 'access', 'protected'] as const).every((part) => before[part] === now[part]);

const timeOf = (at: number | undefined): string | undefined => {
  const known = knownTime(at);
  return known === undefined ? undefined : new Date(known).toISOString();
};

const isSaved = ({ saved }: ComparedRow): string | undefined =>
  saved === undefined ? undefined : saved === 'no' ? 'no' : 'yes';

/** Undefined if the service listed none, or one twice. */
function layersOf({ layers = [] }: ComparedRow): ReadonlyMap<number, SnapshotLayer> | undefined {
  const byId = new Map(layers.map((layer) => [layer.layerId, layer]));
  return byId.size > 0 && byId.size === layers.length ? byId : undefined;
}
