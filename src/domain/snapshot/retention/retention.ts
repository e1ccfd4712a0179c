import { PortolanError } from '../../../model/errors/errors';
import { exactDuration } from '../../../model/text/words';
import {
  type RetentionPolicy,
  SAFEGUARD_STAYS_MS,
  type SnapshotManifest,
} from '../../../model/snapshot/snapshot';
import { isGood, type KnownSnapshot, isAhead, newestFirst, takenMs } from '../list-snapshots';

/** Facts for retention besides the snapshots. */
export interface RetentionContext {
  /** @format milliseconds since the epoch */
  readonly now: number;
  /** Open runs; absent if unknown. */
  readonly openRuns?: ReadonlySet<string>;
  /** End of runs, if recorded. @format milliseconds since the epoch */
  readonly endedAt: ReadonlyMap<string, number>;
  /** Snapshots in use by an open run, with that run. */
  readonly inUse: ReadonlyMap<string, string>;
  /** Snapshots in a release, with that release. */
  readonly released: ReadonlyMap<string, string>;
  /** Runs whose safeguards a stage rollback would need, with that stage. */
  readonly waysBack: ReadonlyMap<string, string>;
}

export interface RetentionDecision {
  readonly snapshot: KnownSnapshot;
  readonly keep: boolean;
  /** Reasons to keep it, one per rule, or the reason to forget it. */
  readonly reasons: readonly string[];
}

/**
 * Which snapshots stay, with the reasons; newest first. Each route is decided by itself.
 *
 * Only good backups that were taken here count. An incomplete or empty one replaces no other, and stays until there is a
 * newer good one. Whatever the policy: `heldReasons` keep a snapshot, and so does a store from which it was imported.
 * One dated in the future stays and is not counted, so that a wrong clock makes no other old. Safeguards have a rule of
 * their own.
 *
 * @param policy if absent, all backups stay
 * @throws PortolanError RETENTION_EMPTY
 */
export function decide(
  snapshots: readonly KnownSnapshot[],
  policy: RetentionPolicy | undefined,
  context: RetentionContext,
): RetentionDecision[] {
  if (policy) requireRules(policy);
  const { now } = context;
  const inOrder = newestFirst(now);
  const sorted = [...snapshots].sort((a, b) => inOrder(a.manifest, b.manifest));
  const held = heldReasons(sorted, context);
  const byRule = new Map<string, readonly string[]>();
  const newestGood = new Map<string, SnapshotManifest>();
  for (const [key, series] of seriesOf(sorted.filter(counts))) {
    const counted = series.filter(({ manifest }) => !isAhead(manifest, now));
    if (counted[0]) newestGood.set(key, counted[0].manifest);
    if (policy) for (const [id, reasons] of keptByRules(counted, policy)) byRule.set(id, reasons);
  }
  return sorted.map((snapshot): RetentionDecision => {
    const { manifest } = snapshot;
    const { id, kind, imported, tags, rows } = manifest;
    if (kind === 'safeguard') return decideSafeguard(snapshot, held.get(id) ?? [], context);
    const reasons = [
      ...(held.get(id) ?? []),
      ...(imported ? ['imported from another store'] : []),
      ...(isAhead(manifest, now) ? ['dated in the future'] : []),
      ...(byRule.get(id) ?? []),
      ...(policy
        ? tags.filter((tag) => policy.tags?.includes(tag)).map((tag) => `tag ${tag}`)
        : ['no policy']),
    ];
    if (reasons.length > 0) return { snapshot, keep: true, reasons };
    if (counts(snapshot)) return { snapshot, keep: false, reasons: ['no rule matches'] };
    const what = rows.saved === 0 ? 'empty' : 'incomplete';
    const newest = newestGood.get(seriesKey(manifest));
    return newest && inOrder(newest, manifest) < 0
      ? { snapshot, keep: false, reasons: [`${what}, and a newer good one exists`] }
      : { snapshot, keep: true, reasons: [`${what}, but no newer good one exists yet`] };
  });
}

/**
 * Reasons to keep snapshots against any policy or request, by ID; none for one that can be forgotten.
 * @param sorted newest first
 */
export function heldReasons(
  sorted: readonly KnownSnapshot[],
  { inUse, openRuns, endedAt, released, waysBack }: RetentionContext,
): ReadonlyMap<string, readonly string[]> {
  const needed = neededByRoute(sorted);
  return new Map(
    sorted.map(({ manifest: { id, kind, runId }, pin }) => {
      const user = inUse.get(id);
      const release = released.get(id);
      const stage = kind === 'safeguard' ? waysBack.get(runId) : undefined;
      const reasons = [
        ...(pin ? [pin.reason === undefined ? `pinned by ${pin.who}` : `pinned: ${pin.reason}`] : []),
        ...(release === undefined ? [] : [`part of release ${release}`]),
        ...(stage === undefined ? [] : [`needed to roll back ${stage}`]),
        ...(user === undefined ? [] : [`in use by ${user}`]),
        ...(needed.get(id) ?? []),
        ...(kind === 'safeguard' && openRuns?.has(runId) ? ['safeguard of an open run'] : []),
        ...(kind === 'safeguard' && !openRuns && !endedAt.has(runId)
          ? ['safeguard of a run that may be open']
          : []),
      ];
      return [id, reasons] as const;
    }),
  );
}

/** The last good snapshot of each route, the last proven one, and the last proven by an import. */
function neededByRoute(sorted: readonly KnownSnapshot[]): ReadonlyMap<string, ReadonlySet<string>> {
  const needed = new Map<string, Set<string>>();
  const add = (snapshot: KnownSnapshot | undefined, what: string): void => {
    if (!snapshot) return;
    const { id, route } = snapshot.manifest;
    needed.set(id, (needed.get(id) ?? new Set()).add(`${what} of ${route}`));
  };
  const backups = sorted.filter(({ manifest }) => manifest.kind === 'backup');
  for (const series of seriesOf(backups).values()) {
    add(series.find(counts), 'last good');
    const proven = series.filter(({ proofs }) => proofs.length > 0);
    // One from another store proves nothing about those taken here.
    const own = proven.filter(({ manifest }) => !manifest.imported);
    const those = own.length > 0 ? own : proven;
    add(those[0], 'last proven restorable');
    const imported = those.find(({ proofs }) => proofs.some(({ level }) => level === 'imported'));
    add(imported, 'last proven restorable');
  }
  return needed;
}

/** Snapshots of each route in the given order; of `adhoc` those of each group. */
function seriesOf(sorted: readonly KnownSnapshot[]): ReadonlyMap<string, readonly KnownSnapshot[]> {
  const all = new Map<string, KnownSnapshot[]>();
  for (const snapshot of sorted) {
    const key = seriesKey(snapshot.manifest);
    all.set(key, [...(all.get(key) ?? []), snapshot]);
  }
  return all;
}

const seriesKey = ({ route, source }: SnapshotManifest): string =>
  route === 'adhoc' ? `adhoc ${source.url} ${source.groupId}` : route;

/** A good backup that was taken here. */
const counts = ({ manifest }: KnownSnapshot): boolean => isGood(manifest) && !manifest.imported;

/** Throws RETENTION_EMPTY. */
export function requireRules({ tags, ...rules }: RetentionPolicy): void {
  const given = Object.values(rules).filter((rule) => rule !== undefined && rule > 0);
  if (given.length === 0 && (tags ?? []).length === 0)
    throw new PortolanError(
      'RETENTION_EMPTY',
      'The policy has no rule, so it would keep only the last good snapshot.',
    );
}

function decideSafeguard(
  snapshot: KnownSnapshot,
  held: readonly string[],
  { now, endedAt }: RetentionContext,
): RetentionDecision {
  const { runId, createdAt } = snapshot.manifest;
  // A terminated run has recorded no end.
  const ended = endedAt.get(runId) ?? Date.parse(createdAt);
  const time = exactDuration(SAFEGUARD_STAYS_MS);
  if (held.length > 0) return { snapshot, keep: true, reasons: held };
  if (now - ended <= SAFEGUARD_STAYS_MS)
    return { snapshot, keep: true, reasons: [`safeguard, kept for ${time} after its run`] };
  return { snapshot, keep: false, reasons: [`safeguard of a run that ended more than ${time} ago`] };
}

/** Reasons by ID. @param series of one route, newest first */
function keptByRules(
  series: readonly KnownSnapshot[],
  policy: RetentionPolicy,
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
      const bucket = bucketOf(new Date(snapshot.manifest.takenAt));
      if (seen.has(bucket)) continue;
      if (seen.size >= most) break;
      seen.add(bucket);
      add(snapshot, `${rule} ${bucket}`);
    }
  }
  const { withinMs = 0 } = policy;
  const [newest] = series;
  for (const snapshot of newest && withinMs > 0 ? series : []) {
    if (newest && takenMs(newest.manifest) - takenMs(snapshot.manifest) < withinMs)
      add(snapshot, `within ${exactDuration(withinMs)}`);
  }
  return kept;
}

/** The period of each rule, in UTC. */
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
