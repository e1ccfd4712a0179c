import { createHash, type KeyObject } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { open, rename, rm, stat } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import { PortolanError } from '../../../model/errors/errors';
import { hashed, hashOfText } from '../hashing';
import type { ListedEntry } from './snapshot-file';
import { sealOf } from './seal';
import { fingerprintOf } from './signing-keys';
import { tarHeader, tarPadding } from './tar';

/** An entry of a file: what it has to be, and where it comes from. What is opened fails where it is not that. */
export interface ArchiveEntry extends ListedEntry {
  readonly open: () => Promise<AsyncIterable<Uint8Array>>;
}

/** A file that was written. */
export interface WrittenArchive {
  readonly file: string;
  readonly sizeBytes: number;
  /** Of the public key. */
  readonly keySha256: string;
}

/**
 * Writes entries into one signed file, a tar archive, as they come; a file that is there is not written over. It is
 * there only when all of it was right.
 * Throws USAGE and NO_SPACE besides what the entries throw.
 */
export async function writeArchive(
  file: string,
  entries: AsyncIterable<ArchiveEntry>,
  key: KeyObject,
): Promise<WrittenArchive> {
  if (await stat(file).catch(() => undefined))
    throw new PortolanError('USAGE', `${file} already exists`, { hint: 'Choose another file name.' });
  const draft = `${file}.part`;
  try {
    await pipeline(signed(entries, key), createWriteStream(draft, { mode: 0o600 }));
    await flush(draft);
    await rename(draft, file);
  } catch (thrown) {
    await rm(draft, { force: true });
    throw writeFailure(file, thrown);
  }
  return { file, sizeBytes: (await stat(file)).size, keySha256: fingerprintOf(key) };
}

export function textEntry(name: string, text: string): ArchiveEntry {
  const bytes = Buffer.from(text);
  return { name, sizeBytes: bytes.length, sha256: hashOfText(text), open: async () => only(bytes) };
}

async function* signed(entries: AsyncIterable<ArchiveEntry>, key: KeyObject): AsyncGenerator<Uint8Array> {
  const hash = createHash('sha256');
  yield* hashed(body(entries), hash);
  yield sealOf(hash.digest('hex'), key);
}

async function* body(entries: AsyncIterable<ArchiveEntry>): AsyncGenerator<Uint8Array> {
  for await (const { name, sizeBytes, open: opened } of entries) {
    yield tarHeader({ name, size: sizeBytes });
    yield* await opened();
    yield tarPadding(sizeBytes);
  }
}

async function* only(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}

async function flush(file: string): Promise<void> {
  const handle = await open(file, 'r+');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
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
