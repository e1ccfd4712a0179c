import type { SnapshotConfirmation, SnapshotManifest } from '../../model/snapshot/snapshot';

/** Tolerated difference of two clocks. @format milliseconds */
const SKEW_MS = 5 * 60_000;
/**
 * A run keeps a package sooner after it was made. Where more lies between, the portal's clock is behind, or the line was
 * slow or the run stopped for a while: nobody can tell which, so both readings count. @format milliseconds
 */
const SOON_MS = 3_600_000;
/** Difference above which people are warned. @format milliseconds */
const BEHIND_MS = 7 * 86_400_000;
/** The last moment that a manifest can name: years have four digits. @format milliseconds since the epoch */
const LAST_MS = Date.UTC(9999, 11, 31, 23, 59, 59, 999);

type Times = Pick<SnapshotManifest, 'takenAt' | 'createdAt'>;

/**
 * When a package was created, as stored in a manifest: the portal's time if valid, else our clock's. Portals send 0
 * or -1 for an unknown time.
 * @param madeAt what the portal says @format milliseconds since the epoch
 * @param now our own clock @format milliseconds since the epoch
 */
export const takenAtOf = (madeAt: number | undefined, now: number): string =>
  new Date(madeAt !== undefined && madeAt > 0 && madeAt <= LAST_MS ? madeAt : now).toISOString();

/**
 * When a snapshot's age starts: the earlier of the portal's time and our clock when it was saved. A fast portal
 * clock makes no snapshot younger.
 * @format milliseconds since the epoch
 */
export const agedAt = ({ takenAt, createdAt }: Times): number =>
  Math.min(Date.parse(takenAt), Date.parse(createdAt));

/** When it was saved, by our own clock. @format milliseconds since the epoch */
export const keptAt = ({ createdAt }: Times): number => Date.parse(createdAt);

/**
 * Like `agedAt`, but ignores a slow portal clock. An imported snapshot is as old as it says.
 * @format milliseconds since the epoch
 */
export const ownTime = (manifest: Times & Pick<SnapshotManifest, 'imported'>): number =>
  !manifest.imported && keptAt(manifest) - agedAt(manifest) > SOON_MS ? keptAt(manifest) : agedAt(manifest);

/** Saved at a future time by this machine's clock: its age is unknown. */
export const isAhead = (times: Times, now: number): boolean => agedAt(times) > now + SKEW_MS;

/**
 * Newest first; those of one moment in the order in which they were committed, and last those whose age cannot be said:
 * nothing is older because of them.
 * @param now our own clock @format milliseconds since the epoch
 */
export const newestFirst =
  (now: number) =>
  (a: Times & { readonly id: string }, b: Times & { readonly id: string }): number =>
    Number(isAhead(a, now)) - Number(isAhead(b, now)) ||
    agedAt(b) - agedAt(a) ||
    keptAt(b) - keptAt(a) ||
    (a.id < b.id ? 1 : -1);

/**
 * When the group was last known to match the snapshot; undefined if all known times are in the future.
 * @format milliseconds since the epoch
 */
export function heldAt(
  { manifest, confirmed }: { readonly manifest: Times; readonly confirmed?: SnapshotConfirmation },
  now: number,
): number | undefined {
  const moments = [agedAt(manifest), ...(confirmed ? [Date.parse(confirmed.at)] : [])];
  const known = moments.filter((moment) => moment <= now + SKEW_MS);
  return known.length === 0 ? undefined : Math.max(...known);
}

/** A problem with the times of a snapshot. */
export interface ClockDoubt {
  readonly clock: 'ahead' | 'behind';
  readonly words: string;
}

/** Undefined if the portal's clock and ours agree. An imported snapshot is as old as it says. */
export function clockDoubt(
  manifest: Times & Pick<SnapshotManifest, 'imported'>,
  now: number,
): ClockDoubt | undefined {
  const { takenAt, createdAt, imported } = manifest;
  if (isAhead(manifest, now))
    return {
      clock: 'ahead',
      words: `saved at ${createdAt}, in the future by this machine's clock; it is kept, and no rule counts it`,
    };
  const behindMs = keptAt(manifest) - Date.parse(takenAt);
  if (behindMs < -SKEW_MS) return { clock: 'ahead', words: aheadWords(takenAt, createdAt) };
  if (behindMs > BEHIND_MS && !imported)
    return {
      clock: 'behind',
      words: `the portal's clock said ${takenAt}, over a week before it was saved at ${createdAt}; it is kept if either time would keep it`,
    };
  return undefined;
}

/** A warning about a portal's time for a new package; undefined if its clock agrees with ours. */
export function portalClockWarning(madeAt: number | undefined, now: number): string | undefined {
  if (madeAt === undefined || madeAt <= 0) return undefined;
  const createdAt = new Date(now).toISOString();
  if (!(madeAt <= LAST_MS)) return aheadWords(`${madeAt} ms`, createdAt);
  return clockDoubt({ takenAt: takenAtOf(madeAt, now), createdAt }, now)?.words;
}

const aheadWords = (said: string, kept: string): string =>
  `the portal's clock said ${said}, in the future; its age counts from ${kept}, when it was saved`;
