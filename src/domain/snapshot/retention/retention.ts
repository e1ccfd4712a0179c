import { PortolanError } from '../../../model/errors/errors';
import { exactDuration } from '../../../model/text/exact-duration';
import { type RetentionPolicy, SAFEGUARD_STAYS_MS } from '../../../model/snapshot/retention';
import type { SnapshotManifest } from '../../../model/snapshot/snapshot';
import { isGood, type KnownSnapshot, newestFirst } from '../list-snapshots';

/** What retention has to know besides the snapshots themselves. */
export interface RetentionContext {
  /** @format milliseconds since the epoch */
  readonly now: number;
  /** Runs that can still go on; absent where that cannot be known. */
  readonly openRuns?: ReadonlySet<string>;
  /** When runs ended, as far as that was recorded. @format milliseconds since the epoch */
  readonly endedAt: ReadonlyMap<string, number>;
  /** Snapshots with which an open run works, and that run. */
  readonly inUse: ReadonlyMap<string, string>;
  /** @default SAFEGUARD_STAYS_MS */
  readonly safeguardsMs?: number;
}

export interface RetentionDecision {
  readonly snapshot: KnownSnapshot;
  readonly keep: boolean;
  /** Why it stays, each rule that keeps it; or why it goes. */
  readonly reasons: readonly string[];
}

/**
 * Which snapshots stay, with the reasons; newest first. Each route is looked at by itself.
 *
 * Only good backups count. One that is incomplete or empty pushes no other out: it stays until there is a newer good
 * one. The newest good one of a route, pinned ones, and those with which an open run works stay in any case; so do
 * those that came from another store, which belong to no schedule here. Safeguards have a rule of their own.
 *
 * @param policy absent: all backups stay, and the rule for safeguards alone is applied
 * @throws PortolanError RETENTION_EMPTY
 */
export function decide(
  snapshots: readonly KnownSnapshot[],
  policy: RetentionPolicy | undefined,
  context: RetentionContext,
): RetentionDecision[] {
  if (policy) requireRules(policy);
  const sorted = [...snapshots].sort((a, b) => newestFirst(a.manifest, b.manifest));
  const allSeries = seriesOf(sorted);
  const byRule = new Map(
    policy ? [...allSeries].map(([series, its]) => [series, keptByRules(its, policy)]) : [],
  );
  return sorted.map((snapshot): RetentionDecision => {
    const { manifest } = snapshot;
    const [newest] = allSeries.get(seriesKey(manifest)) ?? [];
    const held = holds(snapshot, newest, context);
    if (manifest.kind === 'safeguard') return weighSafeguard(snapshot, held, context);
    const reasons = [
      ...held,
      ...(manifest.imported ? ['came from another store'] : []),
      ...(byRule.get(seriesKey(manifest))?.get(manifest.id) ?? []),
      ...(policy ? tagReasons(manifest, policy) : ['no policy']),
    ];
    if (reasons.length > 0) return { snapshot, keep: true, reasons };
    if (counts(snapshot)) return { snapshot, keep: false, reasons: ['no rule keeps it'] };
    const what = manifest.rows.saved === 0 ? 'empty' : 'incomplete';
    return newest && newestFirst(newest.manifest, manifest) < 0
      ? { snapshot, keep: false, reasons: [`${what}, and a newer good one is there`] }
      : { snapshot, keep: true, reasons: [`${what}, and no newer good one yet`] };
  });
}

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

/**
 * Why a snapshot stays whatever the policy, and whoever asks for it to go; nothing where it may go.
 * @param newest the newest good one of its route
 */
export function holds(
  { manifest, pin }: KnownSnapshot,
  newest: KnownSnapshot | undefined,
  { inUse, openRuns, endedAt }: RetentionContext,
): string[] {
  const { id, kind, route, runId } = manifest;
  const user = inUse.get(id);
  return [
    ...(pin ? [pin.reason === undefined ? `pinned by ${pin.who}` : `pinned: ${pin.reason}`] : []),
    ...(user === undefined ? [] : [`in use by ${user}`]),
    ...(newest?.manifest.id === id ? [`last good of ${route}`] : []),
    ...(kind === 'safeguard' && openRuns?.has(runId) ? ['safeguard of an open run'] : []),
    ...(kind === 'safeguard' && !openRuns && !endedAt.has(runId)
      ? ['safeguard of a run that may be open']
      : []),
  ];
}

/** Snapshots that are weighed against each other: those of a route, and of `adhoc` those of one group. */
export const seriesKey = ({ route, source }: Pick<SnapshotManifest, 'route' | 'source'>): string =>
  route === 'adhoc' ? `adhoc ${source.url} ${source.groupId}` : route;

const counts = ({ manifest }: KnownSnapshot): boolean => isGood(manifest) && !manifest.imported;

/** Throws RETENTION_EMPTY. */
export function requireRules({ tags, ...rules }: RetentionPolicy): void {
  const given = Object.values(rules).filter((rule) => rule !== undefined && rule > 0);
  if (given.length === 0 && (tags ?? []).length === 0)
    throw new PortolanError(
      'RETENTION_EMPTY',
      'The policy has no rule, so it would keep nothing but the last good one.',
    );
}

function weighSafeguard(
  snapshot: KnownSnapshot,
  held: readonly string[],
  { now, endedAt, safeguardsMs = SAFEGUARD_STAYS_MS }: RetentionContext,
): RetentionDecision {
  const { runId, createdAt } = snapshot.manifest;
  // A run that was terminated has recorded no end.
  const ended = endedAt.get(runId) ?? Date.parse(createdAt);
  const time = exactDuration(safeguardsMs);
  if (held.length > 0) return { snapshot, keep: true, reasons: held };
  if (now - ended <= safeguardsMs)
    return { snapshot, keep: true, reasons: [`safeguard, for ${time} after its run`] };
  return { snapshot, keep: false, reasons: [`safeguard of a run that ended over ${time} ago`] };
}

const tagReasons = ({ tags }: SnapshotManifest, policy: RetentionPolicy): string[] =>
  tags.filter((tag) => policy.tags?.includes(tag)).map((tag) => `tag ${tag}`);

/** Reasons by id, of good snapshots of one route, newest first. */
function keptByRules(
  series: readonly KnownSnapshot[],
  policy: RetentionPolicy,
): ReadonlyMap<string, string[]> {
  const kept = new Map<string, string[]>();
  const add = ({ manifest }: KnownSnapshot, reason: string): void => {
    kept.set(manifest.id, [...(kept.get(manifest.id) ?? []), reason]);
  };
  const timeOf = ({ manifest }: KnownSnapshot): number => Date.parse(manifest.takenAt);
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
