import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { RequestSpan } from '../tracing/spans';
import { tracing } from '../tracing/tracing';

/**
 * Gives each request that asks for something a span of the trace that it says it belongs to, where traces are sent. One
 * that was refused at the door has none, and neither have those that look: pages do so all the time.
 */
export function traceRequests(app: Pick<FastifyInstance, 'addHook'>): void {
  const spans = new WeakMap<FastifyRequest, RequestSpan>();
  app.addHook('preHandler', (request, _reply, done) => {
    const { method, headers, routeOptions } = request;
    const span =
      method === 'POST' ? tracing()?.served({ method, route: routeOptions.url ?? '', headers }) : undefined;
    if (!span) return done();
    spans.set(request, span);
    span.within(done);
  });
  app.addHook('onResponse', (request, reply, done) => {
    spans.get(request)?.end(reply.statusCode);
    done();
  });
}
