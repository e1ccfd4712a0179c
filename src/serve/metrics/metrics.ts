import type { FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify';
import { collectDefaultMetrics, Histogram, Registry } from 'prom-client';
import { Gauges } from './gauges';
import { Looks } from './metrics-reader';
import { requestDuration } from './metric-table';
import type { Sources } from '../sources';

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
  const looks = new Looks(sources, new Gauges(registry));
  const answer: FastifyPluginAsync = async (app) => {
    app.get('/metrics', { schema: { hide: true } }, async (_request, reply) => {
      await looks.look();
      return await reply.type(registry.contentType).send(await registry.metrics());
    });
  };
  return { observe, answer };
}
