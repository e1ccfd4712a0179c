import type { Readable } from 'node:stream';
import { type FrameCipher, SEALED_BYTES } from './sealed-frames';

export interface Frames {
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
