import type { SnapshotConfirmation, SnapshotManifest } from '../../model/snapshot/snapshot';

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
