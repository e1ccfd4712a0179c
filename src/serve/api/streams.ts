import { setTimeout as sleep } from 'node:timers/promises';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Turns } from '../caller-limit';
import { eventOf, SILENT_MS, streamed } from '../event-stream';
import { problemOf } from '../problem';

/** Answers that come as events while they are found, which can take long. */
export class Streams {
  private readonly open = new Set<AbortController>();

  constructor(private readonly turns: Turns) {}

  /** A closing server waits for open responses. */
  close(): void {
    for (const each of this.open) each.abort();
  }

  /**
   * Sends each value as an event of this name, and `over` at the end.
   * @param work throws what refuses the request
   */
  async send(
    { caller, raw: { socket } }: FastifyRequest,
    reply: FastifyReply,
    event: string,
    work: (signal: AbortSignal) => Promise<unknown>,
  ): Promise<string> {
    const leave = this.turns.take(caller);
    const gone = new AbortController();
    let isReading = false;
    this.open.add(gone);
    const close = (): void => {
      // Connections are reused, so each request removes its own listener.
      socket.off('close', close);
      gone.abort();
      this.open.delete(gone);
      // A read in progress continues to the end of its chunk; until then it counts as the caller's.
      if (!isReading) leave();
    };
    socket.once('close', close);
    reply.raw.once('close', close);
    if (socket.destroyed) close();
    const values = (await work(gone.signal)) as AsyncGenerator<unknown>;
    const begin = (): (() => void) => {
      isReading = true;
      return leave;
    };
    return streamed(reply, told(event, values, gone.signal, begin));
  }
}

/**
 * Values as events, with comments in between that keep the connection alive.
 * @param begin called when reading begins; returns what is called when it ends
 */
async function* told(
  event: string,
  values: AsyncGenerator<unknown>,
  signal: AbortSignal,
  begin: () => () => void,
): AsyncGenerator<string> {
  const end = begin();
  try {
    let quiet = silence(signal);
    for (let next = values.next(); ;) {
      const found = await Promise.race([next, quiet]);
      if (signal.aborted) return;
      if (found === undefined) {
        yield ': still reading\n\n';
        quiet = silence(signal);
      } else if (found.done) return yield eventOf('over', {});
      else {
        yield eventOf(event, found.value);
        next = values.next();
      }
    }
  } catch (thrown) {
    yield eventOf('problem', problemOf(thrown));
  } finally {
    await values.return(undefined).finally(end);
  }
}

const silence = (signal: AbortSignal): Promise<undefined> =>
  sleep(SILENT_MS, undefined, { signal, ref: false }).catch(() => undefined);
