import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { statusView } from '../../contract/status';
import { readStatus } from '../../service/status/read-status';
import { problem } from '../problem';
import type { Sources } from '../sources';

/** `portolan status`. */
export const statusApi =
  (sources: Sources): FastifyPluginAsyncZod =>
  async (api) => {
    api.get(
      '/status',
      {
        schema: {
          operationId: 'readStatus',
          summary: 'Show what needs attention',
          tags: ['status'],
          response: { 200: statusView, default: problem },
        },
      },
      () => sources.readable(readStatus),
    );
  };
