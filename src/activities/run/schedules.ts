import { Context } from '@temporalio/activity';
import { ScheduleNotFoundError, WorkflowNotFoundError } from '@temporalio/client';
import { readMemo } from '../../model/run/start-memo';
import { openExecutions } from '../../domain/run/executions';
import { searchAttributeNames } from '../../model/run/run-id';
import { messageNames, type Supersede } from '../../model/run/run-input';
import type { ActivityDeps } from '../deps';

/** When a schedule is due next; null if it is paused, deleted, or never due again. */
export async function nextStart({ scheduleId }: { readonly scheduleId: string }): Promise<string | null> {
  try {
    const { state, info } = await Context.current().client.schedule.getHandle(scheduleId).describe();
    const [next] = state.paused ? [] : info.nextActionTimes;
    return next?.toISOString() ?? null;
  } catch (thrown) {
    if (thrown instanceof ScheduleNotFoundError) return null;
    throw thrown;
  }
}

/**
 * Ends parked runs of the same route and schedule, so that one bad night does not end all later ones. Returns their IDs.
 */
export async function supersedeParked(
  { openControl }: ActivityDeps,
  input: { runId: string; route: string; scheduledBy: string },
): Promise<string[]> {
  const { client, info } = Context.current();
  const { runId, route, scheduledBy } = input;
  const { route: ofRoute, outcome } = searchAttributeNames;
  const query = [
    `${ofRoute} = '${route}'`,
    `${outcome} = 'parked'`,
    openExecutions,
    // Another configuration in this namespace may use the same names.
    `TaskQueue = '${info.taskQueue}'`,
  ].join(' AND ');
  const superseded: string[] = [];
  for await (const { workflowId, memo } of client.workflow.list({ query })) {
    if (workflowId === runId) continue;
    if (readMemo(memo)?.scheduledBy !== scheduledBy) continue;
    try {
      const supersede: Supersede = { by: runId };
      const signed = (await openControl()).signAnswer(messageNames.supersede, workflowId, supersede);
      await client.workflow.getHandle(workflowId).signal(messageNames.supersede, signed);
      superseded.push(workflowId);
    } catch (thrown) {
      // It has ended since it was listed.
      if (!(thrown instanceof WorkflowNotFoundError)) throw thrown;
    }
  }
  return superseded;
}
