import { defaultPayloadConverter, type Headers } from '@temporalio/common';
import { type ConcludeActivationInput, workflowInfo, type WorkflowInterceptors } from '@temporalio/workflow';
import { type CarriedTrace, TRACE_HEADER } from '../model/trace/trace-context';
import { phaseAtHand, routeKey } from './run/state';

/**
 * Lets a run end as cancelled that was rejected or cancelled by signal, and passes a run's trace and its phase on to its
 * activities, child runs and continuations. The worker makes the spans (src/tracing), so runs continue on workers with
 * and without tracing.
 *
 * Temporal's own interceptor for traces draws random numbers and would nearly double the workflow bundle. Signals carry
 * no trace, because a portal queue belongs to no single run.
 */
export const interceptors = (): WorkflowInterceptors => {
  let started: CarriedTrace = {};
  const withRun = <Input extends WithHeaders>(input: Input, portal?: string): Input => {
    const { typedSearchAttributes, firstExecutionRunId } = workflowInfo();
    const route = typedSearchAttributes.get(routeKey);
    if (route === undefined) return input; // not a run
    const { traceparent, runs = [] } = started;
    return carrying(input, {
      traceparent,
      runs: [...runs, firstExecutionRunId],
      phase: phaseAtHand(),
      route,
      portal,
    });
  };
  return {
    inbound: [
      {
        execute(input, next) {
          started = traceIn(input.headers);
          return next(input);
        },
      },
    ],
    outbound: [
      {
        scheduleActivity: (input, next) => next(withRun(input, input.options.priority?.fairnessKey)),
        scheduleLocalActivity: (input, next) => next(withRun(input)),
        startChildWorkflowExecution: (input, next) => next(withRun(input)),
        continueAsNew: (input, next) => next(carrying(input, started)),
      },
    ],
    internals: [
      {
        concludeActivation: ({ commands }, next) => next({ commands: commands.map(endedAsCancelled) }),
      },
    ],
  };
};

interface WithHeaders {
  readonly headers: Headers;
}

/** Anyone who starts a workflow can set headers, so an invalid trace is ignored. */
function traceIn({ [TRACE_HEADER]: carried }: Headers): CarriedTrace {
  if (carried === undefined) return {};
  try {
    const { traceparent, runs } = defaultPayloadConverter.fromPayload<Record<string, unknown>>(carried);
    return { traceparent, runs: Array.isArray(runs) ? runs : [] };
  } catch {
    return {};
  }
}

const carrying = <Input extends WithHeaders>(input: Input, carried: CarriedTrace): Input => ({
  ...input,
  headers: { ...input.headers, [TRACE_HEADER]: defaultPayloadConverter.toPayload(carried) },
});

type Command = ConcludeActivationInput['commands'][number];

/**
 * Without a cancellation request from Temporal, the SDK would let the run fail; the server accepts either command. Only
 * Portolan's own cancellations carry details (run/failure.ts).
 */
function endedAsCancelled(command: Command): Command {
  const details = command.failWorkflowExecution?.failure?.canceledFailureInfo?.details;
  return details?.payloads?.length ? { cancelWorkflowExecution: { details } } : command;
}
