import { mapLimited } from '../../model/map-limited';
import { keys } from '../../store/keys';
import type { Store } from '../../store/store';

/** Folders that are looked into at a time. */
const READ_AT_A_TIME = 8;

/** The folder of a snapshot, or of one that was never committed, without its subfolders. */
export interface SnapshotFolder {
  readonly id: string;
  /** Whether the folder has this file, or this subfolder. */
  holds(key: string): boolean;
}

/**
 * The folders of all snapshots, in the order of their ids. Subfolders, with a file or more for each item, are not
 * listed: the cost depends on the number of snapshots, not on their content.
 */
export async function snapshotFolders(store: Store): Promise<SnapshotFolder[]> {
  const ids = (await store.names(keys.snapshots)).sort();
  return await mapLimited(ids, READ_AT_A_TIME, async (id) => {
    const folder = keys.snapshot(id);
    const names = new Set(await store.names(folder));
    return { id, holds: (key: string) => names.has(key.slice(folder.length).replace(/\/$/, '')) };
  });
}
