import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import { rights } from '../../config/file/serve-schema';
import { identities } from '../../model/run/proof';
import { problem } from '../problem';

const whoami = z.object({
  who: z.string().describe('as records have it: the name of a key, `user@portal`, or `user@host`'),
  identity: z.enum(identities).describe('how it is known'),
  rights: z.array(z.enum(rights)),
  routes: z.array(z.string()).optional().describe('with which more may be done than looking; absent: all'),
  pipelines: z.array(z.string()).optional().describe('the same of pipelines'),
  expiresAt: z.iso.datetime().optional().describe('until when somebody is signed in'),
});

/** Who asks, by a key or signed in, and what they may do. */
export const whoamiApi = (): FastifyPluginAsyncZod => async (api) => {
  api.get(
    '/whoami',
    {
      schema: {
        operationId: 'readWhoami',
        summary: 'Who asks, and what they may do',
        tags: ['status'],
        response: { 200: whoami, default: problem },
      },
    },
    ({ caller: { who, identity, rights: given, routes, pipelines }, admission: { until } }) => ({
      ...{ who, identity, rights: [...given], expiresAt: until?.toISOString() },
      routes: routes && [...routes],
      pipelines: pipelines && [...pipelines],
    }),
  );
};
