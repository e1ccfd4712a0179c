import { allHandlersFinished, condition, continueAsNew, workflowInfo } from '@temporalio/workflow';
import type { RunState } from '../../model/run/run-state';
import type { Signed } from '../../model/run/signature';
import type { Memory } from './memory';
import type { Run } from './run';

/** A workflow continues as new after this many events. */
export const EVENTS_MAX = 4_000;

/** Whether to continue as new. Earlier than the server suggests, so that replay stays fast. */
export function isLong(): boolean {
  const { historyLength, continueAsNewSuggested } = workflowInfo();
  return continueAsNewSuggested || historyLength > EVENTS_MAX;
}

/** Continues the run as new, with its signed input and its memory. Returns only if the run was cancelled. */
export async function continueRun(run: Run): Promise<void> {
  await condition(allHandlersFinished);
  if (run.isCancelled) return;
  await continueAsNew<(signed: Signed, memory: Memory) => Promise<RunState>>(run.signed, run.memory);
}
