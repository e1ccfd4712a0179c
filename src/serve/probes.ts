import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import { PortolanError } from '../model/errors/errors';
import { keys } from '../store/keys';
import { workersOf } from '../temporal/task-queue';
import type { Sources } from './sources';

/** What is asked for and does not answer by then is not ready. @format milliseconds */
const WITHIN_MS = 4_000;

const ready = z.object({
  ready: z.boolean(),
  temporal: z.string(),
  store: z.string(),
  worker: z.string(),
});

/**
 * `/healthz`: this process answers. `/readyz`: Temporal and the store answer, and a worker takes work; 503 where one of
 * them does not. Both need no key, and say nothing but that.
 */
export const probes =
  (sources: Sources): FastifyPluginAsyncZod =>
  async (app) => {
    app.get(
      '/healthz',
      { schema: { hide: true, response: { 200: z.object({ healthy: z.literal(true) }) } } },
      () => ({
        healthy: true as const,
      }),
    );
    app.get(
      '/readyz',
      { schema: { hide: true, response: { 200: ready, 503: ready } } },
      async (_request, reply) => {
        const { config, store } = sources;
        const [worker, stored] = await Promise.all([
          sources
            .both(({ temporal }) => workersOf(temporal, config.temporal.taskQueue))
            .then((workers) => (workers.length > 0 ? 'ok' : 'none takes work'), codeOf),
          within(store.readJson(keys.storeId, z.unknown())).then(() => 'ok', codeOf),
        ]);
        const isAway = worker === 'TEMPORAL_UNREACHABLE';
        const answer = {
          temporal: isAway ? worker : 'ok',
          store: stored,
          worker: isAway ? 'unknown' : worker,
        };
        const isReady = Object.values(answer).every((each) => each === 'ok');
        return await reply.code(isReady ? 200 : 503).send({ ready: isReady, ...answer });
      },
    );
  };

const codeOf = (thrown: unknown): string => PortolanError.from(thrown).code;

async function within<T>(work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new PortolanError('TIMEOUT', 'no answer in time')), WITHIN_MS);
  });
  return await Promise.race([work, late]).finally(() => clearTimeout(timer));
}
