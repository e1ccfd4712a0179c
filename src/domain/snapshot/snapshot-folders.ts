import { mapLimited } from '../../model/map-limited';
import { keys } from '../../store/keys';
import type { Store } from '../../store/store';

/** Folders that are looked into at a time. */
const READ_AT_A_TIME = 8;

/** The folder of a snapshot, or of what never became one, without what lies deeper in it. */
export interface SnapshotFolder {
  readonly id: string;
  /** Whether this key lies in it, or keys that begin so. */
  holds(key: string): boolean;
}

/**
 * The folders of all snapshots, in the order of their ids. What lies deeper, a file or more for each item, is not
 * listed: the cost goes by the number of snapshots and not by what they hold.
 */
export async function snapshotFolders(store: Store): Promise<SnapshotFolder[]> {
  const ids = (await store.names(keys.snapshots)).sort();
  return await mapLimited(ids, READ_AT_A_TIME, async (id) => {
    const folder = keys.snapshot(id);
    const names = new Set(await store.names(folder));
    return { id, holds: (key: string) => names.has(key.slice(folder.length).replace(/\/$/, '')) };
  });
}
