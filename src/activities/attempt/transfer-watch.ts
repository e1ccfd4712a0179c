import { Pace, tooSlow } from '../../domain/transfer/pace';
import { TRANSFER_STALLS_MS } from '../../model/errors/budgets';
import { PortolanError } from '../../model/errors/errors';
import type { SentParts, TransferProgress } from '../../model/transfer/stored-package';
import { lastProgress, progress, unattendedMs, activityTime } from './heartbeat';

/** Heartbeats cost a request; people and retries need no more precision. */
const NOTIFY_EVERY_MS = 1_000;

/** Watches the bytes of one transfer over all its attempts, and reports its progress. */
export class TransferWatch {
  private seen: TransferProgress;
  private notifiedAt = 0;
  private readonly pace: Pace;
  /** When bytes last moved. @format milliseconds since the epoch */
  private movedAt: number;

  private constructor(
    private readonly what: string,
    private readonly portal: string,
  ) {
    // A file that was hashed first has progress without a transfer.
    const before = { bytes: 0, lastByteAt: activityTime(), ...lastProgress<TransferProgress>() };
    this.seen = { ...before, lastByteAt: Math.min(activityTime(), before.lastByteAt + unattendedMs()) };
    this.pace = new Pace(before.stretch);
    this.movedAt = this.seen.lastByteAt;
  }

  /** Runs one attempt. A retryable error becomes TRANSFER_STALLED if nothing has moved for too long. */
  static async over<T>(
    what: string,
    portal: string,
    attempt: (watch: TransferWatch) => Promise<T>,
  ): Promise<T> {
    const watch = new TransferWatch(what, portal);
    try {
      return await attempt(watch);
    } catch (thrown) {
      progress(watch.now);
      const { meaning, plainMessage, facts } = PortolanError.from(thrown);
      const { bytes, lastByteAt } = watch.seen;
      const silentMs = activityTime() - lastByteAt;
      if (meaning.kind === 'permanent' || silentMs <= TRANSFER_STALLS_MS) throw thrown;
      const minutes = Math.floor(silentMs / 60_000);
      throw new PortolanError(
        'TRANSFER_STALLED',
        `${what}: no new data for ${minutes} minutes, ${bytes} bytes so far; last error: ${plainMessage}`,
        { portal: facts.portal, triedForMs: silentMs },
      );
    }
  }

  /**
   * Reports the bytes transferred so far, of `total` if known; `parts` for an upload in parts.
   * @throws PortolanError TRANSFER_STALLED if they only trickle
   */
  bytes(bytes: number, total?: number, parts?: number): void {
    const { bytes: before, lastByteAt } = this.seen;
    const moved = bytes !== before;
    this.seen = { ...this.seen, bytes, total, parts, lastByteAt: moved ? activityTime() : lastByteAt };
    // Fewer bytes than before mean that the file started over.
    if (moved) this.moves(bytes > before ? bytes - before : bytes);
    if (activityTime() - this.notifiedAt < NOTIFY_EVERY_MS) return;
    this.notifiedAt = activityTime();
    progress(this.now);
  }

  /**
   * Reports bytes that moved, even if they may be lost again.
   * @throws PortolanError TRANSFER_STALLED if they only trickle
   */
  moves(bytes: number): void {
    const now = activityTime();
    const trickle = this.pace.add(bytes, now - this.movedAt);
    this.movedAt = now;
    if (trickle) throw tooSlow(this.what, trickle, this.seen.bytes, this.portal);
  }

  /** What an earlier attempt relayed. */
  get sent(): SentParts | undefined {
    return this.seen.sent;
  }

  relays(sent: SentParts): void {
    this.seen = { ...this.seen, sent };
    progress(this.now);
  }

  private get now(): TransferProgress {
    return { ...this.seen, stretch: this.pace.stretch };
  }
}
