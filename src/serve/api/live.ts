import type { FastifyReply, FastifyRequest } from 'fastify';
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import { seekRun } from '../../service/run/find-run';
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
/** How things stand is put together of many looks. @format milliseconds */
const STATUS_EVERY_MS = 3_000;

const tags = ['live'];

/** What goes on, as it goes on: streams of events, each with all that is known by then. */
export const liveApi =
  (sources: Sources): FastifyPluginAsyncZod =>
  async (api) => {
    const watches = new Watches();
    // A server that closes waits for its answers, and these have no end of their own.
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
          ...{ tags, summary: 'A run as it goes on: `run` with its record, and `over` at its end' },
          params: whichRun,
          querystring: z.object({
            of: z
              .enum(['record', 'view'])
              .default('record')
              .describe('`view`: as /runs/RUN/view has it, in events of that name'),
          }),
          response: { 200: eventStream, default: problem },
        },
      },
      async (request, reply) => {
        const { runId } = await sources.readable(
          async (found) => (await seekRun(found, request.params.run)).record,
        );
        if (request.query.of === 'view')
          return streamOf(request, reply, {
            ...{ key: `view of ${runId}`, event: 'view', everyMs: RUN_EVERY_MS },
            // What the store knows where Temporal is away is not how the run goes on.
            look: async () => runView.parse(await sources.both((found) => readRun(found, runId))),
            isOver: ({ open }) => !open,
          });
        const look = () => sources.readable((found) => readRun(found, runId));
        return streamOf(request, reply, {
          ...{ key: `run ${runId}`, event: 'run', everyMs: RUN_EVERY_MS },
          look: async () => {
            const { record, open } = await look();
            return { ...record, open };
          },
          // What the store recorded last says of no run that it is over.
          isOver: ({ open, finishedAt }) => !open && finishedAt !== undefined,
        });
      },
    );

    api.get(
      '/live',
      {
        schema: {
          operationId: 'watchStatus',
          ...{ tags, summary: 'How things stand, whenever that is another: `status`' },
          response: { 200: eventStream, default: problem },
        },
      },
      async (request, reply) =>
        streamOf(request, reply, {
          ...{ key: 'status', event: 'status', everyMs: STATUS_EVERY_MS },
          look: () => sources.readable(readStatus),
        }),
    );
  };
