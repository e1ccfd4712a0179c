import type { FastifyRequest } from 'fastify';
import { PortolanError } from '../model/errors/errors';
import type { Caller } from '../service/may';
import { Refusal } from './problem';

/** What one caller may ask of portals at a time. */
const AT_ONCE = 2;
/** Clients wait two minutes for a response. @format milliseconds */
const ANSWERED_WITHIN_MS = 100_000;

/**
 * Each question that portals are asked is many requests to them, and whoever has snapshots read has the whole store read:
 * nobody makes the server do so without end.
 */
export class Turns {
  private readonly asking = new Map<string, number>();

  /**
   * Throws if the caller has as many requests in progress as it may. The turn ends when the caller leaves, and after a
   * while with `TIMEOUT`.
   * @param work ends when its signal fires
   */
  async of<T>(
    { caller, raw: { socket } }: Pick<FastifyRequest, 'caller' | 'raw'>,
    work: (signal: AbortSignal) => Promise<T>,
  ): Promise<T> {
    const leave = this.take(caller);
    const ending = new AbortController();
    const { signal } = ending;
    const goes = (): void =>
      ending.abort(new PortolanError('ABORTED', 'The caller has disconnected.', { hint: 'Try again.' }));
    const timer = setTimeout(() => ending.abort(tooLong()), ANSWERED_WITHIN_MS);
    socket.once('close', goes);
    if (socket.destroyed) goes();
    const over = new Promise<never>((_, reject) => {
      const end = (): void => reject(signal.reason as PortolanError);
      if (signal.aborted) end();
      else signal.addEventListener('abort', end);
    });
    try {
      const working = work(signal);
      // After its turn, nobody waits for its result or its error.
      working.catch(() => undefined);
      return await Promise.race([working, over]);
    } finally {
      clearTimeout(timer);
      socket.off('close', goes);
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
        `${who} already has ${others} requests to portals or the store in progress.`,
        'Wait for their responses, then try again.',
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

const tooLong = (): PortolanError =>
  new PortolanError(
    'TIMEOUT',
    `This took longer than ${ANSWERED_WITHIN_MS / 1_000} s, so the server stopped it.`,
    {
      hint: "Request less, or run the command on a worker's machine, which has no time limit.",
    },
  );
