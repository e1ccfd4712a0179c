import { setTimeout as sleep } from 'node:timers/promises';
import type { FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify';
import { collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import type { Sources } from '../sources';
import { type Figures, type Known, looks, metricTable, requestDuration } from './metric-table';

/** Maximum wait of a scrape. Reading continues, and a later scrape gets its result. @format milliseconds */
const WAITS_MS = 6_000;

/**
 * `/metrics` in Prometheus format. Values are read from Temporal and the store, so restarts and several servers do not
 * matter; request durations are of this process. Needs the `view` right. No label names a run or an item.
 * @see https://prometheus.io/docs/instrumenting/exposition_formats/
 */
export function metrics(sources: Sources): {
  /** Records the duration of a request. */
  readonly observe: (request: FastifyRequest, reply: FastifyReply) => void;
  readonly answer: FastifyPluginAsync;
} {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const { name, help, labels } = requestDuration;
  const answered = new Histogram({ name, help, labelNames: labels, registers: [registry] });
  const observe = ({ method, routeOptions: { url = 'none' } }: FastifyRequest, reply: FastifyReply) =>
    answered.observe({ method, route: url, status: String(reply.statusCode) }, reply.elapsedTime / 1_000);
  const { figures, refresh } = readFigures(sources);
  for (const [metric, { help, labels, values }] of Object.entries(metricTable))
    registry.registerMetric(
      new Gauge({
        name: `portolan_${metric}`,
        help,
        labelNames: labels,
        registers: [],
        collect() {
          this.reset();
          // A gauge without labels is 0 now, which would be wrong for what is unknown.
          if (labels.length === 0) this.remove();
          for (const [value, ...names] of values(figures) ?? [])
            if (value !== undefined) this.labels(...names).set(value);
        },
      }),
    );
  const answer: FastifyPluginAsync = async (app) => {
    app.get('/metrics', { schema: { hide: true } }, async (_request, reply) => {
      await refresh();
      return await reply.type(registry.contentType).send(await registry.metrics());
    });
  };
  return { observe, answer };
}

/** Figures for all scrapes. `refresh` reads those that are too old, or could not be read before. */
function readFigures(sources: Sources): { readonly figures: Known; readonly refresh: () => Promise<void> } {
  const figures: Known = {};
  const refreshEach = Object.keys(looks).map((name) => refreshing(name as keyof Figures));
  function refreshing<Name extends keyof Figures>(name: Name): () => Promise<void> {
    const { maxAgeMs, read, unread } = looks[name];
    let readAt = -Infinity;
    let reading: Promise<void> | undefined;
    const readNow = async (): Promise<void> => {
      const before = figures[name];
      try {
        figures[name] = await read(sources, before);
        readAt = Date.now();
      } catch {
        figures[name] = before === undefined ? undefined : unread?.(before);
      } finally {
        reading = undefined;
      }
    };
    return async () => {
      if (Date.now() - readAt > maxAgeMs) await (reading ??= readNow());
    };
  }
  const refresh = async (): Promise<void> => {
    const all = Promise.all(refreshEach.map((each) => each()));
    await Promise.race([all, sleep(WAITS_MS, undefined, { ref: false })]);
  };
  return { figures, refresh };
}
