import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { who as whoami } from '../../service/portolan/who-view';
import { problem } from '../problem';

/** The caller's identity and rights: `portolan whoami`. */
export const whoamiApi = (): FastifyPluginAsyncZod => async (api) => {
  api.get(
    '/whoami',
    {
      schema: {
        operationId: 'readWhoami',
        summary: 'Show your identity and rights',
        tags: ['status'],
        response: { 200: whoami, default: problem },
      },
    },
    ({ caller: { who, identity, rights: given, routes, pipelines }, admission: { until } }) => ({
      who,
      identity,
      rights: [...given],
      expiresAt: until?.toISOString(),
      routes: routes && [...routes],
      pipelines: pipelines && [...pipelines],
    }),
  );
};
