import type { FastifyReply, FastifyRequest } from 'fastify';
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import { resolveRun } from '../../service/run/find-run';
import { readRun } from '../../service/run/read-run';
import { runView } from '../../service/run/run-view';
import { readStatus } from '../../service/status/read-status';
import { eventStream, streamed } from '../event-stream';
import { problem } from '../problem';
import type { Sources } from '../sources';
import { type Watched, Watches } from '../watches';
import { whichRun } from './runs';

/** @format milliseconds */
const RUN_EVERY_MS = 1_000;
/** The status takes many reads. @format milliseconds */
const STATUS_EVERY_MS = 3_000;

const tags = ['live'];

/** Live updates: event streams, each event with the complete current state. */
export const liveApi =
  (sources: Sources): FastifyPluginAsyncZod =>
  async (api) => {
    const watches = new Watches();
    // A closing server waits for open responses, and streams do not end on their own.
    api.addHook('preClose', async () => watches.close());

    const streamOf = <T>(
      request: FastifyRequest,
      reply: Pick<FastifyReply, 'headers'>,
      watched: Watched<T>,
    ): string => {
      const gone = new AbortController();
      request.raw.once('close', () => gone.abort());
      if (request.raw.destroyed) gone.abort();
      return streamed(reply, watches.open(watched, request.caller.who, gone.signal));
    };

    api.get(
      '/runs/:run/live',
      {
        schema: {
          operationId: 'watchRun',
          tags,
          summary: 'Watch a run: `run` events with its record, and `over` at its end',
          params: whichRun,
          querystring: z.object({
            of: z
              .enum(['record', 'view'])
              .default('record')
              .describe('`view` sends `view` events with what /runs/RUN/view returns'),
          }),
          response: { 200: eventStream, default: problem },
        },
      },
      async (request, reply) => {
        const { runId } = await sources.readable(
          async (found) => (await resolveRun(found, request.params.run)).record,
        );
        if (request.query.of === 'view')
          return streamOf(request, reply, {
            key: `view of ${runId}`,
            event: 'view',
            everyMs: RUN_EVERY_MS,
            // Without Temporal the store only has an older state, which is no progress.
            look: async () => runView.parse(await sources.both((found) => readRun(found, runId))),
            isOver: ({ open }) => !open,
          });
        const look = () => sources.readable((found) => readRun(found, runId));
        return streamOf(request, reply, {
          key: `run ${runId}`,
          event: 'run',
          everyMs: RUN_EVERY_MS,
          look: async () => {
            const { record, open } = await look();
            return { ...record, open };
          },
          // An older state from the store must not end the stream.
          isOver: ({ open, finishedAt }) => !open && finishedAt !== undefined,
        });
      },
    );

    api.get(
      '/live',
      {
        schema: {
          operationId: 'watchStatus',
          tags,
          summary: 'Watch the overall status: a `status` event whenever it changes',
          response: { 200: eventStream, default: problem },
        },
      },
      async (request, reply) =>
        streamOf(request, reply, {
          key: 'status',
          event: 'status',
          everyMs: STATUS_EVERY_MS,
          look: () => sources.readable(readStatus),
        }),
    );
  };
