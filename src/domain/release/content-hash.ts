import type { ReleaseManifest } from '../../model/release/release';
import { packagesIn, type SnapshotManifest } from '../../model/snapshot/snapshot';
import { hashOfJson } from '../snapshot/hashing';

/** What tells a snapshot's content from another's, wherever it lies. */
export const contentOfSnapshot = (manifest: Pick<SnapshotManifest, 'rows' | 'package' | 'more'>): string =>
  hashOfJson([manifest.rows.sha256, packagesIn(manifest).map(({ sha256 }) => sha256)]);

/** Hash of what a release holds, which does not depend on where or when it was made. */
export const contentOfRelease = ({
  groups,
  settings,
  categories,
}: Pick<ReleaseManifest, 'groups' | 'settings' | 'categories'>): string =>
  hashOfJson([groups.map(({ name, sha256 }) => [name, sha256]), settings?.content, categories?.content]);
