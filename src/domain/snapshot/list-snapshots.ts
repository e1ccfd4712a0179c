import { mapLimited } from '../../model/map-limited';
import type {
  SnapshotConfirmation,
  SnapshotManifest,
  SnapshotPin,
  SnapshotProof,
} from '../../model/snapshot/snapshot';
import { keys } from '../../store/keys';
import { newestFirst } from './snapshot-age';
import { snapshotKeys } from './snapshot-keys';
import type { Snapshots } from './snapshots';
import { type UnreadableSnapshot, whyUnreadable } from './unreadable';

/** Small files that are read from the store at a time. */
const READ_AT_A_TIME = 8;

/** Everything that is known of a snapshot without looking into it. */
export interface KnownSnapshot {
  readonly manifest: SnapshotManifest;
  readonly pin?: SnapshotPin;
  /** Oldest first. */
  readonly proofs: readonly SnapshotProof[];
  /** The last time that its group was found as it is in the snapshot. */
  readonly confirmed?: SnapshotConfirmation;
  /** What of its small files could not be read; a pin that cannot be read holds nevertheless. */
  readonly problems: readonly string[];
}

export interface SnapshotListing {
  /** Newest first; last those whose times are ahead of our clock. */
  readonly readable: readonly KnownSnapshot[];
  readonly unreadable: readonly UnreadableSnapshot[];
}

/**
 * Every snapshot of the store. Throws what the store throws where it cannot be reached.
 * @param now our own clock @format milliseconds since the epoch
 * @param isMeant by its id. @default all of them are
 */
export async function listSnapshots(
  snapshots: Snapshots,
  now = Date.now(),
  isMeant: (id: string) => boolean = () => true,
): Promise<SnapshotListing> {
  const found = [...(await filesOf(snapshots))].filter(([id]) => isMeant(id));
  const entries = await mapLimited(found, READ_AT_A_TIME, ([id, extras]) => readOne(snapshots, id, extras));
  const there = entries.filter((entry) => entry !== undefined);
  const inOrder = newestFirst(now);
  return {
    readable: there.filter((entry) => 'manifest' in entry).sort((a, b) => inOrder(a.manifest, b.manifest)),
    unreadable: there.filter((entry) => 'why' in entry),
  };
}

/** A backup that holds everything that was asked for, and at least something. */
export const isGood = ({
  kind,
  complete,
  rows,
}: Pick<SnapshotManifest, 'kind' | 'complete' | 'rows'>): boolean =>
  kind === 'backup' && complete && rows.saved > 0;

/**
 * The newest good snapshot of a route that was taken here, and not brought from another store. Each backup asks for it:
 * those of other routes are read once by a process.
 */
export async function lastGood(snapshots: Snapshots, route: string): Promise<KnownSnapshot | undefined> {
  const isMeant = (id: string): boolean => snapshots.mayBeOf(route, id);
  return lastGoodIn(await listSnapshots(snapshots, Date.now(), isMeant), route);
}

/** The same in a listing that was read already. */
export const lastGoodIn = ({ readable }: SnapshotListing, route: string): KnownSnapshot | undefined =>
  readable.find(({ manifest }) => manifest.route === route && isGood(manifest) && !manifest.imported);

/** One snapshot by its id. Throws what `Snapshots.read` throws. */
export async function readKnown(snapshots: Snapshots, id: string): Promise<KnownSnapshot> {
  return await withExtras(snapshots, await snapshots.read(id), new Set(['pin', 'proofs', 'confirmed']));
}

type Entry = KnownSnapshot | UnreadableSnapshot;
type Extra = 'pin' | 'proofs' | 'confirmed';

/** Ids with a manifest, and which small files each has beside it. */
async function filesOf({ store }: Snapshots): Promise<Map<string, Set<Extra>>> {
  const extras = new Map<string, Set<Extra>>();
  const ids: string[] = [];
  for await (const key of store.list(keys.snapshots)) {
    const id = snapshotKeys.partsOf(key)?.id;
    if (id === undefined) continue;
    const those = extras.get(id) ?? new Set<Extra>();
    extras.set(id, those);
    if (key === keys.snapshotManifest(id)) ids.push(id);
    else if (key === keys.snapshotPin(id)) those.add('pin');
    else if (key === snapshotKeys.confirmed(id)) those.add('confirmed');
    else if (key.startsWith(snapshotKeys.proofs(id))) those.add('proofs');
  }
  return new Map(ids.map((id) => [id, extras.get(id) ?? new Set()]));
}

async function readOne(
  snapshots: Snapshots,
  id: string,
  extras: ReadonlySet<Extra>,
): Promise<Entry | undefined> {
  const manifest = await snapshots.find(id).catch((thrown: unknown) => whyUnreadable(id, thrown));
  // Forgotten a moment ago.
  if (manifest === undefined || 'why' in manifest) return manifest;
  return await withExtras(snapshots, manifest, extras);
}

async function withExtras(
  snapshots: Snapshots,
  manifest: SnapshotManifest,
  extras: ReadonlySet<Extra>,
): Promise<KnownSnapshot> {
  const { id } = manifest;
  const problems: string[] = [];
  const note = (thrown: unknown): undefined => {
    problems.push(whyUnreadable(id, thrown).why);
  };
  const pin = extras.has('pin')
    ? await snapshots.pinOf(id).catch((thrown: unknown): SnapshotPin => {
        note(thrown);
        return { at: manifest.createdAt, who: '?', reason: 'the pin cannot be read' };
      })
    : undefined;
  return {
    manifest,
    pin,
    proofs: extras.has('proofs') ? ((await snapshots.proofsOf(id).catch(note)) ?? []) : [],
    confirmed: extras.has('confirmed') ? await snapshots.confirmationOf(id).catch(note) : undefined,
    problems,
  };
}
