import type { ConcludeActivationInput, WorkflowInterceptors } from '@temporalio/workflow';

type Command = ConcludeActivationInput['commands'][number];

/**
 * Lets a run end as cancelled that was rejected or cancelled by signal. Without a cancellation request from Temporal,
 * the SDK would let it fail; the server accepts either command.
 */
export const interceptors = (): WorkflowInterceptors => ({
  internals: [
    {
      concludeActivation: ({ commands }, next) => next({ commands: commands.map(endedAsCancelled) }),
    },
  ],
});

/** Only Portolan's own cancellations carry details (failure.ts). */
function endedAsCancelled(command: Command): Command {
  const details = command.failWorkflowExecution?.failure?.canceledFailureInfo?.details;
  return details?.payloads?.length ? { cancelWorkflowExecution: { details } } : command;
}
