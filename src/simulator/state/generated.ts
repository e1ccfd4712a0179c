import { Readable } from 'node:stream';

const blockBytes = 1024 * 1024;

/** A block of bytes that do not compress, the same for the same seed (xorshift). */
function block(seed: number): Buffer {
  const buffer = Buffer.allocUnsafe(blockBytes);
  let state = (seed >>> 0) + 0x9e3779b9 || 1;
  for (let offset = 0; offset < blockBytes; offset += 4) {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    buffer.writeInt32LE(state | 0, offset);
  }
  return buffer;
}

const blocks = new Map<number, Buffer>();

function blockOf(seed: number): Buffer {
  const known = blocks.get(seed);
  if (known) return known;
  const made = block(seed);
  blocks.set(seed, made);
  return made;
}

/**
 * Bytes `start` to `end` (exclusive) of a file without end that is the same for the same seed and costs no
 * disk: one pseudo-random block over and over, its first eight bytes the block's number.
 */
export function generatedStream(seed: number, start: number, end: number): Readable {
  const pattern = blockOf(seed);
  let position = start;
  return new Readable({
    highWaterMark: blockBytes,
    read() {
      if (position >= end) {
        this.push(null);
        return;
      }
      const number = Math.floor(position / blockBytes);
      const from = position - number * blockBytes;
      const length = Math.min(blockBytes - from, end - position);
      position += length;
      const bytes = Buffer.from(pattern);
      bytes.writeBigUInt64LE(BigInt(number), 0);
      this.push(bytes.subarray(from, from + length));
    },
  });
}
