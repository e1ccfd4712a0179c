import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import { directions } from '../../model/run/portal-queue';
import { reasonText } from '../../model/run/run';
import { slotHolder, portalQueueView } from '../../service/portal-queue/queue-view';
import { readPortalQueues } from '../../service/portal-queue/read-portal-queues';
import { portalQueueAddress, releasedSlot, releaseSlot, seekHolder } from '../../service/run/release-slot';
import { requireUnlimited } from '../access';
import { problem } from '../problem';
import type { Sources } from '../sources';

const tags = ['queues'];
const queue = z.object({ portal: z.string().max(200), direction: z.enum(directions) });
const run = z
  .string()
  .min(1)
  .max(300)
  .describe('ID of the run that holds the slot, or a unique suffix of it');

/** Portal queues: `portolan queue list|release`. */
export const queuesApi =
  (sources: Sources): FastifyPluginAsyncZod =>
  async (api) => {
    api.get(
      '/queues',
      {
        schema: {
          operationId: 'listQueues',
          tags,
          summary: 'List portal queues: runs that hold a slot and runs that wait',
          response: { 200: z.array(portalQueueView), default: problem },
        },
      },
      () => sources.both(({ temporal, config }) => readPortalQueues(temporal, config)),
    );

    api.get(
      '/queues/:portal/:direction/holder',
      {
        schema: {
          operationId: 'readHolder',
          tags,
          summary: 'Find the run that holds a slot by its ID or a suffix',
          params: queue,
          querystring: z.object({ run }),
          response: { 200: slotHolder, default: problem },
        },
      },
      async ({ params: { portal, direction }, query }) => {
        const name = `${portal}/${direction}`;
        // An unknown portal is reported without asking Temporal.
        portalQueueAddress(sources.config, name);
        return await sources.both(async (found) => (await seekHolder(found, name, query.run)).holder);
      },
    );

    api.post(
      '/queues/:portal/:direction/release',
      {
        config: { right: 'operate' },
        schema: {
          operationId: 'releaseSlot',
          tags,
          summary: 'Free the slot of a run; the run itself continues',
          params: queue,
          body: z.strictObject({
            run,
            since: slotHolder.shape.since
              .optional()
              .describe('when the run took the slot; a slot it took at another time is not freed'),
            reason: reasonText.describe('saved with the run'),
          }),
          response: {
            200: releasedSlot,
            default: problem,
          },
        },
      },
      ({ caller, params: { portal, direction }, body: { run: text, since, reason } }) =>
        sources.acting(caller, async (found) => {
          requireUnlimited(caller);
          const name = `${portal}/${direction}`;
          const { address, holder } = await seekHolder(found, name, text);
          return await releaseSlot(found, address, { ...holder, since: since ?? holder.since }, reason);
        }),
    );
  };
