import { workflowInfo } from '@temporalio/workflow';

/** A workflow continues as new after this many events. */
export const EVENTS_MAX = 4_000;

/** Whether to continue as new. Earlier than the server suggests, so that replay stays fast. */
export function isLong(): boolean {
  const { historyLength, continueAsNewSuggested } = workflowInfo();
  return continueAsNewSuggested || historyLength > EVENTS_MAX;
}
