import { PortolanError } from '../../../model/errors/errors';
import { exactDuration } from '../../../model/text/exact-duration';
import { type RetentionPolicy, SAFEGUARD_STAYS_MS } from '../../../model/snapshot/retention';
import type { SnapshotManifest } from '../../../model/snapshot/snapshot';
import type { KnownSnapshot } from '../list-snapshots';
import { isAhead, newestFirst, ownTime } from '../snapshot-age';
import { keptByEitherClock } from './kept-by-rules';
import { counts, seriesKey, seriesOf, type Standing, standingOf } from './series';

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
 * Which snapshots stay, with the reasons; newest first. Each route is looked at by itself.
 *
 * Only good backups count. One that is incomplete or empty pushes no other out: it stays until there is a newer good
 * one. The newest good one of a route, the last that was proven restorable, pinned ones, those with which an open run
 * works, and safeguards to which a stage would go back stay in any case; so do those that came from another store, which
 * belong to no schedule here. Safeguards have a rule of their own.
 *
 * No clock that is wrong makes anything go: a snapshot is as old as the earlier of its portal's clock and ours says;
 * where the portal's is behind by over an hour, what either of the two would keep stays; and one that was kept in a time that has
 * not come yet stays, and is not counted.
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
  const { now } = context;
  const inOrder = newestFirst(now);
  const sorted = [...snapshots].sort((a, b) => inOrder(a.manifest, b.manifest));
  const standing = standingOf(sorted, now);
  const allSeries = seriesOf(sorted);
  const byRule = new Map(
    policy ? [...allSeries.values()].flatMap((its) => [...keptByEitherClock(its, { policy, now })]) : [],
  );
  return sorted.map((snapshot): RetentionDecision => {
    const { manifest } = snapshot;
    const held = holds(snapshot, standing, context);
    if (manifest.kind === 'safeguard') return weighSafeguard(snapshot, held, context);
    const reasons = [
      ...held,
      ...(manifest.imported ? ['imported from another store'] : []),
      ...(isAhead(manifest, now) ? ['dated in the future'] : []),
      ...(byRule.get(manifest.id) ?? []),
      ...(policy ? tagReasons(manifest, policy) : ['no policy']),
    ];
    if (reasons.length > 0) return { snapshot, keep: true, reasons };
    if (counts(snapshot)) return { snapshot, keep: false, reasons: ['no rule matches'] };
    const what = manifest.rows.saved === 0 ? 'empty' : 'incomplete';
    return isOutdone(snapshot, allSeries.get(seriesKey(manifest)) ?? [], now)
      ? { snapshot, keep: false, reasons: [`${what}, and a newer good one exists`] }
      : { snapshot, keep: true, reasons: [`${what}, but no newer good one exists yet`] };
  });
}

/** Whether a good one of its route is newer, by either clock where the two disagree. */
function isOutdone({ manifest }: KnownSnapshot, series: readonly KnownSnapshot[], now: number): boolean {
  const inOrder = newestFirst(now);
  return (
    series.some((good) => inOrder(good.manifest, manifest) < 0) &&
    series.some((good) => ownTime(good.manifest) >= ownTime(manifest))
  );
}

/**
 * Reasons to keep a snapshot against any policy or request; empty if it can be forgotten.
 * @param standing of all snapshots of its route
 */
export function holds(
  { manifest, pin }: KnownSnapshot,
  standing: Standing,
  { inUse, openRuns, endedAt, released, waysBack }: RetentionContext,
): string[] {
  const { id, kind, runId } = manifest;
  const user = inUse.get(id);
  const release = released.get(id);
  const stage = kind === 'safeguard' ? waysBack.get(runId) : undefined;
  return [
    ...(pin ? [pin.reason === undefined ? `pinned by ${pin.who}` : `pinned: ${pin.reason}`] : []),
    ...(release === undefined ? [] : [`part of release ${release}`]),
    ...(stage === undefined ? [] : [`needed to roll back ${stage}`]),
    ...(user === undefined ? [] : [`in use by ${user}`]),
    ...(standing.get(id) ?? []),
    ...(kind === 'safeguard' && openRuns?.has(runId) ? ['safeguard of an open run'] : []),
    ...(kind === 'safeguard' && !openRuns && !endedAt.has(runId)
      ? ['safeguard of a run that may be open']
      : []),
  ];
}

/** Throws RETENTION_EMPTY. */
export function requireRules({ tags, ...rules }: RetentionPolicy): void {
  const given = Object.values(rules).filter((rule) => rule !== undefined && rule > 0);
  if (given.length === 0 && (tags ?? []).length === 0)
    throw new PortolanError(
      'RETENTION_EMPTY',
      'The policy has no rule, so it would keep only the last good snapshot.',
    );
}

function weighSafeguard(
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

const tagReasons = ({ tags }: SnapshotManifest, policy: RetentionPolicy): string[] =>
  tags.filter((tag) => policy.tags?.includes(tag)).map((tag) => `tag ${tag}`);
