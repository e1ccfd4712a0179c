import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import { freezeRequest, freezes, frozen, unfreezeRequest, unfrozen } from '../../service/freeze/freeze-view';
import { freezePortal, readFreezes, unfreezePortal } from '../../service/freeze/freezes';
import { type Caller, requireNamed, requireUnlimited } from '../access';
import { problem } from '../problem';
import type { Sources } from '../sources';

const tags = ['freezes'];

/** Freezing a stage takes a right for its pipeline; freezing a portal takes an unlimited one. */
function requireMayFreeze(caller: Caller, portal: string): void {
  const [pipeline = '', stage] = portal.split('/');
  if (stage === undefined) requireUnlimited(caller);
  else requireNamed(caller, 'pipelines', pipeline);
}

/** Blocked writes: `portolan freeze`, `unfreeze`, `freezes`. */
export const freezesApi =
  (sources: Sources): FastifyPluginAsyncZod =>
  async (api) => {
    api.get(
      '/freezes',
      {
        schema: {
          operationId: 'listFreezes',
          tags,
          summary: 'List freezes and unfreezes, newest first',
          querystring: z.object({ portal: freezeRequest.shape.portal.optional() }),
          response: { 200: freezes, default: problem },
        },
      },
      ({ query: { portal } }) => readFreezes(sources, portal),
    );

    api.post(
      '/freeze',
      {
        config: { right: 'operate' },
        schema: {
          operationId: 'freeze',
          tags,
          summary: 'Block writes to a portal or stage until it is unfrozen',
          body: freezeRequest,
          response: { 200: frozen, default: problem },
        },
      },
      async ({ caller, body }) => {
        requireMayFreeze(caller, body.portal);
        return await freezePortal(sources, body, caller.who);
      },
    );

    api.post(
      '/unfreeze',
      {
        config: { right: 'operate' },
        schema: {
          operationId: 'unfreeze',
          tags,
          summary: 'Allow writes to a portal or stage again',
          body: unfreezeRequest,
          response: { 200: unfrozen, default: problem },
        },
      },
      async ({ caller, body }) => {
        requireMayFreeze(caller, body.portal);
        return await unfreezePortal(sources, body, caller.who);
      },
    );
  };
