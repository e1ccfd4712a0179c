import type { Part } from '../../../portal/resources/items/upload';

/**
 * Holds one part of a package in memory during the download, for stores that cannot read a partial file. Only one,
 * because such stores hold parts themselves; parts that arrive during its upload are uploaded later.
 */
export class PartBuffer {
  private bytes: Buffer | undefined;
  private filled = 0;
  private length = 0;
  /** The part now arriving, whether buffered or not. */
  private coming: number | undefined;
  private filling: number | undefined;
  /** The part that is complete. */
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

  /** A part is complete. @returns whether it is held */
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

  /** The download starts over. */
  restart(): void {
    this.coming = undefined;
    this.filling = undefined;
  }
}
