import type { PromotionEntry } from './promotion';

/** A release as it stands, or stood, in a stage. */
export interface Standing {
  readonly release: string;
  readonly sha256: string;
  /** Since when it stood verified there; absent where it was never so. @format milliseconds since the epoch */
  readonly verifiedAt?: number;
  /** When another one took its place. @format milliseconds since the epoch @default it stands there */
  readonly until?: number;
  /** What brought it there; absent in the first stage, where it was made. */
  readonly entry?: PromotionEntry;
}

/**
 * The releases that came to a stage and were not rolled back, in their order; the last one stands there.
 * @param entries the oldest first
 */
export function standingsOf(entries: readonly PromotionEntry[]): Standing[] {
  const standings: Standing[] = [];
  for (const entry of entries) {
    const { kind, release, sha256, status, at, undoes } = entry;
    const last = standings.pop();
    if (kind === 'rolled-back') {
      // One that was not undone as a whole still stands there, as somebody has to see.
      if (last && (last.entry?.runId !== undoes || status === 'failed'))
        standings.push(status === 'failed' ? { ...last, verifiedAt: undefined } : last);
      const back = standings.pop();
      if (back) standings.push({ ...back, until: undefined, verifiedAt: soakedOn(back, at) });
      continue;
    }
    if (last) standings.push({ ...last, until: Date.parse(at) });
    standings.push({
      ...{ release, sha256, entry },
      ...(status === 'verified' && { verifiedAt: Date.parse(at) }),
    });
  }
  return standings;
}

/** For how long it has stood there counts; the time that another one stood in its place does not. */
function soakedOn({ verifiedAt, until }: Standing, at: string): number | undefined {
  if (verifiedAt === undefined || until === undefined) return verifiedAt;
  return Date.parse(at) - (until - verifiedAt);
}

/**
 * Releases that went back from a stage and have not stood verified there since, by their sha256.
 * @param entries the oldest first
 */
export function wentBack(entries: readonly PromotionEntry[]): ReadonlySet<string> {
  const back = new Set<string>();
  for (const { kind, sha256, status } of entries)
    if (kind === 'rolled-back') back.add(sha256);
    else if (status === 'verified') back.delete(sha256);
  return back;
}

/**
 * For how long a release has stood verified in a stage, at most at one time; undefined where it never did.
 * @format milliseconds
 */
export function soakedMs(standings: readonly Standing[], sha256: string, now: number): number | undefined {
  const times = standings
    .filter((each) => each.sha256 === sha256 && each.verifiedAt !== undefined)
    .map(({ verifiedAt = now, until = now }) => until - verifiedAt);
  return times.length === 0 ? undefined : Math.max(...times);
}
