import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import { gateView } from '../../service/gate/gate-view';
import { readGates } from '../../service/gate/gates';
import { problem } from '../problem';
import type { Sources } from '../sources';

/** Who exports from and imports into which portal, and who waits: `portolan gate list`. */
export const gatesApi =
  (sources: Sources): FastifyPluginAsyncZod =>
  async (api) => {
    api.get(
      '/gates',
      {
        schema: {
          summary: 'Who holds the gates of the portals, and who waits',
          tags: ['gates'],
          response: { 200: z.array(gateView), default: problem },
        },
      },
      () => sources.both(({ temporal, config }) => readGates(temporal, config)),
    );
  };
