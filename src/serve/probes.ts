import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import { PortolanError } from '../model/errors/errors';
import { keys } from '../store/keys';
import { workersOf } from '../temporal/task-queue';
import type { Sources } from './sources';

/** What is asked for and does not answer by then is not ready. @format milliseconds */
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
 * `/healthz`: this process answers. `/readyz`: Temporal and the store answer, and a worker takes work; 503 if one of
 * them does not. The result may be a moment old. Both need no key, and say nothing but that.
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
      .then((workers) => (workers.length > 0 ? 'ok' : 'none takes work'), codeOf),
    within(store.readJson(keys.storeId, z.unknown())).then(() => 'ok', codeOf),
  ]);
  const isAway = worker === 'TEMPORAL_UNREACHABLE';
  const seen = { temporal: isAway ? worker : 'ok', store: stored, worker: isAway ? 'unknown' : worker };
  return { ready: Object.values(seen).every((each) => each === 'ok'), ...seen };
}

/** Runs one check at a time and shares its result, also with callers that ask soon after it. */
function remembered<T>(look: () => Promise<T>): () => Promise<T> {
  let last: { readonly at: number; readonly seen: T } | undefined;
  let looking: Promise<T> | undefined;
  const begin = (): Promise<T> =>
    look()
      .then((seen) => (last = { at: Date.now(), seen }).seen)
      .finally(() => (looking = undefined));
  return async () => {
    const known = last;
    const age = known ? Date.now() - known.at : Infinity;
    if (known && age < FRESH_MS) return known.seen;
    looking ??= begin();
    if (!known || age > KEPT_MS) return await looking;
    let timer: NodeJS.Timeout | undefined;
    const earlier = new Promise<T>((resolve) => (timer = setTimeout(() => resolve(known.seen), WAITS_MS)));
    return await Promise.race([looking, earlier]).finally(() => clearTimeout(timer));
  };
}

const codeOf = (thrown: unknown): string => PortolanError.from(thrown).code;

async function within<T>(work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new PortolanError('TIMEOUT', 'no response in time')), WITHIN_MS);
  });
  return await Promise.race([work, late]).finally(() => clearTimeout(timer));
}
