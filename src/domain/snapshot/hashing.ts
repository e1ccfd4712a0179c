import { createHash, type Hash } from 'node:crypto';
import type { StoredFile } from '../../store/store';

/** JSON that does not depend on the order of an object's keys. */
export const canonical = (value: unknown): string =>
  JSON.stringify(value, (_, inner: unknown) =>
    typeof inner === 'object' && inner !== null && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([one], [two]) => (one < two ? -1 : 1)))
      : inner,
  );

/** sha256 in hex. */
export const sha256Of = (bytes: string | Uint8Array): string =>
  createHash('sha256').update(bytes).digest('hex');

/** sha256 in hex of a text. */
export const hashOfText = (text: string): string => sha256Of(text);

/** sha256 in hex of a JSON value as Portolan writes it. */
export const hashOfJson = (value: unknown): string => hashOfText(JSON.stringify(value));

/** sha256 in hex of a stored file, in bounded memory; `onBytes` is told how far it is, and may throw. */
export async function hashOfFile(file: StoredFile, onBytes?: (bytes: number) => void): Promise<string> {
  const hash = createHash('sha256');
  let bytes = 0;
  const pieces: AsyncIterable<Uint8Array> = file.pieces?.(0, file.size) ?? file.open(0, file.size);
  for await (const chunk of pieces) {
    hash.update(chunk);
    onBytes?.((bytes += chunk.length));
  }
  return hash.digest('hex');
}

/** Bytes as they are, each given to the hash on its way. */
export async function* hashed(source: AsyncIterable<Uint8Array>, hash: Hash): AsyncGenerator<Uint8Array> {
  for await (const chunk of source) {
    hash.update(chunk);
    yield chunk;
  }
}
