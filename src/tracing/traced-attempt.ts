import { context, type Tracer, trace } from '@opentelemetry/api';
import type { Context } from '@temporalio/activity';
import {
  ApplicationFailure,
  ApplicationFailureCategory,
  CancelledFailure,
  defaultPayloadConverter,
} from '@temporalio/common';
import { OpenTelemetryActivityInboundInterceptor } from '@temporalio/interceptors-opentelemetry/lib/worker';
import type { ActivityExecuteInput, ActivityInboundCallsInterceptor, Next } from '@temporalio/worker';
import { PortolanError } from '../model/errors/errors';
import { workerViewWorkflow } from '../model/run/worker-view';
import {
  type CarriedTrace,
  FIRST_CALL,
  spanIdOfExecution,
  TRACE_HEADER,
  type TraceContext,
  traceIdOfExecution,
  traceparentOf,
} from '../model/trace/trace-context';

type Execute = Next<ActivityInboundCallsInterceptor, 'execute'>;

/**
 * A span for each attempt of an activity in a traced run, around all other interceptors. A run that starts without a
 * trace, for example by schedule, gets one from its first activity. Its result puts the trace into history, so that all
 * workers and replays use the same.
 */
export class TracedAttempt implements ActivityInboundCallsInterceptor {
  private readonly spans: OpenTelemetryActivityInboundInterceptor;

  /** @param isSampled whether a trace with that ID and first span is sent */
  constructor(
    private readonly attempt: Context,
    tracer: Tracer,
    private readonly isSampled: (traceId: string, span: string) => boolean,
  ) {
    this.spans = new OpenTelemetryActivityInboundInterceptor(attempt, { tracer });
  }

  async execute(input: ActivityExecuteInput, next: Execute): Promise<unknown> {
    if (input.headers[TRACE_HEADER]) return await this.traced(input, next);
    const { activityType, workflowType = '' } = this.attempt.info;
    if (activityType !== FIRST_CALL || ofNoRun.has(workflowType)) return await next(input);
    const traceparent = traceparentOf(this.begun());
    await this.traced(withTrace(input, { traceparent }), next);
    return { traceparent } satisfies CarriedTrace;
  }

  /** The run's context in a trace that starts with it. */
  private begun(): TraceContext {
    const { workflowType = '', workflowExecution: { runId = '' } = {} } = this.attempt.info;
    const traceId = traceIdOfExecution(runId);
    const isSampled = this.isSampled(traceId, `RunWorkflow:${workflowType}`);
    return { traceId, spanId: spanIdOfExecution(runId), isSampled };
  }

  private traced(input: ActivityExecuteInput, next: Execute): Promise<unknown> {
    return this.spans.execute(input, async (given) => {
      const span = trace.getSpan(context.active());
      const { info } = this.attempt;
      const { phase, route, portal } = carriedIn(input);
      span?.setAttributes({
        'portolan.kind': info.workflowType,
        'portolan.attempt': info.attempt,
        'portolan.portal': portal,
        'portolan.phase': phase,
        'portolan.route': route,
      });
      try {
        return await next(given);
      } catch (thrown) {
        span?.setAttributes(outcomeOf(thrown));
        throw thrown;
      }
    });
  }
}

/** Frequent queries of what a worker's configuration allows, which get no trace. */
const ofNoRun: ReadonlySet<string> = new Set([workerViewWorkflow]);

function carriedIn({ headers }: ActivityExecuteInput): CarriedTrace {
  const carried = headers[TRACE_HEADER];
  return carried ? defaultPayloadConverter.fromPayload<CarriedTrace>(carried) : {};
}

const withTrace = (input: ActivityExecuteInput, carried: CarriedTrace): ActivityExecuteInput => ({
  ...input,
  headers: { ...input.headers, [TRACE_HEADER]: defaultPayloadConverter.toPayload(carried) },
});

/** "Not yet" and a cancellation are no failures. */
function outcomeOf(thrown: unknown): Record<string, string> {
  if (thrown instanceof CancelledFailure) return { 'portolan.outcome': 'cancelled' };
  if (thrown instanceof ApplicationFailure) {
    if (thrown.category === ApplicationFailureCategory.BENIGN) return { 'portolan.outcome': 'not yet' };
    return { 'portolan.outcome': 'failed', 'error.type': thrown.type ?? 'UNKNOWN' };
  }
  return { 'portolan.outcome': 'failed', 'error.type': PortolanError.from(thrown).code };
}
