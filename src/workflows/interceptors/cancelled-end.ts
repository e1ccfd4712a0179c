import type { ConcludeActivationInput, WorkflowInterceptors } from '@temporalio/workflow';

type Command = ConcludeActivationInput['commands'][number];

/**
 * Lets a run end as cancelled that nobody has cancelled in Temporal: whoever rejects a plan, or ends a run by a signed
 * answer, sends a signal. The SDK has such a run fail with a cancellation, unless Temporal was asked for one; of the
 * two, the server takes either.
 */
export const interceptors = (): WorkflowInterceptors => ({
  internals: [
    {
      concludeActivation: ({ commands }, next) => next({ commands: commands.map(endedAsCancelled) }),
    },
  ],
});

/** Only a cancellation of ours carries details (failure.ts). */
function endedAsCancelled(command: Command): Command {
  const details = command.failWorkflowExecution?.failure?.canceledFailureInfo?.details;
  return details?.payloads?.length ? { cancelWorkflowExecution: { details } } : command;
}
