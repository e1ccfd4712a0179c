import { createHash } from 'node:crypto';
import { type Part, partsOf } from '../../../portal/resources/items/upload';

/** Takes bytes and says what they come to. */
export interface Hashing {
  update(bytes: Uint8Array): unknown;
  digest(encoding: 'hex'): string;
}

/**
 * sha256 of a file on its way, that also tells what it was at the end of each of the parts in which the file goes up. So
 * much is said by it of all bytes up to there, and each is hashed once.
 */
export class PartHash {
  private readonly hash = createHash('sha256');
  private readonly parts: Iterator<Part>;
  private part: Part | undefined;
  private bytes = 0;

  /**
   * @param size of the whole file
   * @param told of the bytes of each part, and of the sha256 of all bytes up to its end, part by part
   */
  constructor(
    size: number,
    private readonly told: {
      readonly bytes: (part: Part, bytes: Uint8Array) => void;
      readonly end: (part: Part, sha256: string) => void;
    },
  ) {
    this.parts = partsOf(size)[Symbol.iterator]();
    this.part = this.next();
  }

  update(chunk: Uint8Array): void {
    for (let rest = chunk; rest.length > 0;) {
      const { part } = this;
      const taken = part ? rest.subarray(0, part.end - this.bytes) : rest;
      this.hash.update(taken);
      if (part) this.told.bytes(part, taken);
      this.bytes += taken.length;
      rest = rest.subarray(taken.length);
      if (part === undefined || this.bytes < part.end) continue;
      this.told.end(part, this.hash.copy().digest('hex'));
      this.part = this.next();
    }
  }

  digest(encoding: 'hex'): string {
    return this.hash.digest(encoding);
  }

  private next(): Part | undefined {
    const { value, done } = this.parts.next();
    return done ? undefined : value;
  }
}
