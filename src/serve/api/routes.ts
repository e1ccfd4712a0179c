import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import { diffRoute } from '../../service/transfer/diff-route';
import { examine } from '../../service/transfer/examine';
import { examined } from '../../service/transfer/examined-view';
import { portalRow, portalRows, routeRow, routeRows } from '../../service/transfer/route-rows';
import { routeDiffSeen } from '../../service/transfer/route-diff-view';
import { May } from '../../service/may';
import { problem } from '../problem';
import type { Sources } from '../sources';
import type { Turns } from '../caller-limit';

const tags = ['routes'];
const name = z.string().min(1).max(200);

/** Reads from portals without a run, with the server's secrets: `portolan diff`, `portolan doctor`. */
export const routesApi =
  (sources: Sources, turns: Turns): FastifyPluginAsyncZod =>
  async (api) => {
    const { config, store, file } = sources;

    api.get(
      '/routes',
      {
        schema: {
          operationId: 'listRoutes',
          tags,
          summary: 'List the routes in portolan.yaml',
          response: { 200: z.array(routeRow), default: problem },
        },
      },
      () => routeRows(sources.config),
    );

    api.get(
      '/portals',
      {
        schema: {
          operationId: 'listPortals',
          tags,
          summary: 'List the portals in portolan.yaml',
          response: { 200: z.array(portalRow), default: problem },
        },
      },
      () => portalRows(sources.config),
    );

    api.get(
      '/routes/:route/diff',
      {
        schema: {
          operationId: 'diffRoute',
          tags,
          summary: 'Show what a sync of a route would change (read-only)',
          params: z.object({ route: name }),
          response: { 200: routeDiffSeen, default: problem },
        },
      },
      (request) => turns.of(request, (signal) => diffRoute({ config, store, signal }, request.params.route)),
    );

    api.post(
      '/doctor',
      {
        // It signs in to every portal and reports the accounts.
        config: { right: 'operate' },
        schema: {
          operationId: 'examine',
          tags,
          summary: 'Run preflight checks (no portal writes)',
          body: z.strictObject({
            name: name.optional().describe('route or pipeline; default: all portals'),
          }),
          response: { 200: examined, default: problem },
        },
      },
      async (request) => {
        const { caller, body } = request;
        const asked = body.name;
        if (asked === undefined) new May(caller).changeShared();
        else new May(caller).changeNamed(config.pipelines.has(asked) ? 'pipelines' : 'routes', asked);
        return await turns.of(request, (signal) => examine({ config, store, signal }, asked, { file }));
      },
    );
  };
