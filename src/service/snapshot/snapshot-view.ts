import type { SnapshotView, UnreadableView } from '../../contract/snapshots';
import { addedBytes, bytesIn, packagesIn } from '../../model/snapshot/snapshot';
import { isGood, type KnownSnapshot, isAhead } from '../../domain/snapshot/list-snapshots';
import type { UnreadableSnapshot } from '../../domain/snapshot/unreadable';

/** A snapshot in one line. @param now our own clock @format milliseconds since the epoch */
export function snapshotView(
  { manifest, pin, proofs, confirmed, problems }: KnownSnapshot,
  now: number,
): SnapshotView {
  const { id, kind, route, rows, package: named, since, complete, tags, source, scheduledBy } = manifest;
  return {
    id,
    kind,
    route,
    takenAt: manifest.takenAt,
    ageMs: Math.max(0, now - Date.parse(manifest.takenAt)),
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
    ahead: isAhead(manifest, now) || undefined,
    problems,
  };
}

export const unreadableView = ({ id, code, why }: UnreadableSnapshot): UnreadableView => ({
  id,
  unreadable: { code, why },
});
