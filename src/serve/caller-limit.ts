import { once } from 'node:events';
import type { FastifyRequest } from 'fastify';
import { PortolanError } from '../model/errors/errors';
import type { Caller } from '../service/may';
import { Refusal } from './problem';

/** What one caller may ask of portals at a time. */
const AT_ONCE = 2;
/** Clients wait two minutes for a response. @format milliseconds */
const ANSWERED_WITHIN_MS = 100_000;

/** Limits what one caller can make the server do: one request can cost many to portals, or read the whole store. */
export class Turns {
  private readonly taken = new Set<{ readonly who: string }>();

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
    const over = once(signal, 'abort').then(() => {
      throw signal.reason as PortolanError;
    });
    const goes = (): void =>
      ending.abort(new PortolanError('ABORTED', 'The caller has disconnected.', { hint: 'Try again.' }));
    const timer = setTimeout(() => ending.abort(tooLong()), ANSWERED_WITHIN_MS);
    socket.once('close', goes);
    if (socket.destroyed) goes();
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

  /** For a response that outlasts its request. @returns ends the turn, once or more often */
  take({ who }: Pick<Caller, 'who'>): () => void {
    const others = [...this.taken].filter((turn) => turn.who === who).length;
    if (others >= AT_ONCE)
      throw new Refusal(
        429,
        'TOO_MANY',
        `${who} already has ${others} requests to portals or the store in progress.`,
        'Wait for their responses, then try again.',
      );
    const turn = { who };
    this.taken.add(turn);
    return () => void this.taken.delete(turn);
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
