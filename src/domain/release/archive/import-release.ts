import type { KeyObject } from 'node:crypto';
import { z } from 'zod';
import { PortolanError } from '../../../model/errors/errors';
import type { ReleasedGroup, ReleaseManifest } from '../../../model/release/release';
import { snapshotRow } from '../../../model/snapshot/snapshot';
import { keys } from '../../../store/keys';
import { commitImported } from '../../snapshot/archive/commit-imported';
import { type EntryReader, safeId } from '../../snapshot/archive/entry-reader';
import { comingIn, sameOrRefused, takeFiles } from '../../snapshot/archive/import-snapshot';
import { readSigned, type SignedFile } from '../../snapshot/archive/signed-file';
import { snapshotFiles } from '../../snapshot/archive/snapshot-file';
import { dropUnfinished } from '../../snapshot/retention/forget';
import type { NewSnapshot, Snapshots } from '../../snapshot/snapshots';
import { contentOfRelease, contentOfSnapshot } from '../content-hash';
import { entryNames, releaseFiles, type ReleaseHead, releaseHead } from './release-file';

export interface ImportedRelease {
  readonly manifest: ReleaseManifest;
  /** It was in the store before, with the same content. */
  readonly wasThere: boolean;
  /** Of the public key with which its signature was checked. */
  readonly keySha256: string;
  /** Stages of the other site whose history was taken in. */
  readonly stages: readonly string[];
}

export interface ReleaseImport {
  /**
   * Take in what became of it in the stages of the other site, which from then on count as stages to which it came. One
   * that this store knows itself stays as it is. @default false
   */
  readonly history?: boolean;
}

/**
 * Takes a release out of a signed file into the store: first the files of all its snapshots, then, once the last byte
 * was what it should be, these snapshots, and the release at the end, under the store's own key. What is there already
 * stays. Importing again what is there changes nothing.
 * Throws RELEASE_ALTERED, RELEASE_UNTRUSTED, RELEASE_NEWER, USAGE.
 */
export async function importRelease(
  snapshots: Snapshots,
  file: string,
  trusted: readonly KeyObject[],
  { history = false }: ReleaseImport = {},
): Promise<ImportedRelease> {
  return await readSigned(file, trusted, releaseFiles, async (signed) => {
    const { reader, keySha256 } = signed;
    const head = await reader.head(entryNames.head, releaseFiles.newest, releaseHead);
    reader.requireKnown(head.snapshotFormat, snapshotFiles.newest);
    requireSound(head, reader);
    const { releases } = snapshots;
    const found = await releases.find(head.release.id);
    const manifest = found ? sameRelease(found, head, file) : await takeIn(snapshots, head, signed, file);
    const imported = { at: new Date().toISOString(), keySha256 };
    const stages = history ? await releases.promotions.takeIn(head.promotions ?? [], imported) : [];
    return { manifest, wasThere: found !== undefined, keySha256, stages };
  });
}

async function takeIn(
  snapshots: Snapshots,
  { release, files }: ReleaseHead,
  { reader, keySha256, requireSame }: SignedFile,
  file: string,
): Promise<ReleaseManifest> {
  const beside = new Map<string, unknown>();
  for (const entry of files) beside.set(entry.name, await reader.json(entry, z.unknown()));
  const begun = new Map<string, NewSnapshot>();
  try {
    for (const [index, group] of release.groups.entries()) {
      reader.enter(entryNames.group(index));
      await takeGroup(snapshots, group, { reader, keySha256, file, begun });
    }
    await reader.end();
    requireSame();
    for (const snapshot of begun.values()) {
      const rows = await snapshots.store.readJson(keys.snapshotRows(snapshot.id), z.array(snapshotRow));
      await commitImported(snapshots, snapshot, rows ?? []);
    }
    for (const { snapshotId, sha256 } of release.groups)
      if (contentOfSnapshot(await snapshots.read(snapshotId)) !== sha256) throw reader.unexpected(snapshotId);
    return await snapshots.releases.takeIn(
      { ...release, imported: { at: new Date().toISOString(), keySha256 } },
      { settings: beside.get(entryNames.settings), categories: beside.get(entryNames.categories) },
    );
  } catch (thrown) {
    for (const id of begun.keys()) await dropUnfinished(snapshots, id);
    throw thrown;
  }
}

/** Takes in the files of a group's snapshot, and notes that it has yet to be committed; one that is there stays. */
async function takeGroup(
  snapshots: Snapshots,
  { snapshotId, sha256 }: ReleasedGroup,
  {
    reader,
    keySha256,
    file,
    begun,
  }: Pick<SignedFile, 'reader' | 'keySha256'> & {
    readonly file: string;
    readonly begun: Map<string, NewSnapshot>;
  },
): Promise<void> {
  const head = await reader.snapshotHead(snapshotFiles.newest);
  if (head.manifest.id !== snapshotId || contentOfSnapshot(head.manifest) !== sha256)
    throw reader.unexpected(head.manifest.id);
  const found = await snapshots.find(snapshotId);
  if (found) {
    sameOrRefused(found, head, file);
    return await reader.pass(head.files);
  }
  const coming = await comingIn(snapshots, head, keySha256);
  begun.set(snapshotId, coming);
  const rows = await takeFiles(snapshots, head, coming, reader);
  // Until all of the file was read: the rows of one group at a time are in memory.
  await snapshots.store.writeJson(keys.snapshotRows(snapshotId), rows);
}

/** That the head says one thing: the sha256 is that of what it names, and the entries beside are those. */
function requireSound({ release, files, promotions = [] }: ReleaseHead, reader: EntryReader): void {
  if (!safeId.test(release.id)) throw reader.unexpected(release.id);
  for (const { pipeline, stage, runId } of promotions)
    if (pipeline !== release.pipeline || ![pipeline, stage, runId].every((id) => safeId.test(id)))
      throw reader.unexpected(`its history of ${stage}`);
  if (contentOfRelease(release) !== release.sha256) throw reader.unexpected(entryNames.head);
  const held = (['settings', 'categories'] as const).filter((name) => release[name]);
  const isListed =
    files.length === held.length &&
    held.every(
      (name, at) => files[at]?.name === entryNames[name] && files[at].sha256 === release[name]?.sha256,
    );
  if (!isListed) throw reader.unexpected(entryNames.head);
}

function sameRelease(found: ReleaseManifest, { release }: ReleaseHead, file: string): ReleaseManifest {
  if (found.sha256 === release.sha256 && found.runId === release.runId) return found;
  throw new PortolanError('USAGE', `the store already has a different release ${release.id} than ${file}`, {
    hint: `Compare them: portolan release show ${release.id}`,
  });
}
