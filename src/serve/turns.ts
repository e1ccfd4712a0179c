import type { Caller } from './access';
import { Refusal } from './problem';

/** What one caller may ask of portals at a time. */
const AT_ONCE = 2;

/**
 * Each question that portals are asked is many requests to them, and whoever has snapshots read has the whole store read:
 * nobody makes the server do so without end.
 */
export class Turns {
  private readonly asking = new Map<string, number>();

  /** Throws where whoever asks has asked as much and has no answer yet. */
  async of<T>(caller: Pick<Caller, 'who'>, work: () => Promise<T>): Promise<T> {
    const leave = this.take(caller);
    try {
      return await work();
    } finally {
      leave();
    }
  }

  /** The same for an answer that is longer than its request. Returns what ends the turn, once or more often. */
  take({ who }: Pick<Caller, 'who'>): () => void {
    const others = this.asking.get(who) ?? 0;
    if (others >= AT_ONCE)
      throw new Refusal(
        429,
        'TOO_MANY',
        `Portals or the store are asked for ${who} ${others} times already.`,
        'Wait for those answers, and ask again.',
      );
    this.asking.set(who, others + 1);
    let hasLeft = false;
    return () => {
      if (hasLeft) return;
      hasLeft = true;
      const left = (this.asking.get(who) ?? 1) - 1;
      if (left > 0) this.asking.set(who, left);
      else this.asking.delete(who);
    };
  }
}
