import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import { directions } from '../../model/run/gate';
import { gateView } from '../../service/gate/gate-view';
import { readGates } from '../../service/gate/gates';
import { releaseGate, seekHolder } from '../../service/gate/release-gate';
import { withUnanswered } from '../../service/run/answer-run';
import { requireUnlimited } from '../access';
import { problem } from '../problem';
import type { Sources } from '../sources';

const tags = ['gates'];

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

    api.post(
      '/gates/:portal/:direction/release',
      {
        config: { right: 'operate' },
        schema: {
          operationId: 'releaseGate',
          ...{ tags, summary: 'Takes the place of a run at a gate away; the run itself goes on' },
          params: z.object({ portal: z.string().max(200), direction: z.enum(directions) }),
          body: z.strictObject({
            run: z.string().min(1).max(300).describe('id of the run that holds it, or an end of it'),
            reason: z.string().min(1).max(2_000).describe('kept in the record of the run'),
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
      ({ caller, params: { portal, direction }, body: { run, reason } }) =>
        sources.acting(caller, async (found) => {
          requireUnlimited(caller);
          const gate = `${portal}/${direction}`;
          const { address, holder } = await seekHolder(found, gate, run);
          const { taken, answer } = await releaseGate(found, address, holder, reason);
          const { unanswered } = await withUnanswered(found, { taken, answer });
          return {
            ...{ gate, runId: holder.runId, released: true as const, taken },
            ...(unanswered !== undefined && { unanswered }),
          };
        }),
    );
  };
