import { createHash } from 'node:crypto';
import { type Part, partsOf } from '../../../portal/resources/items/upload';

/** Computes a hash. */
export interface Hashing {
  update(bytes: Uint8Array): unknown;
  digest(encoding: 'hex'): string;
}

/**
 * sha256 of a file during its transfer, also available at the end of each upload part. That value covers all bytes so
 * far, and each byte is hashed once.
 */
export class PartHash {
  private readonly hash = createHash('sha256');
  private readonly parts: Iterator<Part>;
  private part: Part | undefined;
  private bytes = 0;

  /**
   * @param size of the whole file
   * @param told receives the bytes of each part, and at its end the sha256 of all bytes so far
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
