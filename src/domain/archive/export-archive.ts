import { createHash, type KeyObject } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { rename, rm, stat } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { z } from 'zod';
import { PortolanError } from '../../model/errors/errors';
import type { NamedPackage, SnapshotManifest } from '../../model/snapshot/snapshot';
import { alteredAs } from '../../store/authentic/authentic-store';
import type { Store } from '../../store/store';
import { contentOfSnapshot } from '../release/releases';
import { hashed, hashOfText } from '../snapshot/hashing';
import type { Snapshots } from '../snapshot/snapshots';
import {
  type ArchiveHead,
  filesOf,
  folderOf,
  HEAD_NAME,
  HISTORY_MAX,
  ROWS_NAME,
  signatureBytes,
  tarHeader,
  tarPadding,
} from './archive-format';
import { fingerprintOf } from './signing-keys';

/** An entry of an archive. */
export interface ArchiveEntry {
  readonly name: string;
  readonly sizeBytes: number;
  /** Throws unless they are what the snapshot names. */
  readonly bytes: AsyncIterable<Uint8Array>;
}

interface WrittenArchive {
  readonly file: string;
  readonly sizeBytes: number;
  /** Of the public key. */
  readonly keySha256: string;
}

/** Writes a snapshot to a signed file. Throws SNAPSHOT_ALTERED, USAGE and NO_SPACE. */
export async function exportSnapshot(
  snapshots: Snapshots,
  id: string,
  file: string,
  key: KeyObject,
): Promise<WrittenArchive & { readonly id: string }> {
  const head = { snapshots: [await snapshots.read(id)] };
  return { id, ...(await writeArchive(file, head, entriesOf(snapshots, head), key)) };
}

/** Writes a release with its snapshots to a signed file. Throws RELEASE_ALTERED, and what `exportSnapshot` throws. */
export async function exportRelease(
  snapshots: Snapshots,
  id: string,
  file: string,
  key: KeyObject,
): Promise<WrittenArchive & { readonly id: string; readonly sha256: string; readonly groups: number }> {
  const { releases } = snapshots;
  const { manifest: release } = await releases.read(id);
  const { sha256, groups } = release;
  const manifests: SnapshotManifest[] = [];
  for (const group of groups) {
    const manifest = await snapshots.read(group.snapshotId);
    if (contentOfSnapshot(manifest) !== group.sha256)
      throw new PortolanError(
        'RELEASE_ALTERED',
        `snapshot ${manifest.id} is not the one release ${id} names for group "${group.name}"`,
      );
    manifests.push(manifest);
  }
  const history = (await releases.promotions.historyOf(release)).slice(-HISTORY_MAX);
  const head = { snapshots: manifests, release, history };
  const written = await writeArchive(file, head, entriesOf(snapshots, head), key);
  return { id, sha256, groups: groups.length, ...written };
}

async function* entriesOf(snapshots: Snapshots, head: ArchiveHead): AsyncGenerator<ArchiveEntry> {
  const { store } = snapshots;
  for (const [index, manifest] of head.snapshots.entries()) {
    const { id } = manifest;
    const rows = await snapshots.rowsOf(manifest);
    yield textEntry(folderOf(index) + ROWS_NAME, JSON.stringify(rows));
    for (const { name: own, key, sha256, sizeBytes } of filesOf(manifest, rows)) {
      const name = folderOf(index) + own;
      yield sizeBytes === undefined
        ? textEntry(name, await readText(store, id, { key, sha256 }))
        : { name, sizeBytes, bytes: readBytes(store, id, { key, sha256, sizeBytes }) };
    }
  }
}

type NamedFile = Pick<NamedPackage, 'key' | 'sha256'>;

async function readText(store: Store, id: string, { key, sha256 }: NamedFile): Promise<string> {
  const content = await store.readJson(key, z.unknown()).catch(alteredAs('SNAPSHOT_ALTERED'));
  const text = JSON.stringify(content) ?? '';
  if (hashOfText(text) !== sha256) throw altered(id, key, 'was modified');
  return text;
}

async function* readBytes(
  store: Store,
  id: string,
  { key, sizeBytes, sha256 }: NamedPackage,
): AsyncGenerator<Uint8Array> {
  const found = await store.openFile(key);
  if (found?.size !== sizeBytes)
    throw altered(id, key, found ? `has ${found.size} bytes, not ${sizeBytes}` : 'is missing');
  const hash = createHash('sha256');
  yield* hashed(found.open(0, sizeBytes) as AsyncIterable<Uint8Array>, hash);
  if (hash.digest('hex') !== sha256) throw altered(id, key, 'was modified');
}

const altered = (id: string, file: string, problem: string): PortolanError =>
  new PortolanError('SNAPSHOT_ALTERED', `${file} of snapshot ${id} ${problem}`, {
    hint: `Find out more: portolan snapshot verify ${id}`,
  });

export function textEntry(name: string, text: string): ArchiveEntry {
  const bytes = Buffer.from(text);
  return { name, sizeBytes: bytes.length, bytes: Readable.from([bytes]) };
}

/** Writes a new file. It appears only once it is complete. */
export async function writeArchive(
  file: string,
  head: ArchiveHead,
  entries: AsyncIterable<ArchiveEntry>,
  key: KeyObject,
): Promise<WrittenArchive> {
  if (await stat(file).catch(() => undefined))
    throw new PortolanError('USAGE', `${file} already exists`, { hint: 'Choose another file name.' });
  const draft = `${file}.part`;
  try {
    await pipeline(
      signed(JSON.stringify(head), entries, key),
      createWriteStream(draft, { mode: 0o600, flush: true }),
    );
    await rename(draft, file);
  } catch (thrown) {
    await rm(draft, { force: true });
    throw writeFailure(file, thrown);
  }
  return { file, sizeBytes: (await stat(file)).size, keySha256: fingerprintOf(key) };
}

async function* signed(
  head: string,
  entries: AsyncIterable<ArchiveEntry>,
  key: KeyObject,
): AsyncGenerator<Uint8Array> {
  const hash = createHash('sha256');
  yield* hashed(entryBytes(textEntry(HEAD_NAME, head)), hash);
  for await (const entry of entries) yield* hashed(entryBytes(entry), hash);
  yield signatureBytes({ bodySha256: hash.digest('hex'), headSha256: hashOfText(head) }, key);
}

async function* entryBytes({ name, sizeBytes, bytes }: ArchiveEntry): AsyncGenerator<Uint8Array> {
  yield tarHeader(name, sizeBytes);
  yield* bytes;
  yield tarPadding(sizeBytes);
}

function writeFailure(file: string, thrown: unknown): unknown {
  if (thrown instanceof PortolanError) return thrown;
  const { code } = thrown as NodeJS.ErrnoException;
  if (code === 'ENOSPC' || code === 'EDQUOT')
    return new PortolanError('NO_SPACE', `no space left for ${file}`, {
      hint: 'Free disk space there, or choose another disk.',
    });
  if (code === undefined) return thrown;
  return new PortolanError('USAGE', `${file} cannot be written (${code})`, { hint: 'Choose another file.' });
}
