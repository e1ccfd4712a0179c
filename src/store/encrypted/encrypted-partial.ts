import { FRAME_BYTES, FrameCipher, frameStart, newHeader, openedFrames, wholeFrames } from './sealed-frames';
import type { PartialFile } from '../store';

/**
 * A file on its way into an encrypted store. Full frames are sent at once; the rest is held and sealed as the last frame
 * at commit. No later attempt can continue it, because that rest is lost.
 */
export class EncryptedPartial implements PartialFile {
  readonly lasting = false;
  private readonly filling = Buffer.allocUnsafe(FRAME_BYTES);
  private filled = 0;
  /** Frames given to the inner file. */
  private frames = 0;

  private constructor(
    private readonly inner: PartialFile,
    private readonly storeKey: Buffer,
    private readonly what: string,
    private header = newHeader(),
    private cipher = new FrameCipher(storeKey, header, what),
  ) {}

  /** @param what the file and its store, for messages */
  static async begin(inner: PartialFile, storeKey: Buffer, what: string): Promise<EncryptedPartial> {
    await inner.restart();
    return new EncryptedPartial(inner, storeKey, what);
  }

  get size(): number {
    return this.frames * FRAME_BYTES + this.filled;
  }

  /** The held rest is sealed only at the end of the file. */
  get readable(): number | undefined {
    const { readable } = this.inner;
    return readable === undefined ? undefined : wholeFrames(readable) * FRAME_BYTES;
  }

  get pieces(): PartialFile['pieces'] {
    const { inner, cipher } = this;
    const sealed = inner.pieces?.bind(inner);
    if (!sealed) return undefined;
    return async function* (start, end) {
      const frames = { first: Math.floor(start / FRAME_BYTES), end: Math.ceil(end / FRAME_BYTES) };
      let at = frames.first * FRAME_BYTES;
      const range = sealed(frameStart(frames.first), frameStart(frames.end));
      for await (const plain of openedFrames(range, cipher, frames)) {
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

  async append(source: AsyncIterable<Uint8Array>): Promise<number> {
    await this.inner.append(this.sealed(source));
    return this.size;
  }

  async commit(): Promise<void> {
    const { inner, cipher, frames } = this;
    const last = cipher.seal(frames, this.filling.subarray(0, this.filled), true);
    await inner.append(inPieces([...(inner.size === 0 ? [this.header] : []), ...last]));
    await inner.commit();
  }

  async close(): Promise<void> {
    await this.inner.close();
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
}

async function* inPieces(pieces: readonly Uint8Array[]): AsyncGenerator<Uint8Array> {
  yield* pieces;
}
