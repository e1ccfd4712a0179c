import { hostname } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  type Context,
  context,
  propagation,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  SpanStatusCode,
  trace,
  type Tracer,
} from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { W3CTraceContextPropagator } from '@opentelemetry/core';
import { detectResourcesSync, envDetectorSync, Resource } from '@opentelemetry/resources';
import { BasicTracerProvider, BatchSpanProcessor, type SpanProcessor } from '@opentelemetry/sdk-trace-base';
import type { WorkflowClientInterceptor } from '@temporalio/client';
import { defaultPayloadConverter } from '@temporalio/common';
import type { ActivityInterceptorsFactory } from '@temporalio/worker';
import { programVersion } from '../config/config-mark';
import { TRACE_HEADER } from '../model/trace/trace-context';
import type { ErrorCode } from '../model/errors/error-codes';
import type { RequestEnd } from '../portal/http/request';
import { CleanExporter, exporterTo, type SpanReceiver } from './span-exporter';
import { SpanIds, TracedAttempt } from './traced-attempt';

/**
 * How long a command or worker that ends waits for unsent spans. An open request may then last as long as the process.
 * @format milliseconds
 */
const FLUSHED_WITHIN_MS = 1_000;

/** A request to `portolan serve`. */
interface ServedRequest {
  readonly method: string;
  /** The route's pattern, with names in place of values. */
  readonly route: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
}

/** The span of a request until its response. */
export interface RequestSpan {
  /** Spans started within belong to the request. */
  within(work: () => void): void;
  end(status: number): void;
}

/**
 * Makes spans with OpenTelemetry and sends them in batches. At most one per process. Nothing here throws or waits for a
 * receiver.
 */
export class Tracing {
  private readonly provider: BasicTracerProvider;
  private readonly exporter: CleanExporter;
  private readonly tracer: Tracer;
  /** Number of spans started in this process. */
  private begun = 0;
  readonly workflowStarts: WorkflowClientInterceptor[];
  readonly activities: readonly ActivityInterceptorsFactory[];

  constructor(receiver: SpanReceiver, say: (words: string) => void) {
    this.exporter = new CleanExporter(exporterTo(receiver), receiver.host, say);
    const ids = new SpanIds();
    this.provider = new BasicTracerProvider({
      resource: resourceHere(),
      idGenerator: ids,
      spanProcessors: [this.counter, new BatchSpanProcessor(this.exporter)],
    });
    this.provider.register({
      contextManager: new AsyncLocalStorageContextManager().enable(),
      propagator: new W3CTraceContextPropagator(),
    });
    const tracer = this.provider.getTracer('portolan', programVersion());
    this.tracer = tracer;
    this.workflowStarts = [startsOf(tracer)];
    this.activities = [(attempt) => ({ inbound: new TracedAttempt(attempt, tracer, ids) })];
  }

  /** Runs a command in a span, continuing `TRACEPARENT` if set. If it starts no other span, its own is not sent. */
  async command(name: string, work: () => Promise<number>): Promise<number> {
    const parent = placeIn(process.env.TRACEPARENT);
    const span = this.tracer.startSpan(`portolan ${name}`, {}, parent);
    const before = this.begun;
    let status = 1;
    try {
      status = await context.with(trace.setSpan(parent, span), work);
      return status;
    } finally {
      span.setAttribute('process.exit.code', status);
      span.setStatus({ code: status === 0 ? SpanStatusCode.OK : SpanStatusCode.ERROR });
      // A span that is not ended is not sent.
      if (this.begun > before) span.end();
    }
  }

  served({ method, route, headers }: ServedRequest): RequestSpan {
    const parent = placeIn(headers.traceparent);
    const span = this.tracer.startSpan(
      `${method} ${route}`,
      { kind: SpanKind.SERVER, attributes: { 'http.request.method': method, 'http.route': route } },
      parent,
    );
    return {
      within: (work) => context.with(trace.setSpan(parent, span), work),
      end(status) {
        span.setAttribute('http.response.status_code', status);
        if (status >= 500) span.setStatus({ code: SpanStatusCode.ERROR });
        span.end();
      },
    };
  }

  /** Headers that pass the current trace on in a request to `portolan serve`. */
  outgoing(): Record<string, string> {
    const headers: Record<string, string> = {};
    propagation.inject(context.active(), headers);
    // The server that receives it will add a span.
    if (headers.traceparent !== undefined) this.begun += 1;
    return headers;
  }

  /** Called once for each request to a portal, in the context that sent it. */
  requestEnded(end: RequestEnd): void {
    const above = activeSpan();
    if (!above) return;
    const { operation, method, startedAt, endedAt, error } = end;
    const span = this.tracer.startSpan(`${method} ${operation}`, {
      kind: SpanKind.CLIENT,
      startTime: startedAt,
      attributes: {
        'portolan.portal': end.portal,
        'portolan.operation': operation,
        'portolan.portal_code': end.portalCode,
        'http.request.method': method,
        'server.address': end.host,
        'server.port': end.port,
        'url.path': end.path,
        'http.response.status_code': end.status,
        'http.request.body.size': end.sentBytes,
        'http.response.body.size': end.receivedBytes,
        'error.type': error,
        ...attemptOf(above),
      },
    });
    if (error !== undefined && !answers.has(error)) span.setStatus({ code: SpanStatusCode.ERROR });
    span.end(endedAt);
  }

  /** Sends remaining spans within a time limit, and makes no more. */
  async stop(): Promise<void> {
    const isOver = new AbortController();
    const late = sleep(FLUSHED_WITHIN_MS, true, { signal: isOver.signal }).catch(ignore);
    const sent = this.provider.shutdown().then(ignore, ignore);
    if (await Promise.race([sent, late])) this.exporter.noteSilence();
    isOver.abort();
    trace.disable();
    context.disable();
    propagation.disable();
  }

  private readonly counter: SpanProcessor = {
    onStart: () => void (this.begun += 1),
    onEnd: ignore,
    forceFlush: () => Promise.resolve(),
    shutdown: () => Promise.resolve(),
  };
}

/** The caller's trace context, without `tracestate`, which can be any text. */
const placeIn = (traceparent: string | string[] | undefined): Context =>
  propagation.extract(ROOT_CONTEXT, { traceparent });

/** Expected responses: the question was whether something exists. */
const answers: ReadonlySet<ErrorCode> = new Set(['NOT_FOUND', 'ITEM_NOT_FOUND']);

/** The attempt of the activity that sent a request. */
function attemptOf(span: Span): { 'portolan.attempt'?: number } {
  const { attributes } = span as { readonly attributes?: Readonly<Record<string, unknown>> };
  const attempt = attributes?.['portolan.attempt'];
  return typeof attempt === 'number' ? { 'portolan.attempt': attempt } : {};
}

const activeSpan = (): Span | undefined => trace.getSpan(context.active());

/** Adds spans only to run starts within a span. Other requests belong to no run. */
const startsOf = (tracer: Tracer): WorkflowClientInterceptor => ({
  async startWithDetails(input, next) {
    if (!activeSpan()) return await next(input);
    const { workflowType, options } = input;
    const span = tracer.startSpan(`StartWorkflow:${workflowType}`, {
      attributes: { 'portolan.run': options.workflowId },
    });
    const carried: Record<string, string> = {};
    propagation.inject(trace.setSpan(context.active(), span), carried);
    const headers = { ...input.headers, [TRACE_HEADER]: defaultPayloadConverter.toPayload(carried) };
    try {
      return await next({ ...input, headers });
    } catch (thrown) {
      span.setStatus({ code: SpanStatusCode.ERROR });
      throw thrown;
    } finally {
      span.end();
    }
  },
});

/** The sender of the spans; `OTEL_SERVICE_NAME` and `OTEL_RESOURCE_ATTRIBUTES` can add to it or override it. */
const resourceHere = (): Resource =>
  new Resource({
    'service.name': 'portolan',
    'service.version': programVersion(),
    'service.instance.id': `${process.pid}@${hostname()}`,
  }).merge(detectResourcesSync({ detectors: [envDetectorSync] }));

const ignore = (): void => undefined;
