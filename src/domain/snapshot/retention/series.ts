import type { SnapshotManifest } from '../../../model/snapshot/snapshot';
import { isGood, type KnownSnapshot } from '../list-snapshots';
import { isAhead, ownTime } from '../snapshot-age';

/** Snapshots that are weighed against each other: those of a route, and of `adhoc` those of one group. */
export const seriesKey = ({ route, source }: Pick<SnapshotManifest, 'route' | 'source'>): string =>
  route === 'adhoc' ? `adhoc ${source.url} ${source.groupId}` : route;

/** A good backup that was taken here. */
export const counts = ({ manifest }: KnownSnapshot): boolean => isGood(manifest) && !manifest.imported;

/** The good ones of each route that count, in the order that is given. */
export function seriesOf(sorted: readonly KnownSnapshot[]): ReadonlyMap<string, readonly KnownSnapshot[]> {
  const allSeries = new Map<string, KnownSnapshot[]>();
  for (const snapshot of sorted.filter(counts)) {
    const series = allSeries.get(seriesKey(snapshot.manifest));
    if (series) series.push(snapshot);
    else allSeries.set(seriesKey(snapshot.manifest), [snapshot]);
  }
  return allSeries;
}

/** Newest first by our own clock, without those whose time has not come yet. */
export const byOwnClock = (series: readonly KnownSnapshot[], now: number): KnownSnapshot[] =>
  series
    .filter(({ manifest }) => !isAhead(manifest, now))
    .map((snapshot) => ({ snapshot, at: ownTime(snapshot.manifest) }))
    .sort((a, b) => b.at - a.at)
    .map(({ snapshot }) => snapshot);

/** Why snapshots stay for what they are to their route, by their ids. */
export type Standing = ReadonlyMap<string, readonly string[]>;

/**
 * The last good one of each route, by either clock where the two disagree, and the last that was proven restorable,
 * by a whole import and at all.
 * @param sorted newest first
 * @param now our own clock @format milliseconds since the epoch
 */
export function standingOf(sorted: readonly KnownSnapshot[], now: number): Standing {
  const standing = new Map<string, string[]>();
  const add = (snapshot: KnownSnapshot | undefined, what: string): void => {
    if (!snapshot) return;
    const { id, route } = snapshot.manifest;
    standing.set(id, [...new Set([...(standing.get(id) ?? []), `${what} of ${route}`])]);
  };
  for (const [, series] of seriesOf(sorted)) {
    add(series[0], 'last good');
    add(byOwnClock(series, now)[0], 'last good');
  }
  const backups = sorted.filter(({ manifest }) => manifest.kind === 'backup');
  for (const key of new Set(backups.map(({ manifest }) => seriesKey(manifest)))) {
    const proven = backups.filter(({ manifest, proofs }) => seriesKey(manifest) === key && proofs.length > 0);
    // One from another store proves nothing of those that are taken here.
    const own = proven.filter(({ manifest }) => !manifest.imported);
    const those = own.length > 0 ? own : proven;
    add(those[0], 'last proven restorable');
    add(
      those.find(({ proofs }) => proofs.some(({ level }) => level === 'imported')),
      'last proven restorable',
    );
  }
  return standing;
}
