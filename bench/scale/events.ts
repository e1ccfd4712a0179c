import { tsToMs } from '@temporalio/common/lib/time';
import type { TemporalClient } from '../../src/temporal/connection';
import { mapLimited } from '../../src/model/map-limited';

const READ_AT_A_TIME = 8;
const RECORDED_LOCALLY = 'core_local_activity';

/** What the histories of a task queue tell of the time from their first event to their last. */
export interface Events {
  readonly count: number;
  /** @format milliseconds */
  readonly spanMs: number;
  /** The longest time in which nothing was written to any of them. @format milliseconds */
  readonly longestPauseMs: number;
  /** Activities that were scheduled, of all workflows. */
  readonly activities: number;
  /** Local activities that were recorded. */
  readonly locals: number;
}

/** Reads every event of every workflow of a task queue, portal queues among them. */
export async function eventsOf(temporal: TemporalClient, taskQueue: string): Promise<Events> {
  const { workflow } = temporal.client;
  const executions: { workflowId: string; runId: string }[] = [];
  for await (const { workflowId, runId } of workflow.list({ query: `TaskQueue = '${taskQueue}'` }))
    executions.push({ workflowId, runId });
  const times: number[] = [];
  let [activities, locals] = [0, 0];
  await mapLimited(executions, READ_AT_A_TIME, async ({ workflowId, runId }) => {
    const { events } = await workflow.getHandle(workflowId, runId).fetchHistory();
    for (const event of events ?? []) {
      times.push(tsToMs(event.eventTime));
      if (event.activityTaskScheduledEventAttributes) activities += 1;
      if (event.markerRecordedEventAttributes?.markerName === RECORDED_LOCALLY) locals += 1;
    }
  });
  times.sort((one, other) => one - other);
  const longestPauseMs = times.reduce((most, at, index) => Math.max(most, at - (times[index - 1] ?? at)), 0);
  return { count: times.length, spanMs: times.at(-1)! - times[0]!, longestPauseMs, activities, locals };
}

/** Events in a second. */
export const rateOf = ({ count, spanMs }: Events): number => (count * 1000) / spanMs;
