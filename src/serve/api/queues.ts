import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import { directions } from '../../model/run/portal-queue';
import { reasonText } from '../../model/text/reason';
import { slotHolder, portalQueueView } from '../../service/portal-queue/queue-view';
import { readPortalQueues } from '../../service/portal-queue/portal-queues';
import { portalQueueAddress, releaseSlot, seekHolder } from '../../service/portal-queue/release-slot';
import { withUnanswered } from '../../service/run/answer-run';
import { requireUnlimited } from '../access';
import { problem } from '../problem';
import type { Sources } from '../sources';

const tags = ['queues'];
const queue = z.object({ portal: z.string().max(200), direction: z.enum(directions) });
const run = z.string().min(1).max(300).describe('id of the run that holds it, or an end of it');

/** Who exports from and imports into which portal, and who waits: `portolan queue list`, `queue release`. */
export const queuesApi =
  (sources: Sources): FastifyPluginAsyncZod =>
  async (api) => {
    api.get(
      '/queues',
      {
        schema: {
          operationId: 'listQueues',
          ...{ tags, summary: 'List portal queues: runs that hold a slot and runs that wait' },
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
          ...{ tags, summary: 'Find a run that holds a slot' },
          params: queue,
          querystring: z.object({ run }),
          response: { 200: slotHolder, default: problem },
        },
      },
      async ({ params: { portal, direction }, query }) => {
        const name = `${portal}/${direction}`;
        // What the configuration alone says is wrong is told before Temporal is looked for.
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
          ...{ tags, summary: 'Free the slot of a run; the run itself continues' },
          params: queue,
          body: z.strictObject({
            run,
            since: slotHolder.shape.since
              .optional()
              .describe('since when the run holds the slot; if it has another one by now, that one stays'),
            reason: reasonText.describe('kept in the record of the run'),
          }),
          response: {
            200: z.object({
              queue: z.string(),
              runId: z.string(),
              released: z.literal(true),
              taken: z.boolean(),
              unanswered: z.string().optional().describe('why nothing has been said to it yet'),
            }),
            default: problem,
          },
        },
      },
      ({ caller, params: { portal, direction }, body: { run: text, since, reason } }) =>
        sources.acting(caller, async (found) => {
          requireUnlimited(caller);
          const name = `${portal}/${direction}`;
          const { address, holder } = await seekHolder(found, name, text);
          const { taken, answer } = await releaseSlot(
            found,
            address,
            { ...holder, since: since ?? holder.since },
            reason,
          );
          const { unanswered } = await withUnanswered(found, { taken, answer });
          return {
            ...{ queue: name, runId: holder.runId, released: true as const, taken },
            ...(unanswered !== undefined && { unanswered }),
          };
        }),
    );
  };
