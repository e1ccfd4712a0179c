import { Readable } from 'node:stream';
import {
  altered,
  FRAME_BYTES,
  FrameCipher,
  frameStart,
  HEADER_BYTES,
  openedFrames,
  plainBytes,
  wholeFrames,
} from './sealed-frames';
import type { StoredFile } from '../store';

/** Buffer between decryption and reader. @format bytes */
const BUFFER_BYTES = 2 * FRAME_BYTES;

/** A complete file of an encrypted store; ranges refer to the plain content. */
export class EncryptedFile implements StoredFile {
  readonly size: number;
  private cipher: Promise<FrameCipher> | undefined;

  /** @param what the file and its store, for messages. Throws SNAPSHOT_ALTERED where it cannot be whole. */
  constructor(
    private readonly inner: StoredFile,
    private readonly readKey: () => Promise<Buffer>,
    private readonly what: string,
  ) {
    const size = plainBytes(inner.size);
    if (size === undefined) throw altered(what);
    this.size = size;
  }

  open(start: number, end: number): Readable {
    if (end <= start) return Readable.from([]);
    return Readable.from(this.read(start, end), { objectMode: false, highWaterMark: BUFFER_BYTES });
  }

  private async *read(start: number, end: number): AsyncGenerator<Buffer> {
    const cipher = await (this.cipher ??= this.openCipher());
    const last = wholeFrames(this.inner.size);
    const frames = {
      first: Math.floor(start / FRAME_BYTES),
      end: Math.ceil(end / FRAME_BYTES),
      last,
      lastBytes: this.inner.size - frameStart(last),
    };
    const sealedEnd = Math.min(this.inner.size, frameStart(frames.end));
    let at = frames.first * FRAME_BYTES;
    for await (const plain of openedFrames(
      this.inner.open(frameStart(frames.first), sealedEnd),
      cipher,
      frames,
    )) {
      const desired = plain.subarray(Math.max(0, start - at), end - at);
      at += plain.length;
      if (desired.length > 0) yield desired;
    }
  }

  private async openCipher(): Promise<FrameCipher> {
    const header: Buffer[] = [];
    for await (const chunk of this.inner.open(0, HEADER_BYTES)) header.push(chunk as Buffer);
    return new FrameCipher(await this.readKey(), Buffer.concat(header), this.what);
  }
}
