import { packagesIn } from '../../../model/snapshot/snapshot';
import type { KnownSnapshot } from '../list-snapshots';

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
export function neededPackages(
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
