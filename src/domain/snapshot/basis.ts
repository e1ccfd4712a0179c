import { z } from 'zod';
import {
  isPackaged,
  type LiveRow,
  namedPackage,
  type NamedPackage,
  packageOf,
  packagesIn,
  snapshotBase,
  type SnapshotManifest,
  snapshotRow,
  type SnapshotRow,
} from '../../model/snapshot/snapshot';
import type { RequestedItem } from '../../model/transfer/requested';
import { changesOf } from './compare-rows';
import { claimPackages, whyUnsound } from './packages';
import { isAhead } from './list-snapshots';
import type { Snapshots } from './snapshots';

/** A full backup is due this much earlier, because nights do not begin at the same second. */
const EARLY = { part: 0.1, atMostMs: 6 * 3_600_000 };

/** What a backup reuses of its parent snapshot: these items are not exported again. */
export const basis = z.object({
  since: snapshotBase.omit({ changed: true, added: true }),
  /** Unchanged items as the group lists them now; `package` is an index of `packages`. */
  rows: z.array(snapshotRow),
  packages: z.array(namedPackage),
});
export type Basis = z.infer<typeof basis>;

/** A backup that may have a parent snapshot. */
export interface NextBackup {
  readonly id: string;
  readonly requested: readonly RequestedItem[];
  readonly live: readonly LiveRow[];
  /** Another account or version may export the same items differently. */
  readonly account?: string;
  readonly version: string;
  readonly isChosen: boolean;
  /** Everything is exported again after this time. @format milliseconds */
  readonly fullEveryMs: number;
}

/** What is reused, or why everything is exported. */
type FoundBasis =
  | { readonly basis: Basis; readonly whole?: undefined }
  | { readonly basis?: undefined; readonly whole: string };

/**
 * What a backup reuses of the last good snapshot of its group: unchanged items whose package is there and not known to
 * be damaged. Claims these packages. If the address of a hosted service has changed, everything is exported, because
 * other items may refer to either address.
 */
export async function findBasis(
  snapshots: Snapshots,
  last: SnapshotManifest,
  before: readonly SnapshotRow[],
  next: NextBackup,
  now: number,
): Promise<FoundBasis> {
  const full = last.since?.full ?? { id: last.id, at: last.takenAt };
  const whole = fullBackupReason(last, full.at, next, now);
  if (whole !== undefined) return { whole };

  const live = new Map(next.live.map((row) => [row.itemId, row]));
  const moved = before.find(({ itemId, hosted, url }) => {
    const row = live.get(itemId);
    return hosted && row !== undefined && row.url !== url;
  });
  if (moved) return { whole: `the address of the service "${moved.title}" (${moved.itemId}) has changed` };

  const asked = new Set(next.requested.map(({ itemId }) => itemId));
  const because = changesOf(before, next.live);
  const same = before.filter(
    (row) =>
      asked.has(row.itemId) && live.has(row.itemId) && !because.has(row.itemId) && row.saved !== 'copy',
  );
  const sound: (NamedPackage | undefined)[] = [];
  for (const each of neededFor(last, same))
    if ((await whyUnsound(snapshots.store, each)) === undefined) sound.push(each);
  const stays = same.filter((row) => !isPackaged(row) || sound.includes(packageOf(last, row)));
  const packages = neededFor(last, stays);
  if (packages.length === 0) return { whole: `no item is unchanged since snapshot ${last.id}` };
  const found = packages.map((each) => ({ of: last.id, package: each }));
  if ((await claimPackages(snapshots, next.id, found)).length === 0)
    return { whole: `snapshot ${last.id} has been forgotten` };
  return {
    basis: {
      since: {
        id: last.id,
        full,
        removed: before.flatMap(({ itemId, type, title }) =>
          asked.has(itemId) ? [] : [{ itemId, type, title }],
        ),
      },
      rows: stays.map((row) => {
        const named = packageOf(last, row);
        const { saved, reason } = row;
        return { ...row, ...live.get(row.itemId), saved, reason, package: named && packages.indexOf(named) };
      }),
      packages,
    },
  };
}

/** What was exported; `package` of a row is an index of `packages`. */
interface Exported {
  readonly packages: readonly NamedPackage[];
  readonly rows: readonly SnapshotRow[];
}

/**
 * Rows and packages of a snapshot: exported ones, then reused ones.
 * @param order IDs of all items
 */
export function contentOf(
  taken: Basis | undefined,
  exported: Exported,
  order: readonly string[],
): Pick<SnapshotManifest, 'package' | 'more' | 'since'> & { readonly rows: SnapshotRow[] } {
  const saved = exported.rows.filter(isPackaged);
  const isNeeded = (_: NamedPackage, index: number): boolean =>
    !taken || saved.some((row) => (row.package ?? 0) === index);
  const added = exported.packages.filter(isNeeded);
  const [first, ...more] = [...added, ...(taken?.packages ?? [])];
  const placed = (row: SnapshotRow, place: (index: number) => number): SnapshotRow => ({
    ...row,
    package: (isPackaged(row) && place(row.package ?? 0)) || undefined,
  });
  const placeOf = (index: number): number => added.findIndex((each) => each === exported.packages[index]);
  const all = [
    ...exported.rows.map((row) => placed(row, placeOf)),
    ...(taken?.rows ?? []).map((row) => placed(row, (index) => index + added.length)),
  ];
  const byId = new Map(all.map((row) => [row.itemId, row]));
  return {
    package: first,
    more: more.length > 0 ? more : undefined,
    since: taken && { ...taken.since, changed: saved.length, added: added.length },
    rows: order.flatMap((itemId) => byId.get(itemId) ?? []),
  };
}

/** Why a snapshot cannot be confirmed although its group is unchanged. */
export async function whyBroken(
  snapshots: Snapshots,
  manifest: SnapshotManifest,
): Promise<string | undefined> {
  for (const each of packagesIn(manifest)) {
    const why = await whyUnsound(snapshots.store, each);
    if (why !== undefined) return `a package of snapshot ${manifest.id}: ${each.key} ${why}`;
  }
  return undefined;
}

function fullBackupReason(
  last: SnapshotManifest,
  fullAt: string,
  { account, version, isChosen, fullEveryMs }: NextBackup,
  now: number,
): string | undefined {
  const early = Math.min(fullEveryMs * EARLY.part, EARLY.atMostMs);
  if (last.account === undefined || last.account !== account)
    return `snapshot ${last.id} may have been exported by an account other than ${account ?? 'the current one'}`;
  if (last.source.version !== version) return `snapshot ${last.id} is from version ${last.source.version}`;
  if ((last.chosen ?? false) !== isChosen) return `snapshot ${last.id} has a different selection of items`;
  if (isAhead(last, now)) return `snapshot ${last.id} is dated in the future`;
  return now - Date.parse(fullAt) >= fullEveryMs - early
    ? `the last full backup was at ${fullAt}`
    : undefined;
}

/** The packages of these rows, in the order of their snapshot. */
function neededFor(manifest: SnapshotManifest, rows: readonly SnapshotRow[]): NamedPackage[] {
  const needed = new Set(rows.map((row) => packageOf(manifest, row)));
  return packagesIn(manifest).filter((each) => needed.has(each));
}
