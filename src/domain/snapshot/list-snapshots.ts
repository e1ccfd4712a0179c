import type {
  SnapshotConfirmation,
  SnapshotManifest,
  SnapshotPin,
  SnapshotProof,
} from '../../model/snapshot/snapshot';
import { mapLimited } from '../../model/map-limited';
import { CONFIRMED, keys, MANIFEST, PIN, PROOFS } from '../../store/keys';
import type { Snapshots } from './snapshots';
import { type UnreadableSnapshot, whyUnreadable } from './unreadable';
import { STORE_READS_AT_A_TIME } from '../../store/store';

/** Tolerated difference of two clocks. @format milliseconds */
const SKEW_MS = 5 * 60_000;

type Taken = Pick<SnapshotManifest, 'takenAt'>;

/** @format milliseconds since the epoch */
export const takenMs = ({ takenAt }: Taken): number => Date.parse(takenAt);

/** Dated in the future: its age is unknown. */
export const isAhead = (taken: Taken, now: number): boolean => takenMs(taken) > now + SKEW_MS;

/** Newest first; last those dated in the future, so that they make no other old. */
export const newestFirst =
  (now: number) =>
  (a: Taken & { readonly id: string }, b: Taken & { readonly id: string }): number =>
    Number(isAhead(a, now)) - Number(isAhead(b, now)) || takenMs(b) - takenMs(a) || (a.id < b.id ? 1 : -1);

/**
 * When the group was last known to match the snapshot; undefined if all known times are in the future.
 * @format milliseconds since the epoch
 */
export function heldAt(
  { manifest, confirmed }: { readonly manifest: Taken; readonly confirmed?: SnapshotConfirmation },
  now: number,
): number | undefined {
  const moments = [takenMs(manifest), ...(confirmed ? [Date.parse(confirmed.at)] : [])];
  const known = moments.filter((moment) => moment <= now + SKEW_MS);
  return known.length === 0 ? undefined : Math.max(...known);
}

/** Everything known about a snapshot without reading its content. */
export interface KnownSnapshot {
  readonly manifest: SnapshotManifest;
  readonly pin?: SnapshotPin;
  /** Oldest first. */
  readonly proofs: readonly SnapshotProof[];
  /** When its group was last found unchanged. */
  readonly confirmed?: SnapshotConfirmation;
  /** Files that could not be read; an unreadable pin counts as a pin. */
  readonly problems: readonly string[];
}

export interface SnapshotListing {
  /** Newest first; last those dated in the future. */
  readonly readable: readonly KnownSnapshot[];
  readonly unreadable: readonly UnreadableSnapshot[];
  /** What lies directly in each folder, also in those without a manifest. */
  readonly folders: ReadonlyMap<string, ReadonlySet<string>>;
}

/** Every snapshot of the store. Throws what the store throws if it cannot be reached. */
export async function listSnapshots(snapshots: Snapshots, now = snapshots.now()): Promise<SnapshotListing> {
  const folders = await snapshots.folders();
  const entries = await mapLimited([...folders], STORE_READS_AT_A_TIME, async ([id, names]) =>
    names.has(MANIFEST) ? await readOne(snapshots, id, names) : undefined,
  );
  const there = entries.filter((entry) => entry !== undefined);
  const inOrder = newestFirst(now);
  return {
    readable: there.filter((entry) => 'manifest' in entry).sort((a, b) => inOrder(a.manifest, b.manifest)),
    unreadable: there.filter((entry) => 'why' in entry),
    folders,
  };
}

/** A backup with everything requested, and at least one item. */
export const isGood = ({
  kind,
  complete,
  rows,
}: Pick<SnapshotManifest, 'kind' | 'complete' | 'rows'>): boolean =>
  kind === 'backup' && complete && rows.saved > 0;

/**
 * The newest good snapshot of a route that was taken here, and not brought from another store. Each backup asks for it,
 * so it reads no more than the manifests: what else lies in a snapshot is not even listed, and a process reads the
 * manifests of other routes once.
 */
export async function lastGood(
  snapshots: Snapshots,
  route: string,
): Promise<Pick<KnownSnapshot, 'manifest'> | undefined> {
  const ids = (await snapshots.store.names(keys.snapshots)).filter((id) => snapshots.mayBeOf(route, id));
  const found = await mapLimited(ids, STORE_READS_AT_A_TIME, (id) => readManifest(snapshots, id));
  const manifests = found.flatMap((each) =>
    each && !('why' in each) && isLastOf(each, route) ? [each] : [],
  );
  const [manifest] = manifests.sort(newestFirst(snapshots.now()));
  return manifest && { manifest };
}

/** The same, from a listing. */
export const lastGoodIn = ({ readable }: SnapshotListing, route: string): KnownSnapshot | undefined =>
  readable.find(({ manifest }) => isLastOf(manifest, route));

/** The last good snapshot of each route. */
export function lastGoodByRoute({ readable }: SnapshotListing): ReadonlyMap<string, KnownSnapshot> {
  const found = new Map<string, KnownSnapshot>();
  for (const each of readable) {
    const { route } = each.manifest;
    if (!found.has(route) && isLastOf(each.manifest, route)) found.set(route, each);
  }
  return found;
}

const isLastOf = (manifest: SnapshotManifest, route: string): boolean =>
  manifest.route === route && isGood(manifest) && !manifest.imported;

/** One snapshot by its id. Throws what `Snapshots.read` throws. */
export async function readKnown(snapshots: Snapshots, id: string): Promise<KnownSnapshot> {
  return await withExtras(snapshots, await snapshots.read(id), new Set([PIN, PROOFS, CONFIRMED]));
}

/** @param names of what is read besides its manifest. @default all that is there */
export async function readOne(
  snapshots: Snapshots,
  id: string,
  names?: ReadonlySet<string>,
): Promise<KnownSnapshot | UnreadableSnapshot | undefined> {
  const manifest = await readManifest(snapshots, id);
  // Forgotten meanwhile.
  if (manifest === undefined || 'why' in manifest) return manifest;
  return await withExtras(
    snapshots,
    manifest,
    names ?? new Set(await snapshots.store.names(keys.snapshot(id))),
  );
}

/** Undefined if the folder holds no snapshot. */
export const readManifest = (
  snapshots: Snapshots,
  id: string,
): Promise<SnapshotManifest | UnreadableSnapshot | undefined> =>
  snapshots.find(id).catch((thrown: unknown) => whyUnreadable(id, thrown));

async function withExtras(
  snapshots: Snapshots,
  manifest: SnapshotManifest,
  names: ReadonlySet<string>,
): Promise<KnownSnapshot> {
  const { id } = manifest;
  const problems: string[] = [];
  const note = (thrown: unknown): undefined => {
    problems.push(whyUnreadable(id, thrown).why);
  };
  const pin = names.has(PIN)
    ? await snapshots.pinOf(id).catch((thrown: unknown): SnapshotPin => {
        note(thrown);
        return { at: manifest.createdAt, who: '?', reason: 'the pin is unreadable' };
      })
    : undefined;
  return {
    manifest,
    pin,
    proofs: names.has(PROOFS) ? ((await snapshots.proofsOf(id).catch(note)) ?? []) : [],
    confirmed: names.has(CONFIRMED) ? await snapshots.confirmationOf(id).catch(note) : undefined,
    problems,
  };
}
