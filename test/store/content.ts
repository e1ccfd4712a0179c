import { createCipheriv } from 'node:crypto';
import type { Readable } from 'node:stream';
import type { Store } from '../../src/store/store';

/** Bytes that look like nothing else; of two lengths the one is the beginning of the other. */
export const content = (length: number) =>
  createCipheriv('aes-256-ctr', Buffer.alloc(32), Buffer.alloc(16)).update(Buffer.alloc(length));

/** The bytes in pieces, as a line brings them. */
export async function* inPieces(bytes: Buffer, piece = 65_536): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += piece) {
    // A line does not wait for its reader's microtasks.
    await new Promise(setImmediate);
    yield bytes.subarray(at, at + piece);
  }
}

/** The bytes, and then a broken line. */
export async function* cutAfter(bytes: Buffer): AsyncGenerator<Buffer> {
  yield* inPieces(bytes);
  throw new Error('the connection broke');
}

export async function bytesOf(stream: Readable) {
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

/** All bytes of a file in a store; undefined if there is none. */
export async function storedBytes(store: Store, key: string) {
  const file = await store.openFile(key);
  return file && (await bytesOf(file.open(0, file.size)));
}

/** Compares without printing megabytes. */
export const same = (some: Buffer, others: Buffer) => some.equals(others);
