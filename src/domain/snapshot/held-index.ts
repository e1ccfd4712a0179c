import { z } from 'zod';
import { mapLimited } from '../../model/map-limited';
import {
  type SnapshotManifest,
  snapshotManifest,
  type SnapshotRow,
  snapshotRow,
  snapshotSource,
} from '../../model/snapshot/snapshot';
import { readUnaltered } from '../../store/authentic/authentic-store';
import { keys } from '../../store/keys';
import { type Store, STORE_READS_AT_A_TIME } from '../../store/store';

const heldBackup = snapshotManifest.pick({ id: true, takenAt: true, chosen: true }).extend({
  source: snapshotSource.pick({ portal: true, url: true, groupId: true, groupTitle: true }),
});
/** What the index has of a backup. */
export type HeldBackup = z.infer<typeof heldBackup>;

const heldRow = snapshotRow.pick({ itemId: true, type: true, title: true, owner: true, size: true });
/** What the index has of an item. */
export type HeldRow = z.infer<typeof heldRow>;

/** The items of a route's backups, under each name they had. */
const heldIndex = z.object({
  backups: z.array(heldBackup),
  /** `in` has a sign for each backup: `1` if it holds the item so. */
  rows: z.array(heldRow.extend({ in: z.string() })),
});
export type HeldIndex = z.infer<typeof heldIndex>;

type Rows = readonly SnapshotRow[];

/** Of one backup. */
export const heldBy = ({ id, takenAt, chosen, source }: SnapshotManifest, rows: Rows): HeldIndex => {
  const { portal, url, groupId, groupTitle } = source;
  return {
    backups: [{ id, takenAt, chosen, source: { portal, url, groupId, groupTitle } }],
    rows: rows.map((row) => ({ ...heldRow.parse(row), in: '1' })),
  };
};

/** Adds a backup to the index of its route. A repeat changes nothing. */
export async function addToIndex(store: Store, manifest: SnapshotManifest, rows: Rows): Promise<void> {
  await change(store, manifest.route, (known) =>
    known.backups.some(({ id }) => id === manifest.id) ? known : joined(known, heldBy(manifest, rows)),
  );
}

/** Drops forgotten backups from the index of their route. */
export async function dropFromIndex(store: Store, route: string, ids: ReadonlySet<string>): Promise<void> {
  await change(store, route, ({ backups, rows }) => {
    const stays = backups.map(({ id }) => !ids.has(id));
    const only = (signs: string): string => [...signs].filter((_, at) => stays[at]).join('');
    return {
      backups: backups.filter((_, at) => stays[at]),
      rows: rows.map((row) => ({ ...row, in: only(row.in) })).filter((row) => row.in.includes('1')),
    };
  });
}

/**
 * The index of every route. Nothing locks it, so two backups that end together can lose one entry; callers read the backups
 * that it lacks.
 */
export async function readIndex(store: Store): Promise<HeldIndex[]> {
  const found = await mapLimited(await store.names(keys.heldItems), STORE_READS_AT_A_TIME, (name) =>
    readUnaltered(store, `${keys.heldItems}${name}`, heldIndex),
  );
  return found.flatMap(({ value }) => value ?? []);
}

const nothing: HeldIndex = { backups: [], rows: [] };

async function change(store: Store, route: string, next: (known: HeldIndex) => HeldIndex): Promise<void> {
  const key = keys.heldItemsOf(route);
  const { value: known = nothing } = await readUnaltered(store, key, heldIndex);
  const found = next(known);
  if (found.backups.length === 0) await store.remove(key);
  else if (found.backups.length !== known.backups.length) await store.writeJson(key, found);
}

function joined(known: HeldIndex, added: HeldIndex): HeldIndex {
  const [before, now] = [known, added].map(({ backups }) => '0'.repeat(backups.length));
  const rows = new Map(known.rows.map((row) => [nameOf(row), { ...row, in: `${row.in}${now}` }]));
  for (const row of added.rows) {
    const signs = rows.get(nameOf(row))?.in.slice(0, before?.length) ?? before;
    rows.set(nameOf(row), { ...row, in: `${signs}${row.in}` });
  }
  return { backups: [...known.backups, ...added.backups], rows: [...rows.values()] };
}

const nameOf = ({ itemId, type, title, owner = '' }: HeldRow): string =>
  [itemId, type, owner, title].join(' ');
