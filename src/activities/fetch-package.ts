import { createHash } from 'node:crypto';
import { PortolanError } from '../model/errors';
import type { Portal } from '../portal/client';
import { downloadItemData } from '../portal/download';
import type { PartialFile } from '../store/store';

export interface Fetch {
  readonly itemId: string;
  /** What the item record says. @format bytes */
  readonly declared?: number;
  /** More than this is refused while it comes. @format bytes */
  readonly atMost: number;
  readonly signal: AbortSignal;
  readonly onBytes: (bytes: number, total: number | undefined) => void;
}

/**
 * Brings an item's file into a partial file, from where an earlier attempt ended if the portal lets us, and
 * hashes on the way. What came stays in the partial file when the line breaks.
 * Throws WRONG_LENGTH, RESPONSE_CUT, PACKAGE_TOO_LARGE, NO_SPACE.
 */
export async function fetchPackage(
  portal: Portal,
  partial: PartialFile,
  fetch: Fetch,
): Promise<{ sha256: string; sizeChecked: boolean }> {
  const { declared, signal } = fetch;
  if (declared !== undefined && partial.size > declared) await partial.restart();
  let hash = createHash('sha256');
  let total = declared;
  if (declared === undefined || partial.size < declared) {
    const answer = await downloadItemData(portal, fetch.itemId, { from: partial.size }, { signal });
    total = declared ?? answer.totalBytes;
    if (answer.startsAt !== partial.size) await partial.restart();
    await hashWhatIsThere();
    let bytes = partial.size;
    await partial.append(
      (async function* () {
        for await (const chunk of answer.body as AsyncIterable<Uint8Array>) {
          bytes += chunk.length;
          if (bytes > fetch.atMost) throw tooLarge(bytes, fetch.atMost, portal.name);
          hash.update(chunk);
          fetch.onBytes(bytes, total);
          yield chunk;
        }
      })(),
    );
  } else {
    await hashWhatIsThere();
  }
  if (total !== undefined && partial.size !== total) {
    const seen = partial.size;
    if (seen > total) await partial.restart();
    throw new PortolanError(
      'WRONG_LENGTH',
      `the package on ${portal.name} has ${total} bytes, ${seen} came`,
      {
        portal: portal.name,
      },
    );
  }
  return { sha256: hash.digest('hex'), sizeChecked: total !== undefined };

  async function hashWhatIsThere(): Promise<void> {
    hash = createHash('sha256');
    for await (const chunk of partial.open()) {
      hash.update(chunk as Uint8Array);
      fetch.onBytes(partial.size, total);
    }
  }
}

export const tooLarge = (bytes: number, atMost: number, portal: string): PortolanError =>
  new PortolanError('PACKAGE_TOO_LARGE', `the package has ${bytes} bytes, at most ${atMost} are allowed`, {
    portal,
  });
