import {
  context,
  ROOT_CONTEXT,
  type Span,
  type SpanContext,
  SpanStatusCode,
  trace,
  TraceFlags,
  type Tracer,
} from '@opentelemetry/api';
import { type IdGenerator, RandomIdGenerator } from '@opentelemetry/sdk-trace-base';
import type { Context } from '@temporalio/activity';
import {
  ApplicationFailure,
  ApplicationFailureCategory,
  CancelledFailure,
  defaultPayloadConverter,
} from '@temporalio/common';
import type { ActivityExecuteInput, ActivityInboundCallsInterceptor, Next } from '@temporalio/worker';
import { PortolanError } from '../model/errors/errors';
import type { RunState } from '../model/run/run-state';
import { type CarriedTrace, placeOf, type RunPlace, TRACE_HEADER } from '../model/trace/trace-context';

/** The activity that receives the whole record of a run. */
const SAVES = 'saveRecord';

/** A span for each attempt of a run's activities, around all other interceptors, and one for the run itself. */
export class TracedAttempt implements ActivityInboundCallsInterceptor {
  constructor(
    private readonly attempt: Context,
    private readonly tracer: Tracer,
    private readonly ids: SpanIds,
  ) {}

  async execute(
    input: ActivityExecuteInput,
    next: Next<ActivityInboundCallsInterceptor, 'execute'>,
  ): Promise<unknown> {
    const carried = carriedIn(input);
    const place = placeOf(carried);
    if (!place) return await next(input);
    const { activityId, activityType, attempt, workflowExecution, workflowType } = this.attempt.info;
    const above = trace.setSpanContext(ROOT_CONTEXT, this.contextOf(place));
    const attributes = {
      'portolan.run': workflowExecution?.workflowId,
      'portolan.kind': workflowType,
      'portolan.attempt': attempt,
      'portolan.portal': carried.portal,
      'portolan.phase': carried.phase,
      'portolan.route': carried.route,
      'temporal.run_id': workflowExecution?.runId,
      'temporal.activity_id': activityId,
    };
    const span = this.tracer.startSpan(`RunActivity:${activityType}`, { attributes }, above);
    try {
      const result = await context.with(trace.setSpan(above, span), () => next(input));
      const [record, isLast] = input.args;
      if (activityType === SAVES && isLast === true)
        this.endRun(place, `RunWorkflow:${workflowType}`, record as RunState);
      return result;
    } catch (thrown) {
      span.setAttributes(outcomeOf(thrown));
      span.setStatus({ code: SpanStatusCode.ERROR });
      throw thrown;
    } finally {
      span.end();
    }
  }

  /** Makes the span of a run whose last record is saved. */
  private endRun(
    place: RunPlace,
    name: string,
    { runId, kind, route, status, error, startedAt, finishedAt }: RunState,
  ): void {
    const span = this.begin(place, name, {
      startTime: new Date(startedAt),
      attributes: {
        'portolan.run': runId,
        'portolan.kind': kind,
        'portolan.route': route.name,
        'portolan.outcome': status,
        'error.type': status === 'failed' ? error?.code : undefined,
      },
    });
    span.setStatus({ code: status === 'failed' ? SpanStatusCode.ERROR : SpanStatusCode.OK });
    span.end(finishedAt === undefined ? undefined : new Date(finishedAt));
  }

  /** If the trace starts with a run, asks the sampler whether it is sent. */
  private contextOf(place: RunPlace): SpanContext {
    const { traceId, spanId } = place;
    const isSampled = place.isSampled ?? this.begin({ traceId, spanId }, '').isRecording();
    return { traceId, spanId, traceFlags: isSampled ? TraceFlags.SAMPLED : TraceFlags.NONE };
  }

  /** Starts the span of a run, with the IDs that every worker gives it. */
  private begin(place: RunPlace, name: string, options?: Parameters<Tracer['startSpan']>[1]): Span {
    const { parentSpanId, ...own } = place;
    const above = parentSpanId
      ? trace.setSpanContext(ROOT_CONTEXT, { ...this.contextOf(place), spanId: parentSpanId })
      : ROOT_CONTEXT;
    return this.ids.naming(own, () => this.tracer.startSpan(name, options, above));
  }
}

function carriedIn({ headers: { [TRACE_HEADER]: carried } }: ActivityExecuteInput): CarriedTrace {
  return carried ? defaultPayloadConverter.fromPayload<CarriedTrace>(carried) : {};
}

/** Random IDs, except for a span whose IDs are given. */
export class SpanIds implements IdGenerator {
  private readonly random = new RandomIdGenerator();
  private given: Pick<SpanContext, 'traceId' | 'spanId'> | undefined;

  generateTraceId(): string {
    return this.given?.traceId ?? this.random.generateTraceId();
  }

  generateSpanId(): string {
    return this.given?.spanId ?? this.random.generateSpanId();
  }

  /** A span started during `work` gets these IDs. */
  naming<T>(ids: Pick<SpanContext, 'traceId' | 'spanId'>, work: () => T): T {
    this.given = ids;
    try {
      return work();
    } finally {
      this.given = undefined;
    }
  }
}

/** "Not yet" is an answer, and who is cancelled has not failed. */
function outcomeOf(thrown: unknown): Record<string, string> {
  if (thrown instanceof CancelledFailure) return { 'portolan.outcome': 'cancelled' };
  if (thrown instanceof ApplicationFailure) {
    if (thrown.category === ApplicationFailureCategory.BENIGN) return { 'portolan.outcome': 'not yet' };
    return { 'portolan.outcome': 'failed', 'error.type': thrown.type ?? 'UNKNOWN' };
  }
  return { 'portolan.outcome': 'failed', 'error.type': PortolanError.from(thrown).code };
}
