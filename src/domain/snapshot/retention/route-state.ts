import type { Config } from '../../../config/config';
import type { SnapshotProof } from '../../../model/snapshot/snapshot';
import { isGood, type KnownSnapshot, heldAt } from '../list-snapshots';

/** How well a route is backed up. */
export interface RouteState {
  readonly route: string;
  /** Good snapshots that were taken here. */
  readonly good: number;
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
  const backups = new Map<string, KnownSnapshot[]>();
  for (const each of snapshots) {
    const { kind, route } = each.manifest;
    if (kind !== 'backup') continue;
    const its = backups.get(route);
    if (its) its.push(each);
    else backups.set(route, [each]);
  }
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
      good: good.length,
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
