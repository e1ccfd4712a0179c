import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { RequestSpan } from '../tracing/otel-tracing';
import { tracing } from '../tracing/tracing';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** What is posted there is shown otherwise, and nothing is done. @default false */
    isLook?: boolean;
  }
}

/**
 * Gives each request that asks for something a span of the trace that it says it belongs to, where traces are sent.
 * Nobody writes into a trace before it is known who they are: whatever lets somebody in does so before the handler. Those
 * that look have no span either: pages do so all the time.
 */
export function traceRequests(app: Pick<FastifyInstance, 'addHook'>): void {
  const spans = new WeakMap<FastifyRequest, RequestSpan>();
  app.addHook('preHandler', (request, _reply, done) => {
    const { method, headers, routeOptions, caller } = request;
    const isAsking = method === 'POST' && caller !== undefined && !routeOptions.config.isLook;
    const span = isAsking ? tracing()?.served({ method, route: routeOptions.url ?? '', headers }) : undefined;
    if (!span) return done();
    spans.set(request, span);
    span.within(done);
  });
  app.addHook('onResponse', (request, reply, done) => {
    spans.get(request)?.end(reply.statusCode);
    done();
  });
}
