import { ApplicationFailure, defaultPayloadConverter, type Headers } from '@temporalio/common';
import type {
  OpenTelemetrySinks,
  SerializableSpan,
} from '@temporalio/interceptors-opentelemetry/lib/workflow/definitions';
import {
  ContinueAsNew,
  isCancellation,
  proxySinks,
  type WorkflowExecuteInput,
  workflowInfo,
  type WorkflowInterceptors,
} from '@temporalio/workflow';
import {
  type CarriedTrace,
  FIRST_CALL,
  parseTraceparent,
  spanIdOfExecution,
  TRACE_HEADER,
  type TraceContext,
  traceparentOf,
} from '../../model/trace/trace-context';
import { phaseAtHand } from '../run/current-phase';
import { routeKey } from '../run/search-attributes';

/**
 * Passes the trace that started a run on to its activities, child runs and continuations, and has the worker send one span
 * when the run ends. Without a trace it adds nothing.
 *
 * It changes no command, draws no random number and does not wait, so runs continue on workers with and without tracing.
 * The interceptor of Temporal's package does draw numbers, and would nearly double the workflow bundle. Signals carry no
 * trace, because a portal queue belongs to no single run.
 */
export const interceptors = (): WorkflowInterceptors => {
  const trace = new RunTrace();
  return {
    inbound: [
      {
        execute(input, next) {
          trace.begin(input);
          const ended = next(input);
          ended.then(
            () => trace.end(),
            (thrown: unknown) => trace.end(thrown),
          );
          return ended;
        },
      },
    ],
    outbound: [
      {
        scheduleActivity: (input, next) => next(trace.withCall(input, input.options.priority?.fairnessKey)),
        scheduleLocalActivity(input, next) {
          const done = next(trace.withCall(input));
          if (input.activityType === FIRST_CALL) done.then((found) => trace.find(found), ignore);
          return done;
        },
        startChildWorkflowExecution: (input, next) => next(trace.withPart(input)),
        continueAsNew: (input, next) => next(trace.withContinuation(input)),
      },
    ],
  };
};

interface WithHeaders {
  readonly headers: Headers;
}

class RunTrace {
  /** What the run was started by. */
  private parent: TraceContext | undefined;
  /** The run itself. */
  private own: TraceContext | undefined;

  begin({ headers }: WorkflowExecuteInput): void {
    this.parent = traceIn(headers);
    if (this.parent) this.own = { ...this.parent, spanId: spanIdOfExecution(workflowInfo().runId) };
  }

  /** A run that came without a trace may have been given one of its own when it was let in. */
  find(found: unknown): void {
    this.own ??= parseTraceparent((found as CarriedTrace | undefined)?.traceparent);
  }

  /** Calls of which nothing is sent carry nothing. But for the first: it would begin a trace. */
  withCall<Input extends WithHeaders & { readonly activityType: string }>(
    input: Input,
    portal?: string,
  ): Input {
    if (!this.own?.isSampled && input.activityType !== FIRST_CALL) return input;
    const route = workflowInfo().typedSearchAttributes.get(routeKey);
    const phase = phaseAtHand();
    return carrying(input, this.own, {
      ...(phase && { phase }),
      ...(route && { route }),
      ...(portal && { portal }),
    });
  }

  withPart<Input extends WithHeaders>(input: Input): Input {
    return carrying(input, this.own);
  }

  /** Each execution stands below whatever the run was started by. */
  withContinuation<Input extends WithHeaders>(input: Input): Input {
    return carrying(input, this.parent ?? this.own);
  }

  end(thrown?: unknown): void {
    if (!this.own?.isSampled) return;
    const { exporter } = proxySinks<OpenTelemetrySinks>();
    exporter.export([spanOf(this.own, this.parent?.spanId, thrown)]);
  }
}

/** Whoever starts a workflow gives it what headers they like: what is no trace is none. */
function traceIn({ [TRACE_HEADER]: carried }: Headers): TraceContext | undefined {
  if (carried === undefined) return undefined;
  try {
    return parseTraceparent(
      defaultPayloadConverter.fromPayload<CarriedTrace | undefined>(carried)?.traceparent,
    );
  } catch {
    return undefined;
  }
}

function carrying<Input extends WithHeaders>(
  input: Input,
  trace: TraceContext | undefined,
  more: CarriedTrace = {},
): Input {
  if (trace === undefined) return input;
  const carried: CarriedTrace = { traceparent: traceparentOf(trace), ...more };
  return {
    ...input,
    headers: { ...input.headers, [TRACE_HEADER]: defaultPayloadConverter.toPayload(carried) },
  };
}

/** Kind and status codes of OpenTelemetry, whose code has no place in workflow code. */
const INTERNAL = 0;
const OK = 1;
const ERROR = 2;

function spanOf(
  { traceId, spanId }: TraceContext,
  parentSpanId: string | undefined,
  thrown: unknown,
): SerializableSpan {
  const { workflowType, workflowId, runId, runStartTime, typedSearchAttributes } = workflowInfo();
  const outcome = outcomeOf(thrown);
  const code = thrown instanceof ApplicationFailure ? thrown.type : undefined;
  const endTime = Date.now();
  return {
    name: `RunWorkflow:${workflowType}`,
    kind: INTERNAL,
    spanContext: { traceId, spanId, traceFlags: 1 },
    parentSpanId,
    startTime: timeOf(runStartTime.getTime()),
    endTime: timeOf(endTime),
    duration: timeOf(Math.max(0, endTime - runStartTime.getTime())),
    status: { code: outcome === 'failed' ? ERROR : OK },
    attributes: {
      'portolan.run': workflowId,
      'portolan.kind': workflowType,
      'portolan.route': typedSearchAttributes.get(routeKey) ?? undefined,
      'portolan.outcome': outcome,
      'temporal.run_id': runId,
      ...(outcome === 'failed' && code && { 'error.type': code }),
    },
    links: [],
    events: [],
    ended: true,
    droppedAttributesCount: 0,
    droppedLinksCount: 0,
    droppedEventsCount: 0,
    instrumentationLibrary: { name: 'portolan' },
  };
}

function outcomeOf(thrown: unknown): 'done' | 'continued' | 'cancelled' | 'failed' {
  if (thrown === undefined) return 'done';
  if (thrown instanceof ContinueAsNew) return 'continued';
  return isCancellation(thrown) ? 'cancelled' : 'failed';
}

/** Seconds and nanoseconds. @param ms since the epoch */
const timeOf = (ms: number): [number, number] => [Math.floor(ms / 1_000), (ms % 1_000) * 1_000_000];

const ignore = (): void => undefined;
