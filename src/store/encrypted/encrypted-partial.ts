import { Readable } from 'node:stream';
import { PortolanError } from '../../model/errors/errors';
import { openedFrames } from './opened-frames';
import {
  FRAME_BYTES,
  FrameCipher,
  frameStart,
  HEADER_BYTES,
  isHeader,
  newHeader,
  SEALED_BYTES,
  wholeFrames,
} from './sealed-frames';
import type { PartialFile } from '../store';

/**
 * An incomplete file of an encrypted store. Full frames are sent at once; the rest is held and sealed as the last
 * frame at commit. A later attempt continues after the frames the inner file has.
 */
export class EncryptedPartial implements PartialFile {
  private readonly filling = Buffer.allocUnsafe(FRAME_BYTES);
  private filled = 0;

  private constructor(
    private readonly inner: PartialFile,
    private readonly storeKey: Buffer,
    private readonly what: string,
    private header: Buffer,
    private cipher: FrameCipher,
    /** Frames given to the inner file. */
    private frames: number,
  ) {}

  /** @param what the file and its store, for messages */
  static async takeOver(inner: PartialFile, storeKey: Buffer, what: string): Promise<EncryptedPartial> {
    const header = await beginningOf(inner, HEADER_BYTES + SEALED_BYTES);
    const frames = wholeFrames(inner.size);
    if (isHeader(header) && frames > 0) {
      const cipher = new FrameCipher(storeKey, header, what);
      if (opens(cipher, header)) {
        await inner.cutTo(frameStart(frames));
        return new EncryptedPartial(inner, storeKey, what, header.subarray(0, HEADER_BYTES), cipher, frames);
      }
    }
    // A file without our header, or of another key, cannot be used.
    await inner.restart();
    const fresh = newHeader();
    return new EncryptedPartial(inner, storeKey, what, fresh, new FrameCipher(storeKey, fresh, what), 0);
  }

  get lasting(): boolean {
    return this.inner.lasting;
  }

  get size(): number {
    return this.frames * FRAME_BYTES + this.filled;
  }

  open(): Readable {
    if (this.frames === 0) return Readable.from([]);
    const range = { first: 0, end: this.frames };
    const skipped = withoutHeader(this.inner.open());
    return Readable.from(openedFrames(skipped, this.cipher, range), { objectMode: false });
  }

  /** The held rest is sealed only at the end of the file. */
  get readable(): number | undefined {
    const { readable } = this.inner;
    return readable === undefined ? undefined : wholeFrames(readable) * FRAME_BYTES;
  }

  get pieces(): PartialFile['pieces'] {
    const { inner, cipher } = this;
    if (!inner.pieces) return undefined;
    return async function* (start, end) {
      const frames = { first: Math.floor(start / FRAME_BYTES), end: Math.ceil(end / FRAME_BYTES) };
      const sealed = inner.pieces?.(frameStart(frames.first), frameStart(frames.end)) ?? inner.open();
      let at = frames.first * FRAME_BYTES;
      for await (const plain of openedFrames(sealed, cipher, frames)) {
        yield plain.subarray(Math.max(0, start - at), end - at);
        at += plain.length;
      }
    };
  }

  async restart(): Promise<void> {
    await this.inner.restart();
    this.header = newHeader();
    this.cipher = new FrameCipher(this.storeKey, this.header, this.what);
    this.frames = 0;
    this.filled = 0;
  }

  async cutTo(bytes: number): Promise<void> {
    if (bytes === this.size) return;
    if (bytes !== 0)
      throw new PortolanError('INTERNAL', `${this.what} can only be restarted from the beginning`);
    await this.restart();
  }

  async append(source: AsyncIterable<Uint8Array>): Promise<number> {
    try {
      await this.inner.append(this.sealed(source));
    } catch (thrown) {
      await this.forgetLost();
      throw thrown;
    }
    return this.size;
  }

  async commit(): Promise<void> {
    const { inner, cipher, frames } = this;
    const last = cipher.seal(frames, this.filling.subarray(0, this.filled), true);
    // After a failed commit, the last frame may exist already.
    if (inner.size > frameStart(frames)) await inner.cutTo(frameStart(frames));
    await inner.append(inPieces([...(inner.size === 0 ? [this.header] : []), ...last]));
    await inner.commit();
  }

  private async *sealed(source: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    if (this.inner.size === 0) yield this.header;
    for await (const chunk of source) {
      for (let rest = chunk; rest.length > 0;) {
        const taken = rest.subarray(0, FRAME_BYTES - this.filled);
        this.filling.set(taken, this.filled);
        this.filled += taken.length;
        rest = rest.subarray(taken.length);
        if (this.filled < FRAME_BYTES) continue;
        const pieces = this.cipher.seal(this.frames, this.filling, false);
        this.frames += 1;
        this.filled = 0;
        yield* pieces;
      }
    }
  }

  /** Data in flight when the source broke may not have arrived. */
  private async forgetLost(): Promise<void> {
    const arrived = wholeFrames(this.inner.size);
    if (arrived === this.frames && this.inner.size >= HEADER_BYTES) return;
    this.frames = arrived;
    this.filled = 0;
    await this.inner.cutTo(arrived === 0 ? 0 : frameStart(arrived));
  }
}

async function* inPieces(pieces: readonly Uint8Array[]): AsyncGenerator<Uint8Array> {
  yield* pieces;
}

const opens = (cipher: FrameCipher, beginning: Buffer): boolean => {
  try {
    cipher.open(0, beginning.subarray(HEADER_BYTES, HEADER_BYTES + SEALED_BYTES), false);
    return true;
  } catch {
    return false;
  }
};

async function beginningOf(file: PartialFile, bytes: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of file.open() as AsyncIterable<Buffer>) {
    chunks.push(chunk);
    length += chunk.length;
    if (length >= bytes) break;
  }
  return Buffer.concat(chunks);
}

function withoutHeader(stream: Readable): Readable {
  async function* rest(): AsyncGenerator<Buffer> {
    let skip = HEADER_BYTES;
    for await (const chunk of stream as AsyncIterable<Buffer>) {
      const piece = chunk.subarray(skip);
      skip = Math.max(0, skip - chunk.length);
      if (piece.length > 0) yield piece;
    }
  }
  return Readable.from(rest(), { objectMode: false });
}
