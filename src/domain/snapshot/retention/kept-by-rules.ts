import { exactDuration } from '../../../model/text/exact-duration';
import type { RetentionPolicy } from '../../../model/snapshot/retention';
import type { KnownSnapshot } from '../list-snapshots';
import { agedAt, isAhead, ownTime } from '../snapshot-age';
import { byOwnClock } from './series';

/** When a snapshot was taken, in milliseconds since the epoch. */
type Clock = (snapshot: Pick<KnownSnapshot, 'manifest'>) => number;

/** What the rules keep where portals' clocks are believed, and what they keep where those that are behind are not. */
export function keptByEitherClock(
  series: readonly KnownSnapshot[],
  { policy, now }: { readonly policy: RetentionPolicy; readonly now: number },
): ReadonlyMap<string, readonly string[]> {
  const counted = series.filter(({ manifest }) => !isAhead(manifest, now));
  const kept = new Map(keptByRules(counted, policy, ({ manifest }) => agedAt(manifest)));
  if (counted.every(({ manifest }) => ownTime(manifest) === agedAt(manifest))) return kept;
  for (const [id, reasons] of keptByRules(byOwnClock(counted, now), policy, (each) => ownTime(each.manifest)))
    kept.set(id, [...new Set([...(kept.get(id) ?? []), ...reasons])]);
  return kept;
}

/** Reasons by id, of good snapshots of one route, newest first by that clock. */
function keptByRules(
  series: readonly KnownSnapshot[],
  policy: RetentionPolicy,
  timeOf: Clock,
): ReadonlyMap<string, string[]> {
  const kept = new Map<string, string[]>();
  const add = ({ manifest }: KnownSnapshot, reason: string): void => {
    kept.set(manifest.id, [...(kept.get(manifest.id) ?? []), reason]);
  };
  const last = policy.last ?? 0;
  series.slice(0, last).forEach((snapshot, at) => add(snapshot, `last ${at + 1} of ${last}`));
  for (const [rule, bucketOf] of Object.entries(buckets)) {
    const most = policy[rule as keyof typeof buckets] ?? 0;
    const seen = new Set<string>();
    for (const snapshot of series) {
      const bucket = bucketOf(new Date(timeOf(snapshot)));
      if (seen.has(bucket)) continue;
      if (seen.size >= most) break;
      seen.add(bucket);
      add(snapshot, `${rule} ${bucket}`);
    }
  }
  const { withinMs = 0 } = policy;
  const [newest] = series;
  for (const snapshot of newest && withinMs > 0 ? series : []) {
    if (newest && timeOf(newest) - timeOf(snapshot) < withinMs)
      add(snapshot, `within ${exactDuration(withinMs)}`);
  }
  return kept;
}

/** What each rule takes for one and the same, in UTC. */
const buckets = {
  hourly: (at: Date) => `${at.toISOString().slice(0, 13).replace('T', ' ')}h`,
  daily: (at: Date) => at.toISOString().slice(0, 10),
  weekly: isoWeek,
  monthly: (at: Date) => at.toISOString().slice(0, 7),
  yearly: (at: Date) => at.toISOString().slice(0, 4),
} as const;

/** `2026-W47`: a week begins on Monday and belongs to the year of its Thursday. */
function isoWeek(at: Date): string {
  const day = (at.getUTCDay() + 6) % 7;
  const thursday = new Date(Date.UTC(at.getUTCFullYear(), at.getUTCMonth(), at.getUTCDate() - day + 3));
  const first = Date.UTC(thursday.getUTCFullYear(), 0, 1);
  const week = 1 + Math.floor((thursday.getTime() - first) / (7 * 86_400_000));
  return `${thursday.getUTCFullYear()}-W${String(week).padStart(2, '0')}`;
}
