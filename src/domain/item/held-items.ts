import type { Config } from '../../config/config';
import { findPortal } from '../../config/resolve-route';
import { PortolanError } from '../../model/errors/errors';
import { portalIdentities, portalIdentity } from '../../model/identity';
import { groupBy } from '../../model/group-by';
import { mapLimited } from '../../model/map-limited';
import type { SnapshotManifest, SnapshotRow } from '../../model/snapshot/snapshot';
import { oneLine, shortened } from '../../model/text/plain-text';
import { countOf, listFirst } from '../../model/text/words';
import { STORE_READS_AT_A_TIME } from '../../store/store';
import { keys } from '../../store/keys';
import { heldBy, type HeldBackup, type HeldIndex, type HeldRow, readIndex } from '../snapshot/held-index';
import { newestFirst, readManifest } from '../snapshot/list-snapshots';
import { isSafeguard } from '../snapshot/named-snapshots';
import type { Snapshots } from '../snapshot/snapshots';
import { whyUnreadable } from '../snapshot/unreadable';

/** An item in one backup. */
export interface Holding {
  readonly manifest: SnapshotManifest;
  readonly row: SnapshotRow;
}

interface HeldItems {
  readonly items: readonly HeldItem[];
  readonly notes: readonly string[];
}

/**
 * The items that backups hold, each once for every portal, by title. Reads the index of each route, and the rows of
 * backups that are in none.
 *
 * @param isMeant of a row; an item is found if one of its rows is
 * @param portal name of the only portal in question
 */
export async function heldItems(
  config: Config,
  snapshots: Snapshots,
  isMeant: (row: HeldRow) => boolean,
  portal?: string,
): Promise<HeldItems> {
  const identities = portal === undefined ? undefined : portalIdentities(findPortal(config, portal));
  const { held, lost } = await readHeld(snapshots);
  const backups = new Backups(
    held.flatMap((each) => each.backups),
    ({ source }) => identities?.includes(portalKey(source)) ?? true,
    snapshots.now(),
  );
  const found = new Map<string, HeldItem>();
  for (const { backups: all, rows } of held)
    for (const row of rows) {
      const newest = backups.newestOf(all, row.in);
      if (newest === undefined) continue;
      const key = `${portalKey(newest.source)} ${row.itemId}`;
      const item = found.get(key) ?? new HeldItem(backups);
      found.set(key, item);
      item.add(row, all, newest, isMeant(row));
    }
  const items = [...found.values()].filter((item) => item.isMeant);
  return { items: items.sort(byTitle), notes: notesOn(lost) };
}

/** The index of backups, and IDs of those that are in none and cannot be read. */
async function readHeld(snapshots: Snapshots): Promise<{ held: HeldIndex[]; lost: string[] }> {
  const { store } = snapshots;
  const there = new Set((await store.names(keys.snapshots)).filter((id) => !isSafeguard(id)));
  const held: HeldIndex[] = [];
  for (const { backups, rows } of await readIndex(store)) {
    // Forgotten ones hold nothing.
    const isThere = backups.map(({ id }) => there.has(id));
    const signs = (text: string): string =>
      isThere.every(Boolean) ? text : [...text].map((sign, at) => (isThere[at] ? sign : '0')).join('');
    held.push({ backups, rows: rows.map((row) => ({ ...row, in: signs(row.in) })) });
    for (const { id } of backups) there.delete(id);
  }
  const lost: string[] = [];
  await mapLimited([...there], STORE_READS_AT_A_TIME, async (id) => {
    const manifest = await readManifest(snapshots, id);
    if (manifest === undefined) return;
    if ('why' in manifest) return void lost.push(id);
    if (manifest.kind !== 'backup') return;
    const rows = await snapshots.rowsOf(manifest).catch((thrown: unknown) => whyUnreadable(id, thrown));
    if ('why' in rows) lost.push(id);
    else held.push(heldBy(manifest, rows));
  });
  return { held, lost };
}

/** The backups in question, newest first. */
class Backups {
  private readonly places: ReadonlyMap<HeldBackup, number>;
  private readonly ofGroups: ReadonlyMap<string, readonly HeldBackup[]>;

  constructor(all: readonly HeldBackup[], isWanted: (backup: HeldBackup) => boolean, now: number) {
    const inOrder = all.filter(isWanted).sort(newestFirst(now));
    this.places = new Map(inOrder.map((backup, at) => [backup, at]));
    this.ofGroups = groupBy(inOrder, groupKey);
  }

  place = (backup: HeldBackup): number => this.places.get(backup) ?? Infinity;

  newestOf(all: readonly HeldBackup[], signs: string): HeldBackup | undefined {
    let newest: HeldBackup | undefined;
    let first = Infinity;
    for (const [at, backup] of all.entries()) {
      const place = signs[at] === '1' ? this.place(backup) : Infinity;
      if (place < first) [newest, first] = [backup, place];
    }
    return newest;
  }

  /** In each of its groups, a later backup of all of it must lack the item. @param last of each group */
  goneSince(last: readonly HeldBackup[]): HeldBackup | undefined {
    let gone: HeldBackup | undefined;
    for (const each of last) {
      const all = this.ofGroups.get(groupKey(each)) ?? [];
      const without = all.slice(0, all.indexOf(each)).findLast(({ chosen }) => !chosen);
      if (!without) return undefined;
      if (!gone || without.takenAt > gone.takenAt) gone = without;
    }
    return gone;
  }
}

/** An item that backups hold. */
export class HeldItem {
  isMeant = false;
  private newest: { readonly row: HeldRow; readonly place: number } | undefined;
  private readonly held: { readonly all: readonly HeldBackup[]; readonly signs: string }[] = [];

  constructor(private readonly of: Backups) {}

  add(
    row: HeldRow & { readonly in: string },
    all: readonly HeldBackup[],
    newest: HeldBackup,
    isMeant: boolean,
  ): void {
    this.isMeant ||= isMeant;
    this.held.push({ all, signs: row.in });
    const place = this.of.place(newest);
    if (!this.newest || place < this.newest.place) this.newest = { row, place };
  }

  get itemId(): string {
    return this.row.itemId;
  }

  /** As the newest backup has it. */
  get row(): HeldRow {
    if (!this.newest) throw new TypeError('an item without a row');
    return this.newest.row;
  }

  /** Those that hold it, newest first. */
  get backups(): readonly [HeldBackup, ...HeldBackup[]] {
    const own = this.held.flatMap(({ all, signs }) =>
      all.filter((backup, at) => signs[at] === '1' && this.of.place(backup) < Infinity),
    );
    return own.sort((one, other) => this.of.place(one) - this.of.place(other)) as [HeldBackup];
  }

  /** Its groups, each by the newest backup that holds it. */
  get groups(): readonly HeldBackup[] {
    return [...groupBy(this.backups, groupKey).values()].flatMap(([last]) => last ?? []);
  }

  /** The first backup of its groups that no longer holds it. */
  get gone(): HeldBackup | undefined {
    return this.of.goneSince(this.groups);
  }
}

/** All backups of an item on its portal, newest first, as their manifests and rows say; and which cannot be read. */
export async function holdingsOf(
  snapshots: Snapshots,
  { itemId, backups }: HeldItem,
): Promise<{ readonly holdings: readonly Holding[]; readonly notes: readonly string[] }> {
  const lost: string[] = [];
  const found = await mapLimited(backups, STORE_READS_AT_A_TIME, async ({ id }) => {
    const manifest = await readManifest(snapshots, id);
    if (manifest === undefined) return [];
    const rows =
      'why' in manifest
        ? manifest
        : await snapshots.rowsOf(manifest).catch((thrown: unknown) => whyUnreadable(id, thrown));
    if ('why' in manifest || 'why' in rows) {
      lost.push(id);
      return [];
    }
    const row = rows.find((each) => each.itemId === itemId);
    return row ? [{ manifest, row }] : [];
  });
  return { holdings: found.flat(), notes: notesOn(lost) };
}

function notesOn(lost: readonly string[]): string[] {
  const named = listFirst(lost, LOST_NAMED).join(', ');
  return lost.length === 0 ? [] : [`${countOf(lost.length, 'snapshot')} could not be read: ${named}`];
}

const LOST_NAMED = 5;

const byTitle = ({ row: one }: HeldItem, { row: other }: HeldItem): number =>
  one.title.localeCompare(other.title) || (one.itemId < other.itemId ? -1 : 1);

type Source = Pick<SnapshotManifest['source'], 'url' | 'groupId'>;

const portalKey = ({ url }: Pick<Source, 'url'>): string => portalIdentity(url) ?? url;

const groupKey = ({ source }: { readonly source: Source }): string =>
  `${portalKey(source)} ${source.groupId}`;

/**
 * The item that is meant by an ID, or by a title that only one has. Throws ITEM_NOT_FOUND, and USAGE with the candidates
 * if there are several.
 */
export async function findHeldItem(
  config: Config,
  snapshots: Snapshots,
  text: string,
  portal?: string,
): Promise<{ readonly item: HeldItem; readonly notes: readonly string[] }> {
  const isTitle = isTitled(text);
  const { items, notes } = await heldItems(
    config,
    snapshots,
    (row) => row.itemId === text || isTitle(row),
    portal,
  );
  const byId = items.filter(({ itemId }) => itemId === text);
  const only = onlyOf(
    byId.length > 0 ? byId : items,
    text,
    'no backup holds an item',
    ({ row, backups }) => ({
      ...row,
      where: `on ${backups[0].source.portal}`,
    }),
  );
  return { item: only, notes };
}

/** The row of a snapshot that is meant, in the same way. */
export async function findRow(
  snapshots: Snapshots,
  manifest: SnapshotManifest,
  text: string,
): Promise<SnapshotRow> {
  const rows = await snapshots.rowsOf(manifest);
  const byId = rows.find(({ itemId }) => itemId === text);
  return (
    byId ??
    onlyOf(rows.filter(isTitled(text)), text, `snapshot ${manifest.id} holds no item`, (row) => ({
      ...row,
      where: '',
    }))
  );
}

const isTitled =
  (text: string) =>
  ({ title }: Pick<SnapshotRow, 'title'>): boolean =>
    title.trim().toLowerCase() === text.trim().toLowerCase();

/** Candidates that are listed. */
const NAMED_MAX = 10;

function onlyOf<T>(
  found: readonly T[],
  text: string,
  none: string,
  shown: (each: T) => Pick<SnapshotRow, 'itemId' | 'type' | 'title'> & { readonly where: string },
): T {
  const [only, ...others] = found;
  const named = `"${oneLine(shortened(text))}"`;
  if (only === undefined)
    throw new PortolanError('ITEM_NOT_FOUND', `${none} ${named}`, {
      hint: 'Find items: portolan item list QUERY',
    });
  if (others.length === 0) return only;
  const lines = found.map((each) => {
    const { itemId, type, title, where } = shown(each);
    return `  ${itemId}  "${oneLine(shortened(title))}" (${oneLine(type)}) ${where}`.trimEnd();
  });
  throw new PortolanError(
    'USAGE',
    `${named} matches ${countOf(found.length, 'item')}:\n${listFirst(lines, NAMED_MAX).join('\n')}`,
    { hint: 'Type the ID, and --portal if several portals have it.' },
  );
}
