import type { KeyObject } from 'node:crypto';
import type { ReleasedGroup, ReleaseManifest } from '../../../model/release/release';
import { formatOf, type SnapshotManifest } from '../../../model/snapshot/snapshot';
import { PortolanError } from '../../../model/errors/errors';
import {
  type ArchiveEntry,
  textEntry,
  writeArchive,
  type WrittenArchive,
} from '../../snapshot/archive/archive-file';
import { snapshotEntries } from '../../snapshot/archive/export-snapshot';
import type { Snapshots } from '../../snapshot/snapshots';
import { contentOfSnapshot } from '../content-hash';
import { entryNames, HISTORY_MAX, releaseFiles, type ReleaseHead } from './release-file';

export interface ExportedRelease extends WrittenArchive {
  readonly id: string;
  readonly sha256: string;
  readonly groups: number;
}

/**
 * Writes a release with its snapshots, settings and categories into one signed file, a group after the other.
 * Throws RELEASE_ALTERED where a snapshot is not the one that it names, besides what reading release and snapshots and
 * `writeArchive` throw.
 */
export async function exportRelease(
  snapshots: Snapshots,
  id: string,
  file: string,
  key: KeyObject,
): Promise<ExportedRelease> {
  const { manifest } = await snapshots.releases.read(id);
  const written = await writeArchive(file, entriesOf(snapshots, manifest), key);
  return { id, sha256: manifest.sha256, groups: manifest.groups.length, ...written };
}

async function* entriesOf(snapshots: Snapshots, release: ReleaseManifest): AsyncGenerator<ArchiveEntry> {
  const beside: ArchiveEntry[] = [];
  for (const name of ['settings', 'categories'] as const) {
    const held = release[name];
    if (!held) continue;
    const content = await snapshots.releases.contentOf(held);
    beside.push(textEntry(entryNames[name], JSON.stringify(content)));
  }
  let snapshotFormat = 1;
  for (const group of release.groups)
    snapshotFormat = Math.max(snapshotFormat, formatOf(await snapshotOf(snapshots, release, group)));
  const head: ReleaseHead = {
    format: releaseFiles.newest,
    snapshotFormat,
    release,
    promotions: (await snapshots.releases.promotions.historyOf(release)).slice(-HISTORY_MAX),
    files: beside.map(({ name, sizeBytes, sha256 }) => ({ name, sizeBytes, sha256 })),
  };
  yield textEntry(entryNames.head, JSON.stringify(head));
  yield* beside;
  for (const [index, group] of release.groups.entries()) {
    const manifest = await snapshotOf(snapshots, release, group);
    for await (const entry of snapshotEntries(snapshots, manifest))
      yield { ...entry, name: entryNames.group(index) + entry.name };
  }
}

async function snapshotOf(
  snapshots: Snapshots,
  { id }: ReleaseManifest,
  { name, snapshotId, sha256 }: ReleasedGroup,
): Promise<SnapshotManifest> {
  const manifest = await snapshots.read(snapshotId);
  if (contentOfSnapshot(manifest) === sha256) return manifest;
  throw new PortolanError(
    'RELEASE_ALTERED',
    `snapshot ${snapshotId} is not the one release ${id} names for group "${name}"`,
  );
}
