import { createHash, type Hash, type KeyObject } from 'node:crypto';
import type { FileHandle } from 'node:fs/promises';
import { hashed } from '../hashing';
import { EntryReader } from './entry-reader';
import { openRegularFile } from './regular-file';
import { alteredFile, readSeal, SEAL_BYTES, type SortOfArchive } from './seal';

/** A file of which every byte was what one of the trusted keys has signed. */
export interface SignedFile {
  readonly reader: EntryReader;
  /** Of the public key with which its signature was checked. */
  readonly keySha256: string;
  /** Once all was read: that it was the same as when it was compared with its signature. */
  readonly requireSame: () => void;
}

/**
 * Reads a signed file, twice: first the whole of it is compared with its signature, and nothing else done; then its
 * entries are given to whoever takes them in.
 * Throws the sort's codes, and USAGE.
 */
export async function readSigned<T>(
  file: string,
  trusted: readonly KeyObject[],
  sort: SortOfArchive,
  takeIn: (signed: SignedFile) => Promise<T>,
): Promise<T> {
  const { handle, size } = await openRegularFile(file, 'Name the exported file.');
  try {
    const bodyBytes = size - SEAL_BYTES;
    const end = bodyBytes <= 0 ? Buffer.alloc(0) : await readAt(handle, bodyBytes, SEAL_BYTES);
    const { bodySha256, keySha256 } = readSeal(file, end, trusted, sort);
    const body = (hash: Hash): AsyncGenerator<Uint8Array> =>
      hashed(
        handle.createReadStream({
          start: 0,
          end: bodyBytes - 1,
          highWaterMark: 512 * 1024,
          autoClose: false,
        }),
        hash,
      );
    const first = createHash('sha256');
    for await (const _ of body(first));
    if (first.digest('hex') !== bodySha256) throw alteredFile(file, sort);

    const second = createHash('sha256');
    const reader = new EntryReader(file, body(second), sort);
    const requireSame = (): void => {
      if (second.digest('hex') !== bodySha256) throw alteredFile(file, sort);
    };
    try {
      return await takeIn({ reader, keySha256, requireSame });
    } finally {
      await reader.close();
    }
  } finally {
    await handle.close();
  }
}

async function readAt(handle: FileHandle, position: number, length: number): Promise<Buffer> {
  const { buffer, bytesRead } = await handle.read(Buffer.alloc(length), 0, length, position);
  return buffer.subarray(0, bytesRead);
}
