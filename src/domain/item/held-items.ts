import type { Config } from '../../config/config';
import { findPortal } from '../../config/resolve-route';
import { PortolanError } from '../../model/errors/errors';
import { portalIdentities, portalIdentity } from '../../model/identity';
import { mapLimited } from '../../model/map-limited';
import type { SnapshotManifest, SnapshotRow } from '../../model/snapshot/snapshot';
import { oneLine, shortened } from '../../model/text/plain-text';
import { countOf, listFirst } from '../../model/text/words';
import { STORE_READS_AT_A_TIME } from '../../store/store';
import { listSnapshots } from '../snapshot/list-snapshots';
import type { Snapshots } from '../snapshot/snapshots';
import { whyUnreadable } from '../snapshot/unreadable';

/** An item in one backup. */
export interface Holding {
  readonly manifest: SnapshotManifest;
  readonly row: SnapshotRow;
}

/** An item that backups hold. */
export interface HeldItem {
  readonly itemId: string;
  readonly newest: Holding;
  /** How many hold it. */
  readonly backups: number;
  /** Its groups, each by the newest backup that holds it. */
  readonly groups: readonly SnapshotManifest[];
  /** The first backup of its groups that no longer holds it. */
  readonly gone?: SnapshotManifest;
}

interface HeldItems {
  readonly items: readonly HeldItem[];
  readonly notes: readonly string[];
}

/**
 * The items that backups hold, each once for every portal, by title. Reads the rows of all backups.
 *
 * @param isMeant of a row; an item is found if one of its rows is
 * @param portal name of the only portal in question
 */
export async function heldItems(
  config: Config,
  snapshots: Snapshots,
  isMeant: (row: SnapshotRow) => boolean,
  portal?: string,
): Promise<HeldItems> {
  const { readable, unreadable } = await listSnapshots(snapshots);
  const identities = portal === undefined ? undefined : portalIdentities(findPortal(config, portal));
  const backups = readable
    .map(({ manifest }) => manifest)
    .filter(({ kind, source }) => kind === 'backup' && (identities?.includes(portalKey(source)) ?? true));
  const order = new Map(backups.map((manifest, at) => [manifest, at]));
  const isNewer = (one: SnapshotManifest, other: SnapshotManifest | undefined): boolean =>
    other === undefined || (order.get(one) ?? 0) < (order.get(other) ?? 0);
  const found = new Map<string, FoundItem>();
  const ofGroups = byGroup(backups);
  const lost = await eachBackup(snapshots, backups, (manifest, rows) => {
    const [portalOf, group] = [portalKey(manifest.source), groupKey(manifest)];
    for (const row of rows) {
      const key = `${portalOf} ${row.itemId}`;
      const item = found.get(key) ?? {
        newest: { manifest, row },
        backups: 0,
        groups: new Map(),
        isMeant: false,
      };
      found.set(key, item);
      item.backups += 1;
      item.isMeant ||= isMeant(row);
      if (isNewer(manifest, item.newest.manifest)) item.newest = { manifest, row };
      if (isNewer(manifest, item.groups.get(group))) item.groups.set(group, manifest);
    }
  });
  const items = [...found.values()].flatMap(
    ({ isMeant: isFound, newest, backups: count, groups }): HeldItem[] =>
      isFound
        ? [
            {
              itemId: newest.row.itemId,
              newest,
              backups: count,
              groups: [...groups.values()],
              gone: goneSince(groups, ofGroups),
            },
          ]
        : [],
  );
  const all = [...unreadable.map(({ id }) => id), ...lost];
  const named = listFirst(all, LOST_NAMED).join(', ');
  const notes = all.length === 0 ? [] : [`${countOf(all.length, 'snapshot')} could not be read: ${named}`];
  return { items: items.sort(byTitle), notes };
}

interface FoundItem {
  newest: Holding;
  backups: number;
  readonly groups: Map<string, SnapshotManifest>;
  isMeant: boolean;
}

/** All backups of an item on its portal, newest first. */
export async function holdingsOf(snapshots: Snapshots, { itemId, newest }: HeldItem): Promise<Holding[]> {
  const portal = portalKey(newest.manifest.source);
  const { readable } = await listSnapshots(snapshots);
  const backups = readable
    .map(({ manifest }) => manifest)
    .filter(({ kind, source }) => kind === 'backup' && portalKey(source) === portal);
  const found = new Map<SnapshotManifest, Holding>();
  await eachBackup(snapshots, backups, (manifest, rows) => {
    const row = rows.find((each) => each.itemId === itemId);
    if (row) found.set(manifest, { manifest, row });
  });
  return backups.flatMap((manifest) => found.get(manifest) ?? []);
}

/** @returns IDs of those whose rows cannot be read */
async function eachBackup(
  snapshots: Snapshots,
  backups: readonly SnapshotManifest[],
  use: (manifest: SnapshotManifest, rows: readonly SnapshotRow[]) => void,
): Promise<string[]> {
  const lost: string[] = [];
  await mapLimited(backups, STORE_READS_AT_A_TIME, async (manifest) => {
    const rows = await snapshots
      .rowsOf(manifest)
      .catch((thrown: unknown) => whyUnreadable(manifest.id, thrown));
    if ('why' in rows) lost.push(manifest.id);
    else use(manifest, rows);
  });
  return lost;
}

const LOST_NAMED = 5;

const byTitle = ({ newest: one }: HeldItem, { newest: other }: HeldItem): number =>
  one.row.title.localeCompare(other.row.title) || (one.row.itemId < other.row.itemId ? -1 : 1);

const portalKey = ({ url }: SnapshotManifest['source']): string => portalIdentity(url) ?? url;

/** In each of its groups, a later backup of all of it must lack the item. @param ofGroups newest first */
function goneSince(
  groups: ReadonlyMap<string, SnapshotManifest>,
  ofGroups: ReadonlyMap<string, readonly SnapshotManifest[]>,
): SnapshotManifest | undefined {
  let gone: SnapshotManifest | undefined;
  for (const [key, last] of groups) {
    const all = ofGroups.get(key) ?? [];
    const without = all.slice(0, all.indexOf(last)).findLast((each) => !each.chosen);
    if (!without) return undefined;
    if (!gone || without.takenAt > gone.takenAt) gone = without;
  }
  return gone;
}

function byGroup(backups: readonly SnapshotManifest[]): ReadonlyMap<string, readonly SnapshotManifest[]> {
  const found = new Map<string, SnapshotManifest[]>();
  for (const manifest of backups) {
    const key = groupKey(manifest);
    const known = found.get(key);
    if (known) known.push(manifest);
    else found.set(key, [manifest]);
  }
  return found;
}

const groupKey = ({ source }: SnapshotManifest): string => `${portalKey(source)} ${source.groupId}`;

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
  const only = onlyOf(byId.length > 0 ? byId : items, text, 'no backup holds an item', ({ newest }) => ({
    ...newest.row,
    where: `on ${newest.manifest.source.portal}`,
  }));
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
  ({ title }: SnapshotRow): boolean =>
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
