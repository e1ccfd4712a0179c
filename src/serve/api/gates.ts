import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import { directions } from '../../model/run/gate';
import { reasonText } from '../../model/text/reason';
import { gateHolder, gateView } from '../../service/gate/gate-view';
import { readGates } from '../../service/gate/gates';
import { gateAddress, releaseGate, seekHolder } from '../../service/gate/release-gate';
import { withUnanswered } from '../../service/run/answer-run';
import { requireUnlimited } from '../access';
import { problem } from '../problem';
import type { Sources } from '../sources';

const tags = ['gates'];
const gate = z.object({ portal: z.string().max(200), direction: z.enum(directions) });
const run = z
  .string()
  .min(1)
  .max(300)
  .describe('ID of the run that holds the slot, or a unique suffix of it');

/** Who exports from and imports into which portal, and who waits: `portolan gate list`, `gate release`. */
export const gatesApi =
  (sources: Sources): FastifyPluginAsyncZod =>
  async (api) => {
    api.get(
      '/gates',
      {
        schema: {
          operationId: 'listGates',
          ...{ tags, summary: 'Show portal queues: the runs that hold slots and the runs that wait' },
          response: { 200: z.array(gateView), default: problem },
        },
      },
      () => sources.both(({ temporal, config }) => readGates(temporal, config)),
    );

    api.get(
      '/gates/:portal/:direction/holder',
      {
        schema: {
          operationId: 'readHolder',
          ...{ tags, summary: 'Find the run that holds a slot by its ID or a suffix' },
          params: gate,
          querystring: z.object({ run }),
          response: { 200: gateHolder, default: problem },
        },
      },
      async ({ params: { portal, direction }, query }) => {
        const name = `${portal}/${direction}`;
        // An unknown portal is reported without asking Temporal.
        gateAddress(sources.config, name);
        return await sources.both(async (found) => (await seekHolder(found, name, query.run)).holder);
      },
    );

    api.post(
      '/gates/:portal/:direction/release',
      {
        config: { right: 'operate' },
        schema: {
          operationId: 'releaseGate',
          ...{ tags, summary: "Free a run's slot; the run itself continues" },
          params: gate,
          body: z.strictObject({
            run,
            since: gateHolder.shape.since
              .optional()
              .describe('when the run took the slot; a slot it took at another time is not freed'),
            reason: reasonText.describe('saved with the run'),
          }),
          response: {
            200: z.object({
              gate: z.string(),
              runId: z.string(),
              released: z.literal(true),
              taken: z.boolean(),
              unanswered: z.string().optional().describe('why the run has not confirmed it yet'),
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
          const { taken, answer } = await releaseGate(
            found,
            address,
            { ...holder, since: since ?? holder.since },
            reason,
          );
          const { unanswered } = await withUnanswered(found, { taken, answer });
          return {
            ...{ gate: name, runId: holder.runId, released: true as const, taken },
            ...(unanswered !== undefined && { unanswered }),
          };
        }),
    );
  };
