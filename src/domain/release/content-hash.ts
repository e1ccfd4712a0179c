import type { ReleaseManifest } from '../../model/release/release';
import { packagesIn, type SnapshotManifest } from '../../model/snapshot/snapshot';
import { hashOfJson } from '../snapshot/hashing';

/** What tells a snapshot's content from another's, wherever it lies. */
export const contentOfSnapshot = (manifest: Pick<SnapshotManifest, 'rows' | 'package' | 'more'>): string =>
  hashOfJson([manifest.rows.sha256, packagesIn(manifest).map(({ sha256 }) => sha256)]);

/** The same of a release: all that it holds, and nothing of where or when. */
export const contentOfRelease = ({
  groups,
  settings,
  categories,
}: Pick<ReleaseManifest, 'groups'> &
  Partial<Record<'settings' | 'categories', { readonly sha256: string }>>): string =>
  hashOfJson([
    groups.map(({ name, sha256 }) => [name, sha256]),
    settings?.sha256 ?? null,
    categories?.sha256 ?? null,
  ]);
