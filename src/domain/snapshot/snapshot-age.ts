import type { SnapshotConfirmation, SnapshotManifest } from '../../model/snapshot/snapshot';

/** Clocks of two machines that are right differ by less. @format milliseconds */
const SKEW_MS = 5 * 60_000;
/**
 * A run keeps a package sooner after it was made. Where more lies between, the portal's clock is behind, or the line was
 * slow or the run stopped for a while: nobody can tell which, so both readings count. @format milliseconds
 */
const SOON_MS = 3_600_000;
/** Hardly any run takes so long between the two: who looks is told. @format milliseconds */
const BEHIND_MS = 7 * 86_400_000;
/** The last moment that a manifest can name: years have four digits. @format milliseconds since the epoch */
const LAST_MS = Date.UTC(9999, 11, 31, 23, 59, 59, 999);

type Times = Pick<SnapshotManifest, 'takenAt' | 'createdAt'>;

/**
 * When a package was made, as a manifest has it: in the portal's words where they are a time, else by our own clock.
 * Portals write 0 or -1 for a time that they do not know.
 * @param madeAt what the portal says @format milliseconds since the epoch
 * @param now our own clock @format milliseconds since the epoch
 */
export const takenAtOf = (madeAt: number | undefined, now: number): string =>
  new Date(madeAt !== undefined && madeAt > 0 && madeAt <= LAST_MS ? madeAt : now).toISOString();

/**
 * The moment from which a snapshot's age counts: the earlier of what its portal said and of our own clock when it was
 * kept. A portal whose clock is ahead makes a snapshot no younger than it is.
 * @format milliseconds since the epoch
 */
export const agedAt = ({ takenAt, createdAt }: Times): number =>
  Math.min(Date.parse(takenAt), Date.parse(createdAt));

/** When it was kept, by our own clock alone. @format milliseconds since the epoch */
export const keptAt = ({ createdAt }: Times): number => Date.parse(createdAt);

/**
 * The same where a portal's clock that is behind is not believed. One that came from another store is as old as it says.
 * @format milliseconds since the epoch
 */
export const ownTime = (manifest: Times & Pick<SnapshotManifest, 'imported'>): number =>
  !manifest.imported && keptAt(manifest) - agedAt(manifest) > SOON_MS ? keptAt(manifest) : agedAt(manifest);

/** Kept at a time that has not come yet by the clock of this machine: how old it is cannot be said. */
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
 * When the group was last known to be as it is in the snapshot; undefined where all that is known of that is ahead of
 * our clock.
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

/** What is wrong with the times of a snapshot. */
export interface ClockDoubt {
  readonly clock: 'ahead' | 'behind';
  readonly words: string;
}

/** Undefined where the portal's clock and ours agree as clocks do. One from another store is as old as it says. */
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

/** A warning of what a portal said of a package that was just made; undefined where its clock agrees with ours. */
export function portalClockWarning(madeAt: number | undefined, now: number): string | undefined {
  if (madeAt === undefined || madeAt <= 0) return undefined;
  const createdAt = new Date(now).toISOString();
  if (!(madeAt <= LAST_MS)) return aheadWords(`${madeAt} ms`, createdAt);
  return clockDoubt({ takenAt: takenAtOf(madeAt, now), createdAt }, now)?.words;
}

const aheadWords = (said: string, kept: string): string =>
  `the portal's clock said ${said}, in the future; its age counts from ${kept}, when it was saved`;
