import type { Part } from '../../../portal/resources/items/upload';

/**
 * A part of a package as it comes, in memory, where the store gives nothing back of a file on its way. Only one is held,
 * since such a store holds parts of its own: one that begins while it goes up is left out, and goes up afterwards.
 */
export class PartBuffer {
  private bytes: Buffer | undefined;
  private filled = 0;
  private length = 0;
  /** The part of which bytes come, whether it is taken or left out. */
  private coming: number | undefined;
  private filling: number | undefined;
  /** The part that is here as a whole. */
  private held: number | undefined;

  take({ partNum, start, end }: Part, bytes: Uint8Array): void {
    if (partNum !== this.coming) {
      this.coming = partNum;
      this.filling = this.held === undefined ? partNum : undefined;
      this.filled = 0;
    }
    if (partNum !== this.filling) return;
    this.bytes ??= Buffer.allocUnsafeSlow(end - start);
    this.bytes.set(bytes, this.filled);
    this.filled += bytes.length;
  }

  /** A part has come to its end. @returns whether it is held */
  end(partNum: number): boolean {
    if (partNum !== this.filling) return false;
    this.held = partNum;
    this.length = this.filled;
    this.filling = undefined;
    return true;
  }

  of(partNum: number): Buffer | undefined {
    return partNum === this.held ? this.bytes?.subarray(0, this.length) : undefined;
  }

  /** The part is no longer needed. */
  forget(partNum: number): void {
    if (partNum === this.held) this.held = undefined;
  }

  /** The package comes from its first byte again. */
  restart(): void {
    this.coming = undefined;
    this.filling = undefined;
  }
}
