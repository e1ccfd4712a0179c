import {
  addedBytes,
  bytesIn,
  packagesIn,
  type SnapshotBase,
  type SnapshotPin,
  type SnapshotProof,
  type SnapshotSource,
} from '../../model/snapshot/snapshot';
import { isGood, type KnownSnapshot, type SnapshotListing } from '../../domain/snapshot/list-snapshots';
import { agedAt, type ClockDoubt, clockDoubt } from '../../domain/snapshot/snapshot-age';

/** A snapshot in one line, for people and programs. */
export interface SnapshotView {
  readonly id: string;
  readonly kind: 'backup' | 'safeguard';
  readonly route: string;
  /** From when its age counts: the earlier of what its portal's clock said and ours when it was kept. */
  readonly takenAt: string;
  /** @format milliseconds */
  readonly ageMs: number;
  /** Items that are saved in it. */
  readonly items: number;
  /** Items that its group had, or that were asked for. */
  readonly requested: number;
  /** Of all its packages; absent where there is none. */
  readonly sizeBytes?: number;
  /** Of `sizeBytes`, what it added to the store; the rest it shares with those on which it builds. */
  readonly addedBytes?: number;
  /** Of the first package. */
  readonly sha256?: string;
  readonly packages: number;
  /** The snapshot on which it builds; absent where everything was exported. */
  readonly since?: SnapshotBase;
  readonly complete: boolean;
  /** Counts for retention and alarms: a backup that is complete and not empty. */
  readonly good: boolean;
  readonly tags: readonly string[];
  readonly source: SnapshotSource;
  readonly scheduledBy?: string;
  readonly pin?: SnapshotPin;
  /** What showed last that it can be restored. */
  readonly proof?: SnapshotProof;
  /** When its group was last found as it is in it. */
  readonly confirmedAt?: string;
  /** When it came from another store. */
  readonly importedAt?: string;
  /** Where the portal's clock and ours disagree about it. */
  readonly clock?: ClockDoubt;
  /** What beside its manifest could not be read. */
  readonly problems: readonly string[];
}

/** One whose manifest cannot be read. */
export interface UnreadableView {
  readonly id: string;
  readonly unreadable: { readonly code: string; readonly why: string };
}

export function snapshotView(
  { manifest, pin, proofs, confirmed, problems }: KnownSnapshot,
  now: number,
): SnapshotView {
  const { id, kind, route, rows, package: named, since, complete, tags, source, scheduledBy } = manifest;
  const taken = agedAt(manifest);
  return {
    id,
    kind,
    route,
    takenAt: new Date(taken).toISOString(),
    ageMs: Math.max(0, now - taken),
    items: rows.saved,
    requested: rows.count,
    sizeBytes: named && bytesIn(manifest),
    addedBytes: named && addedBytes(manifest),
    sha256: named?.sha256,
    packages: packagesIn(manifest).length,
    since,
    complete,
    good: isGood(manifest),
    tags,
    source,
    scheduledBy,
    pin,
    proof: proofs.at(-1),
    confirmedAt: confirmed?.at,
    importedAt: manifest.imported?.at,
    clock: clockDoubt(manifest, now),
    problems,
  };
}

export const unreadableViews = ({ unreadable }: SnapshotListing): UnreadableView[] =>
  unreadable.map(({ id, code, why }) => ({ id, unreadable: { code, why } }));
