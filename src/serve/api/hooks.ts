import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import { deliveredTest, hookRow } from '../../service/hook/hook-view';
import { readHooks } from '../../service/hook/hooks';
import { findHook, testReceiver } from '../../service/hook/test-hook';
import { May } from '../../service/may';
import { problem, Refusal } from '../problem';
import type { Sources } from '../sources';

const tags = ['hooks'];

/** Hooks and notification receivers: `portolan hook list|test`. */
export const hooksApi =
  (sources: Sources): FastifyPluginAsyncZod =>
  async (api) => {
    api.get(
      '/hooks',
      {
        schema: {
          operationId: 'listHooks',
          tags,
          summary: 'List hooks and notification receivers with the last result of each',
          response: { 200: z.array(hookRow), default: problem },
        },
      },
      () => readHooks(sources.config, sources.store),
    );

    api.post(
      '/hooks/:hook/test',
      {
        config: { right: 'operate' },
        schema: {
          operationId: 'testReceiver',
          tags,
          summary: 'Send one message of the event "test" to a receiver',
          params: z.object({ hook: z.string().min(1).max(200) }),
          body: z.strictObject({}).optional(),
          response: { 200: deliveredTest, default: problem },
        },
      },
      async ({ caller, params: { hook: name } }) => {
        new May(caller).changeShared();
        const found = findHook(sources.config, name);
        if ('starts' in found) throw signsNothing(name);
        const why = await testReceiver(sources.store, found);
        return { name, delivered: why === undefined, ...(why !== undefined && { problem: why }) };
      },
    );
  };

/** A signed call would let the caller start a run in the name of the hook. */
const signsNothing = (name: string): Refusal =>
  new Refusal(
    400,
    'USAGE',
    `${name} is an incoming hook; the server does not sign calls for it.`,
    "Sign the call where the hook's secret is: on the server or on the calling machine.",
  );
