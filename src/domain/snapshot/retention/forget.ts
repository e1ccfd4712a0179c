import { PortolanError } from '../../../model/errors/errors';
import type { RetentionPolicy } from '../../../model/snapshot/retention';
import { keys } from '../../../store/keys';
import { listSnapshots, type SnapshotListing, type KnownSnapshot } from '../list-snapshots';
import type { UnreadableSnapshot } from '../unreadable';
import { snapshotKeys } from '../snapshot-keys';
import { decide, holds, type RetentionContext, type RetentionDecision } from './retention';
import { standingOf } from './series';
import { runFacts } from './run-facts';
import type { Snapshots } from '../snapshots';
import { tidy, type Tidied } from './tidy';
import { packagesIn } from '../../../model/snapshot/snapshot';

/** Whom a policy is asked of, and what is known of the runs. */
export interface RetentionRequest {
  /** Snapshots of this route only. */
  readonly route: string;
  /** Absent: all backups stay, and only safeguards whose time is over go. */
  readonly policy?: RetentionPolicy;
  /** Runs that can still go on, by Temporal; absent where it cannot be asked. */
  readonly openRuns?: ReadonlySet<string>;
  /** How long safeguards stay once their run has ended. @format milliseconds @default 30 days */
  readonly safeguardsMs?: number;
  /** @format milliseconds since the epoch @default now */
  readonly now?: number;
}

/** What a policy decides, and nothing done yet. */
export interface RetentionPlan {
  readonly decisions: readonly RetentionDecision[];
  /** Of any route: which one they belong to cannot be read. They stay. */
  readonly unreadable: readonly UnreadableSnapshot[];
  /** Packages of what goes that stay, since others need them. */
  readonly needed: readonly NeededPackage[];
}

export interface Forgotten extends Tidied {
  readonly forgotten: readonly string[];
}

/** What a policy came to, in plain figures and words. */
export interface RetentionResult {
  readonly kept: number;
  readonly forgotten: number;
  /** Bytes of packages that were removed. */
  readonly freedBytes: number;
  readonly decisions: readonly {
    readonly id: string;
    readonly keep: boolean;
    readonly reasons: readonly string[];
  }[];
  readonly unreadable: readonly string[];
  readonly notes: readonly string[];
}

/** Applies a route's policy: decides, forgets, and tidies what an earlier one left. Throws RETENTION_EMPTY. */
export async function forgetByPolicy(
  snapshots: Snapshots,
  request: RetentionRequest,
): Promise<RetentionResult> {
  const { decisions, unreadable } = await planByPolicy(snapshots, request);
  const going = decisions.filter(({ keep }) => !keep).map(({ snapshot }) => snapshot.manifest.id);
  const { forgotten, freedBytes, notes } = await forget(snapshots, going, request);
  return {
    kept: decisions.length - forgotten.length,
    forgotten: forgotten.length,
    freedBytes,
    decisions: decisions.map(({ snapshot, keep, reasons }) => ({ id: snapshot.manifest.id, keep, reasons })),
    unreadable: unreadable.map(({ id }) => id),
    notes,
  };
}

/** What a policy would keep and forget of a route, newest first. Throws RETENTION_EMPTY. */
export async function planByPolicy(snapshots: Snapshots, request: RetentionRequest): Promise<RetentionPlan> {
  const { readable, unreadable } = await listSnapshots(snapshots, request.now);
  const ofRoute = readable.filter(({ manifest }) => manifest.route === request.route);
  const context = await contextOf(snapshots, ofRoute, request);
  const decisions = decide(ofRoute, request.policy, context);
  const going = decisions.filter(({ keep }) => !keep).map(({ snapshot }) => snapshot.manifest.id);
  return { decisions, unreadable, needed: neededPackages(readable, new Set(going)) };
}

/**
 * That these snapshots, named by their ids, are to go. Throws RELEASE_ALTERED, SNAPSHOT_PINNED and SNAPSHOT_NEEDED where one of them
 * has to stay, and SNAPSHOT_NOT_FOUND. One that was altered may go.
 */
export async function planByIds(
  snapshots: Snapshots,
  ids: readonly string[],
  request: Pick<RetentionRequest, 'openRuns' | 'now'>,
): Promise<RetentionPlan> {
  const { readable, unreadable } = await listSnapshots(snapshots, request.now);
  const context = await contextOf(snapshots, readable, request);
  const standing = standingOf(readable, context.now);
  const chosen = readable.filter(({ manifest }) => ids.includes(manifest.id));
  const altered = unreadable.filter(({ id }) => ids.includes(id));
  for (const id of ids) {
    if (![...chosen.map(({ manifest }) => manifest.id), ...altered.map((each) => each.id)].includes(id))
      throw new PortolanError(
        'SNAPSHOT_NOT_FOUND',
        `no snapshot ${id} in the store at ${snapshots.store.where}`,
      );
  }
  const held = chosen.flatMap((snapshot) => {
    const reasons = holds(snapshot, standing, context);
    return reasons.length === 0
      ? []
      : [{ snapshot, words: `${snapshot.manifest.id}: ${reasons.join('; ')}` }];
  });
  if (held.length > 0) {
    const code = held.every(({ snapshot }) => snapshot.pin) ? 'SNAPSHOT_PINNED' : 'SNAPSHOT_NEEDED';
    throw new PortolanError(code, `nothing was forgotten; ${held.map(({ words }) => words).join('\n')}`);
  }
  return {
    decisions: chosen.map((snapshot) => ({ snapshot, keep: false, reasons: ['named'] })),
    unreadable: altered,
    needed: neededPackages(readable, new Set(ids)),
  };
}

/**
 * Removes snapshots: the manifest first, so that there is never half a one. Then what nothing names any more is
 * tidied away, of these and of what was left before.
 */
export async function forget(
  snapshots: Snapshots,
  ids: readonly string[],
  { openRuns, now = Date.now() }: Pick<RetentionRequest, 'openRuns' | 'now'>,
): Promise<Forgotten> {
  const { store } = snapshots;
  const released = await snapshots.releases.held();
  const forgotten: string[] = [];
  const notes: string[] = [];
  for (const id of ids) {
    // Between a decision and its end a person may have taken their time.
    if (await snapshots.isPinned(id)) {
      notes.push(`${id} has been pinned meanwhile and is kept`);
      continue;
    }
    const release = released.get(id);
    if (release !== undefined) {
      notes.push(`${id} belongs to release ${release} and is kept`);
      continue;
    }
    await store.writeJson(snapshotKeys.forgotten(id), { at: new Date(now).toISOString() });
    await store.remove(keys.snapshotManifest(id));
    forgotten.push(id);
  }
  const tidied = await tidy(snapshots, { openRuns, now });
  return { ...tidied, forgotten, notes: [...notes, ...tidied.notes] };
}

async function contextOf(
  { store, releases }: Snapshots,
  snapshots: SnapshotListing['readable'],
  { openRuns, safeguardsMs, now = Date.now() }: Omit<RetentionRequest, 'route'>,
): Promise<RetentionContext> {
  const [released, waysBack] = await Promise.all([releases.held(), releases.promotions.waysBack()]);
  return { now, openRuns, safeguardsMs, released, waysBack, ...(await runFacts(store, snapshots, openRuns)) };
}

/** A package of a snapshot that goes, which stays since others that stay need it. */
export interface NeededPackage {
  readonly sha256: string;
  readonly sizeBytes: number;
  /** Snapshots that name it and go. */
  readonly of: readonly string[];
  /** Snapshots that name it and stay, in the order that is given. */
  readonly neededBy: readonly string[];
}

/** Packages that do not go with their snapshots. @param snapshots all of the store, since routes share bytes */
function neededPackages(
  snapshots: readonly Pick<KnownSnapshot, 'manifest'>[],
  going: ReadonlySet<string>,
): NeededPackage[] {
  const byKey = new Map<string, { sha256: string; sizeBytes: number; of: string[]; neededBy: string[] }>();
  for (const { manifest } of snapshots) {
    for (const { key, sha256, sizeBytes } of packagesIn(manifest)) {
      const known = byKey.get(key) ?? { sha256, sizeBytes, of: [], neededBy: [] };
      byKey.set(key, known);
      (going.has(manifest.id) ? known.of : known.neededBy).push(manifest.id);
    }
  }
  return [...byKey.values()].filter(({ of, neededBy }) => of.length > 0 && neededBy.length > 0);
}
