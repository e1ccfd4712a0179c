import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';
import type { Readable } from 'node:stream';
import { PortolanError } from '../../model/errors/errors';

/**
 * How an encrypted file lies in a store:
 *
 *     header   "portolan", version 1, 7 bytes of zero, salt of 32 bytes
 *     frames   FRAME_BYTES each, encrypted, with a tag of 16 bytes behind; the last one is shorter, and may be empty
 *
 * Each file has a key of its own, derived from the store's by HKDF-SHA256 with the salt, and bound to the header. A frame
 * is encrypted with AES-256-GCM; its nonce is its number and whether it is the last one, so that frames can neither be
 * exchanged nor left out, nor the file be cut. That each frame stands for itself is what lets ranges be read.
 */
export const FRAME_BYTES = 256 * 1024;
export const TAG_BYTES = 16;
const SEALED_BYTES = FRAME_BYTES + TAG_BYTES;

const MAGIC = Buffer.from('portolan\u0001\0\0\0\0\0\0\0', 'latin1');
export const SALT_BYTES = 32;
export const HEADER_BYTES = MAGIC.length + SALT_BYTES;
export const CIPHER = 'aes-256-gcm';

/** Offset of a frame in the encrypted file. */
export const frameStart = (frame: number): number => HEADER_BYTES + frame * SEALED_BYTES;

/** Number of whole frames in an encrypted file or the start of one. */
export const wholeFrames = (bytes: number): number =>
  Math.max(0, Math.floor((bytes - HEADER_BYTES) / SEALED_BYTES));

/** Plain length of a complete encrypted file; undefined if the length is impossible. @format bytes */
export function plainBytes(bytes: number): number | undefined {
  const frames = wholeFrames(bytes);
  const last = bytes - frameStart(frames) - TAG_BYTES;
  return last < 0 ? undefined : frames * FRAME_BYTES + last;
}

export const newHeader = (): Buffer => Buffer.concat([MAGIC, randomBytes(SALT_BYTES)]);

const isHeader = (bytes: Uint8Array): boolean =>
  bytes.length >= HEADER_BYTES && MAGIC.equals(bytes.subarray(0, MAGIC.length));

/** Seals and opens the frames of one file. */
export class FrameCipher {
  private readonly key: Buffer;

  /** @param what the file and its store, for messages */
  constructor(
    storeKey: Buffer,
    header: Uint8Array,
    private readonly what: string,
  ) {
    if (!isHeader(header)) throw new PortolanError('SNAPSHOT_ALTERED', `${what} is not encrypted`);
    const salt = header.subarray(MAGIC.length, HEADER_BYTES);
    this.key = Buffer.from(hkdfSync('sha256', storeKey, salt, `file ${MAGIC.toString('latin1')}`, 32));
  }

  /** The frame, and its tag. */
  seal(frame: number, plain: Uint8Array, last: boolean): [Buffer, Buffer] {
    const cipher = createCipheriv(CIPHER, this.key, nonce(frame, last));
    const sealed = cipher.update(plain);
    cipher.final();
    return [sealed, cipher.getAuthTag()];
  }

  /** Throws SNAPSHOT_ALTERED if it was modified. */
  open(frame: number, sealed: Uint8Array, last: boolean): Buffer {
    const end = sealed.length - TAG_BYTES;
    if (end < 0) throw this.altered();
    const decipher = createDecipheriv(CIPHER, this.key, nonce(frame, last));
    decipher.setAuthTag(sealed.subarray(end));
    const plain = decipher.update(sealed.subarray(0, end));
    try {
      decipher.final();
    } catch {
      throw this.altered();
    }
    return plain;
  }

  altered(): PortolanError {
    return altered(this.what);
  }
}

export const altered = (what: string): PortolanError =>
  new PortolanError(
    'SNAPSHOT_ALTERED',
    `${what} cannot be decrypted; it was modified or written with another key`,
  );

/** Each file has its own key, so frame number and position make the nonce unique. */
function nonce(frame: number, last: boolean): Buffer {
  const bytes = Buffer.alloc(12);
  bytes.writeUIntBE(frame, 5, 6);
  bytes[11] = last ? 1 : 0;
  return bytes;
}

interface Frames {
  /** Number of the first one. */
  readonly first: number;
  /** Number after the last wanted frame. */
  readonly end: number;
  /** Number of the file's last frame; undefined in a partial file. */
  readonly last?: number;
  /** Its length. @format bytes */
  readonly lastBytes?: number;
}

/** The plain content of a stream of frames, from the start of the first one. Ends the stream with itself. */
export async function* openedFrames(
  sealed: AsyncIterable<Buffer> & Partial<Pick<Readable, 'destroy'>>,
  cipher: FrameCipher,
  { first, end, last, lastBytes = 0 }: Frames,
): AsyncGenerator<Buffer> {
  let frame = first;
  let filled = 0;
  const gathered = Buffer.allocUnsafe(SEALED_BYTES);
  const desired = (): number => (frame === last ? lastBytes : SEALED_BYTES);
  try {
    for await (const chunk of sealed) {
      for (let rest = chunk; rest.length > 0 && frame < end;) {
        const taken = rest.subarray(0, desired() - filled);
        gathered.set(taken, filled);
        filled += taken.length;
        rest = rest.subarray(taken.length);
        if (filled < desired()) continue;
        yield cipher.open(frame, gathered.subarray(0, filled), frame === last);
        frame += 1;
        filled = 0;
      }
    }
  } finally {
    sealed.destroy?.();
  }
  if (frame < end) throw cipher.altered();
}
