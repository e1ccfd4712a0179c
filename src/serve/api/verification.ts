import { setTimeout as sleep } from 'node:timers/promises';
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import type { VerifiedSnapshot } from '../../domain/snapshot/verify-snapshot';
import { chosenSnapshots, verifyRequest, verifySnapshots } from '../../service/snapshot/verify-snapshots';
import { eventOf, eventStream, SILENT_MS, streamed } from '../event-stream';
import { problem, problemOf } from '../problem';
import type { Sources } from '../sources';
import type { Turns } from '../caller-limit';
import { mayChangeSnapshot } from './snapshots';

/** Reads every byte of snapshots, which can take long: `portolan snapshot verify`. */
export const verificationApi =
  (sources: Sources, turns: Turns): FastifyPluginAsyncZod =>
  async (api) => {
    const open = new Set<AbortController>();
    // A closing server waits for open responses.
    api.addHook('preClose', async () => open.forEach((each) => each.abort()));

    api.post(
      '/snapshots/verify',
      {
        // It has an effect: the next backup does not use a snapshot found damaged here as its parent.
        config: { right: 'operate' },
        schema: {
          operationId: 'verifySnapshots',
          tags: ['snapshots'],
          summary: 'Verify every byte of snapshots: a `verified` event for each, and `over` at the end',
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
          // Connections are reused, so each request removes its own listener.
          socket.off('close', close);
          gone.abort();
          open.delete(gone);
          // A read in progress continues to the end of its chunk; until then it counts as the caller's.
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
 * Events of verified snapshots, with comments in between that keep the connection alive.
 * @param begin called when reading begins; returns what is called when it ends
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
