import { workflowInfo } from '@temporalio/workflow';

/** A workflow goes on as a new one behind so many. */
export const EVENTS_MAX = 4_000;

/** Whether to continue as new: well before the server asks for it, so that a long history does not slow down its replay. */
export function isLong(): boolean {
  const { historyLength, continueAsNewSuggested } = workflowInfo();
  return continueAsNewSuggested || historyLength > EVENTS_MAX;
}
