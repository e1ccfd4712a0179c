import type { PromotionEntry } from './promotion';

/** A release that is or was current in a stage. */
export interface Standing {
  readonly release: string;
  readonly sha256: string;
  /** Since when it was verified there; absent if never. @format milliseconds since the epoch */
  readonly verifiedAt?: number;
  /** When another release replaced it. @format milliseconds since the epoch @default it is current */
  readonly until?: number;
  /** The entry that promoted it; absent in the first stage. */
  readonly entry?: PromotionEntry;
}

/** The oldest first. A rollback follows what it undoes, also if the clock of the worker that ended it is behind. */
export function inOrder(entries: readonly PromotionEntry[]): PromotionEntry[] {
  const promotedAt = new Map<string, number>();
  for (const { kind, runId, at } of entries) if (kind === 'promoted') promotedAt.set(runId, Date.parse(at));
  const placeOf = ({ kind, runId, at, undoes = '' }: PromotionEntry): string => {
    const time = Math.max(Date.parse(at), promotedAt.get(undoes) ?? 0);
    return `${new Date(time).toISOString()} ${kind} ${runId}`;
  };
  return entries.toSorted((one, other) => compare(placeOf(one), placeOf(other)));
}

const compare = (one: string, other: string): number => Number(one > other) - Number(one < other);

/**
 * The releases promoted to a stage and not rolled back, in order; the last one is current.
 * @param entries of the stage, in any order
 */
export function standingsOf(entries: readonly PromotionEntry[]): Standing[] {
  const standings: Standing[] = [];
  for (const entry of inOrder(entries)) {
    const { kind, release, sha256, status, at, undoes } = entry;
    const last = standings.pop();
    if (kind === 'rolled-back') {
      // A partly rolled back release stays current, so that people see it.
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

/** Soak time counts only while it is current. */
function soakedOn({ verifiedAt, until }: Standing, at: string): number | undefined {
  if (verifiedAt === undefined || until === undefined) return verifiedAt;
  return Date.parse(at) - (until - verifiedAt);
}

/** Releases rolled back from a stage and not verified there since, by sha256. @param entries of it, in any order */
export function wentBack(entries: readonly PromotionEntry[]): ReadonlySet<string> {
  const back = new Set<string>();
  for (const { kind, sha256, status } of inOrder(entries))
    if (kind === 'rolled-back') back.add(sha256);
    else if (status === 'verified') back.delete(sha256);
  return back;
}

/** Longest uninterrupted time a release was verified in a stage; undefined if never. @format milliseconds */
export function soakedMs(standings: readonly Standing[], sha256: string, now: number): number | undefined {
  const times = standings
    .filter((each) => each.sha256 === sha256 && each.verifiedAt !== undefined)
    .map(({ verifiedAt = now, until = now }) => until - verifiedAt);
  return times.length === 0 ? undefined : Math.max(...times);
}
