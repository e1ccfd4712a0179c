import { createHash } from 'node:crypto';
import { PortolanError } from '../../model/errors/errors';
import type { Download } from '../../portal/resources/items/download';
import { type Store, writeFile } from '../../store/store';
import { atPace } from '../transfer/pace';
import { hashed } from './hashing';

/** A file of a copied item, as it came. */
export interface KeptFile {
  readonly sha256: string;
  readonly sizeBytes: number;
}

/**
 * Keeps a file that a portal sends under a key of the store. One that is longer than what is allowed, or only trickles,
 * is given up as soon as that shows, and nothing of it stays.
 *
 * @throws PortolanError ITEM_TOO_LARGE, TRANSFER_STALLED; those of the download and of the store
 */
export async function keepCopy(
  store: Store,
  key: string,
  { body, totalBytes = 0 }: Pick<Download, 'body' | 'totalBytes'>,
  { atMost, portal }: { readonly atMost: number; readonly portal: string },
): Promise<KeptFile> {
  const tooLarge = (): PortolanError =>
    new PortolanError('ITEM_TOO_LARGE', `${portal} sends more than the ${atMost} bytes of limits.itemBytes`, {
      portal,
    });
  try {
    if (totalBytes > atMost) throw tooLarge();
    const hash = createHash('sha256');
    const source = upTo(atMost, hashed(atPace(body, `copy from ${portal}`, portal), hash), tooLarge);
    try {
      const sizeBytes = await writeFile(store, key, source);
      return { sha256: hash.digest('hex'), sizeBytes };
    } catch (thrown) {
      const { code, meaning } = PortolanError.from(thrown);
      // An attempt that was stopped must not remove what its successor has saved.
      if (meaning.kind === 'permanent' && code !== 'ABORTED') await store.remove(key);
      throw thrown;
    }
  } finally {
    body.destroy();
  }
}

async function* upTo(
  atMost: number,
  source: AsyncIterable<Uint8Array>,
  refusal: () => PortolanError,
): AsyncGenerator<Uint8Array> {
  let bytes = 0;
  for await (const chunk of source) {
    bytes += chunk.length;
    if (bytes > atMost) throw refusal();
    yield chunk;
  }
}
