import type { Config } from '../../../config/config';
import { groupBy } from '../../../model/group-by';
import { mapLimited } from '../../../model/map-limited';
import { isOfRule, subjectOfRunId } from '../../../model/run/run-id';
import type { SnapshotProof } from '../../../model/snapshot/snapshot';
import { CONFIRMED, keys, PROOFS } from '../../../store/keys';
import { STORE_READS_AT_A_TIME } from '../../../store/store';
import { heldAt, isAhead, isGood, type KnownSnapshot, newestFirst, readOne } from '../list-snapshots';
import { isSafeguard, type NamedSnapshot, namedSnapshots } from '../named-snapshots';
import type { Snapshots } from '../snapshots';

/** How well a route is backed up. */
export interface RouteState {
  readonly route: string;
  readonly lastGood?: {
    readonly id: string;
    /** From when its age counts. */
    readonly takenAt: string;
    /** When its group was last found as it is in it. */
    readonly confirmedAt?: string;
    /** Since it was taken, or confirmed; 0 where that is ahead of our clock. @format milliseconds */
    readonly ageMs: number;
    /** All that is known of when it was good is ahead of our clock, so that its age cannot be said. */
    readonly ahead?: true;
  };
  /** How old that may be. @format milliseconds */
  readonly maxAgeMs?: number;
  /** Older than it may be, of an age that cannot be said, or not there at all where it should be. */
  readonly overdue: boolean;
  /** The newest snapshot that was shown to be restorable, and by what last. */
  readonly lastProven?: { readonly id: string; readonly takenAt: string; readonly proof: SnapshotProof };
}

/** How old the last good snapshot of each route may be; undefined where nobody said. @format milliseconds */
export const maxAgesOf = ({ routes }: Config): ReadonlyMap<string, number | undefined> =>
  new Map([...routes].map(([name, { backup }]) => [name, backup.maxAgeMs]));

/** How well routes are backed up. Of the groups of rules, the rules' own documents tell it. */
export async function statesOfRoutes(
  config: Config,
  snapshots: Snapshots,
  now: number,
): Promise<RouteState[]> {
  const named = (await namedSnapshots(snapshots, now)).filter(({ id }) => !isOfRule(id));
  return await readRouteStates(snapshots, named, maxAgesOf(config), now);
}

/**
 * How well the routes of these snapshots are backed up. Reads of each route its newest good snapshot and its newest
 * proven one, and what was taken since.
 * @param named newest first
 */
export async function readRouteStates(
  snapshots: Snapshots,
  named: readonly NamedSnapshot[],
  maxAges: ReadonlyMap<string, number | undefined>,
  now: number,
): Promise<RouteState[]> {
  const { store } = snapshots;
  const proven = new Set(
    (await store.names(keys.provenSnapshots)).flatMap((name) => keys.idOfIndexed(name) ?? []),
  );
  const backups = named.filter(({ id }) => !isSafeguard(id));
  const series = groupBy(backups, ({ id }) => seriesOf(id));
  const known = await mapLimited([...series.values()], STORE_READS_AT_A_TIME, (each) =>
    readLast(snapshots, each, proven, now),
  );
  const inOrder = newestFirst(now);
  return routeStates(
    known.flat().sort((one, other) => inOrder(one.manifest, other.manifest)),
    maxAges,
    now,
  );
}

/** Backups of one route, or of a numbered group of a pipeline, have this in common. */
const seriesOf = (id: string): string => {
  const subject = subjectOfRunId(id);
  return subject === undefined ? id : `${subject} ${/_\d+$/.exec(id)?.[0] ?? ''}`;
};

/** Of a series, newest first. */
async function readLast(
  snapshots: Snapshots,
  series: readonly NamedSnapshot[],
  proven: ReadonlySet<string>,
  now: number,
): Promise<KnownSnapshot[]> {
  const known: KnownSnapshot[] = [];
  let [isBackedUp, isProven] = [false, false];
  for (const { id } of series) {
    const mayProve = proven.has(id) && !isProven;
    if (isBackedUp && !mayProve) continue;
    const each = await readOne(snapshots, id, new Set(mayProve ? [CONFIRMED, PROOFS] : [CONFIRMED]));
    if (!each || 'why' in each) continue;
    known.push(each);
    const { manifest } = each;
    isBackedUp ||= isGood(manifest) && !manifest.imported && !isAhead(manifest, now);
    isProven ||= each.proofs.length > 0;
  }
  return known;
}

/**
 * The routes that have snapshots, and those whose age is watched, in the order of their names.
 * @param snapshots newest first
 * @param maxAges as `maxAgesOf` gives them
 */
export function routeStates(
  snapshots: readonly KnownSnapshot[],
  maxAges: ReadonlyMap<string, number | undefined>,
  now: number,
): RouteState[] {
  const backups = groupBy(
    snapshots.filter(({ manifest }) => manifest.kind === 'backup'),
    ({ manifest }) => manifest.route,
  );
  const watched = [...maxAges].filter(([, maxAge]) => maxAge !== undefined).map(([route]) => route);
  const routes = new Set([...backups.keys(), ...watched]);
  return [...routes].sort().map((route): RouteState => {
    const its = backups.get(route) ?? [];
    const good = its.filter(({ manifest }) => isGood(manifest) && !manifest.imported);
    const lastGood = good[0] && goodState(good[0], now);
    const proven = its.find(({ proofs }) => proofs.length > 0);
    const proof = proven?.proofs.at(-1);
    const maxAgeMs = maxAges.get(route);
    return {
      route,
      lastGood,
      maxAgeMs,
      overdue:
        maxAgeMs !== undefined &&
        (lastGood === undefined || lastGood.ahead === true || lastGood.ageMs > maxAgeMs),
      lastProven: proven && proof && { id: proven.manifest.id, takenAt: proven.manifest.takenAt, proof },
    };
  });
}

function goodState(snapshot: KnownSnapshot, now: number): RouteState['lastGood'] {
  const { manifest, confirmed } = snapshot;
  const held = heldAt(snapshot, now);
  const age = held === undefined ? { ageMs: 0, ahead: true as const } : { ageMs: Math.max(0, now - held) };
  return { id: manifest.id, takenAt: manifest.takenAt, confirmedAt: confirmed?.at, ...age };
}
