import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { readStatus } from '../../service/status/read-status';
import { statusView } from '../../service/status/status-view';
import { problem } from '../problem';
import type { Sources } from '../sources';

/** How things stand: `portolan status`. */
export const statusApi =
  (sources: Sources): FastifyPluginAsyncZod =>
  async (api) => {
    api.get(
      '/status',
      {
        schema: {
          operationId: 'readStatus',
          summary: 'How things stand',
          tags: ['status'],
          response: { 200: statusView, default: problem },
        },
      },
      () => sources.readable(readStatus),
    );
  };
