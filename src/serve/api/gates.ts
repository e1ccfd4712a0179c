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
const run = z.string().min(1).max(300).describe('id of the run that holds it, or an end of it');

/** Who exports from and imports into which portal, and who waits: `portolan gate list`, `gate release`. */
export const gatesApi =
  (sources: Sources): FastifyPluginAsyncZod =>
  async (api) => {
    api.get(
      '/gates',
      {
        schema: {
          operationId: 'listGates',
          ...{ tags, summary: 'Who holds the gates of the portals, and who waits' },
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
          ...{ tags, summary: 'The run that somebody means, of those that hold the gate' },
          params: gate,
          querystring: z.object({ run }),
          response: { 200: gateHolder, default: problem },
        },
      },
      async ({ params: { portal, direction }, query }) => {
        const name = `${portal}/${direction}`;
        // What the configuration alone says is wrong is told before Temporal is looked for.
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
          ...{ tags, summary: 'Takes the place of a run at a gate away; the run itself goes on' },
          params: gate,
          body: z.strictObject({
            run,
            since: gateHolder.shape.since
              .optional()
              .describe('since when the run holds the slot; if it has another one by now, that one stays'),
            reason: reasonText.describe('kept in the record of the run'),
          }),
          response: {
            200: z.object({
              gate: z.string(),
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
