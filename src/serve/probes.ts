import { setTimeout as sleep } from 'node:timers/promises';
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import { PortolanError } from '../model/errors/errors';
import { keys } from '../store/keys';
import { workersOf } from '../temporal/task-queue';
import type { Sources } from './sources';

/** No response within this time counts as not ready. @format milliseconds */
const WITHIN_MS = 4_000;
/** A result is reused for so long. @format milliseconds */
const FRESH_MS = 1_000;
/** If the next check takes longer, the last result is returned. @format milliseconds */
const WAITS_MS = 500;
/** Older results are not returned. @format milliseconds */
const KEPT_MS = 10_000;

const ready = z.object({
  ready: z.boolean(),
  temporal: z.string(),
  store: z.string(),
  worker: z.string(),
});

/**
 * `/healthz`: this process responds. `/readyz`: Temporal and the store respond and a worker is polling, otherwise 503. The
 * result may be a few seconds old. Neither needs a key or reveals anything else.
 */
export const probes =
  (sources: Sources): FastifyPluginAsyncZod =>
  async (app) => {
    const look = remembered(() => lookAt(sources));
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
        const seen = await look();
        return await reply.code(seen.ready ? 200 : 503).send(seen);
      },
    );
  };

async function lookAt(sources: Sources): Promise<z.infer<typeof ready>> {
  const { config, store } = sources;
  const [worker, stored] = await Promise.all([
    sources
      .both(({ temporal }) => workersOf(temporal, config.temporal.taskQueue), WITHIN_MS)
      .then((workers) => (workers.length > 0 ? 'ok' : 'none running'), codeOf),
    Promise.race([
      store.readJson(keys.storeId, z.unknown()).then(() => 'ok', codeOf),
      sleep(WITHIN_MS, 'TIMEOUT', { ref: false }),
    ]),
  ]);
  const isAway = worker === 'TEMPORAL_UNREACHABLE';
  const seen = { temporal: isAway ? worker : 'ok', store: stored, worker: isAway ? 'unknown' : worker };
  return { ready: Object.values(seen).every((each) => each === 'ok'), ...seen };
}

/** Runs one check at a time and shares its result, also with callers that ask soon after it. */
function remembered<T>(look: () => Promise<T>): () => Promise<T> {
  let last: { readonly at: number; readonly seen: T } | undefined;
  let looking: Promise<T> | undefined;
  const begin = async (): Promise<T> => {
    try {
      const seen = await look();
      last = { at: Date.now(), seen };
      return seen;
    } finally {
      looking = undefined;
    }
  };
  return async () => {
    const age = Date.now() - (last?.at ?? 0);
    if (last && age < FRESH_MS) return last.seen;
    looking ??= begin();
    if (!last || age > KEPT_MS) return await looking;
    return await Promise.race([looking, sleep(WAITS_MS, last.seen, { ref: false })]);
  };
}

const codeOf = (thrown: unknown): string => PortolanError.from(thrown).code;
