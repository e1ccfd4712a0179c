import type { SnapshotManifest, SnapshotRow } from '../../model/snapshot/snapshot';
import type { Outcomes } from '../../model/transfer/verification';
import { contentOf } from '../snapshot/contents';
import type { Snapshots } from '../snapshot/snapshots';
import { rowsMark } from '../transfer/outcomes';

/** The mark of the rows that a snapshot packaged; undefined if they may have been edited meanwhile. */
export async function packagedRows(
  snapshots: Snapshots,
  manifest: SnapshotManifest,
  row: SnapshotRow,
): Promise<string | undefined> {
  // Read before the export, and after it: only the backups of a release read everything again.
  const before = row.placement && rowsMark(row.layers);
  if (before === undefined) return undefined;
  return rowsMark((await contentOf(snapshots, manifest, row))?.layers) === before ? before : undefined;
}

/**
 * The marks that rows on a target have as long as they are those of a snapshot, by item ID.
 *
 * @param known what the route's verified imports have brought
 */
export async function rowsAsPackaged(
  snapshots: Snapshots,
  snapshotId: string,
  known: Outcomes,
): Promise<ReadonlyMap<string, string>> {
  const manifest = await snapshots.read(snapshotId);
  const found = new Map<string, string>();
  for (const row of await snapshots.rowsOf(manifest)) {
    const { rows } = known[row.itemId] ?? {};
    if (rows && rows.source === (await packagedRows(snapshots, manifest, row)))
      found.set(row.itemId, rows.target);
  }
  return found;
}
