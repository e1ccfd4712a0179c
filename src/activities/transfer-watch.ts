import { TRANSFER_STALLS_MS } from '../model/budgets';
import { PortolanError } from '../model/errors';
import type { TransferProgress } from '../model/transfer';
import { lastProgress, progress } from './heartbeat';

/** Heartbeats cost a call; people and the next attempt need no finer picture. */
const TELL_EVERY_MS = 1_000;

/** Watches the bytes of one transfer over all its attempts, and tells how far it is. */
export class TransferWatch {
  private seen: TransferProgress;
  private toldAt = 0;

  private constructor(private readonly what: string) {
    this.seen = lastProgress<TransferProgress>() ?? { bytes: 0, lastByteAt: Date.now() };
  }

  /** Runs one attempt. An error that a repeat may mend becomes TRANSFER_STALLED when nothing moved for too long. */
  static async over<T>(what: string, attempt: (watch: TransferWatch) => Promise<T>): Promise<T> {
    const watch = new TransferWatch(what);
    try {
      return await attempt(watch);
    } catch (thrown) {
      progress(watch.seen);
      if (PortolanError.from(thrown).meaning.kind !== 'permanent' && watch.stalled) throw watch.stall();
      throw thrown;
    }
  }

  /** `bytes` are there now, of `total` where that is known; `parts` on an upload in parts. */
  bytes(bytes: number, total?: number, parts?: number): void {
    const moved = bytes !== this.seen.bytes;
    this.seen = { bytes, total, parts, lastByteAt: moved ? Date.now() : this.seen.lastByteAt };
    if (Date.now() - this.toldAt < TELL_EVERY_MS) return;
    this.toldAt = Date.now();
    progress(this.seen);
  }

  private get stalled(): boolean {
    return Date.now() - this.seen.lastByteAt > TRANSFER_STALLS_MS;
  }

  private stall(): PortolanError {
    return new PortolanError(
      'TRANSFER_STALLED',
      `${this.what}: no new byte for ten minutes, ${this.seen.bytes} so far`,
    );
  }
}
