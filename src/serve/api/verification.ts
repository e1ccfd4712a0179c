import { setTimeout as sleep } from 'node:timers/promises';
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import type { VerifiedSnapshot } from '../../domain/snapshot/verify-snapshot';
import { chosenSnapshots, verifyRequest, verifySnapshots } from '../../service/snapshot/verify-snapshots';
import { eventOf, eventStream, SILENT_MS, streamed } from '../event-stream';
import { problem, problemOf } from '../problem';
import type { Sources } from '../sources';
import type { Turns } from '../turns';
import { mayChangeSnapshot } from './snapshots';

/** Reads snapshots to their last byte, which takes as long as there are bytes: `portolan snapshot verify`. */
export const verificationApi =
  (sources: Sources, turns: Turns): FastifyPluginAsyncZod =>
  async (api) => {
    const open = new Set<AbortController>();
    // A server that closes waits for its answers.
    api.addHook('preClose', async () => open.forEach((each) => each.abort()));

    api.post(
      '/snapshots/verify',
      {
        // The next backup builds on no package that was found damaged here.
        config: { right: 'operate' },
        schema: {
          operationId: 'verifySnapshots',
          tags: ['snapshots'],
          summary: 'Reads every byte of snapshots: `verified` of each one, and `over` at the end',
          body: verifyRequest,
          response: { 200: eventStream, default: problem },
        },
      },
      async (request, reply) => {
        const { caller, body } = request;
        const leave = turns.take(caller);
        const gone = new AbortController();
        let isReading = false;
        open.add(gone);
        const { socket } = request.raw;
        const close = (): void => {
          // A connection is used again: each request takes its listener along.
          socket.off('close', close);
          gone.abort();
          open.delete(gone);
          // What is read goes on to the end of a piece: until then whoever has left has no other turn.
          if (!isReading) leave();
        };
        socket.once('close', close);
        reply.raw.once('close', close);
        if (socket.destroyed) close();
        const ids = await chosenSnapshots(sources, body, mayChangeSnapshot(caller));
        const verified = verifySnapshots(sources, ids, gone.signal);
        const begin = (): (() => void) => {
          isReading = true;
          return leave;
        };
        return streamed(reply, told(verified, gone.signal, begin));
      },
    );
  };

/**
 * Events of what was verified, as it is; that it goes on is said meanwhile.
 * @param begin is told that something is read, and gives what is told that nothing is any more
 */
async function* told(
  verified: AsyncGenerator<VerifiedSnapshot>,
  signal: AbortSignal,
  begin: () => () => void,
): AsyncGenerator<string> {
  const end = begin();
  try {
    let quiet = silence(signal);
    for (let next = verified.next(); ;) {
      const seen = await Promise.race([next, quiet]);
      if (signal.aborted) return;
      if (seen === undefined) {
        yield ': still reading\n\n';
        quiet = silence(signal);
      } else if (seen.done) return yield eventOf('over', {});
      else {
        yield eventOf('verified', seen.value);
        next = verified.next();
      }
    }
  } catch (thrown) {
    yield eventOf('problem', problemOf(thrown));
  } finally {
    await verified.return(undefined).finally(end);
  }
}

const silence = (signal: AbortSignal): Promise<undefined> =>
  sleep(SILENT_MS, undefined, { signal, ref: false }).catch(() => undefined);
