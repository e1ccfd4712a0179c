import type { Client } from '@temporalio/client';
import type { temporal } from '@temporalio/proto';

type HistoryEvent = temporal.api.history.v1.IHistoryEvent;

/** What Temporal Cloud bills of one history, by kind. */
export interface BilledActions {
  readonly starts: number;
  readonly activities: number;
  /** Attempts of activities after the first. */
  readonly retries: number;
  /** Workflow tasks with local activities: all of one task are one action. */
  readonly localActivities: number;
  readonly timers: number;
  readonly signals: number;
  readonly updates: number;
  readonly children: number;
  /** Changes of search attributes after the start. */
  readonly attributes: number;
}

/** A workflow that a signal starts costs one action for both. */
const startedBySignal = ([, second]: readonly HistoryEvent[]): boolean =>
  second?.workflowExecutionSignaledEventAttributes != null;

/** The attribute by which workflows with versions are found is not billed. */
const VERSIONS = 'TemporalChangeVersion';

/**
 * Counts what is billed of a history. Queries and heartbeats stand in no history: a query is one action, as is each
 * heartbeat that reaches the server, at most one every five seconds of a call that is under way.
 * @see https://docs.temporal.io/cloud/actions
 */
export function billedActions(events: readonly HistoryEvent[]): BilledActions {
  const count = (is: (event: HistoryEvent) => unknown): number => events.filter((event) => is(event)).length;
  const local = events.flatMap(({ markerRecordedEventAttributes: marker }) =>
    marker?.markerName === 'core_local_activity' ? [String(marker.workflowTaskCompletedEventId)] : [],
  );
  const scheduled = count((event) => event.activityTaskScheduledEventAttributes);
  const attempts = events.flatMap(
    ({ activityTaskStartedEventAttributes: started }) => started?.attempt ?? [],
  );
  return {
    starts:
      count((event) => event.workflowExecutionStartedEventAttributes) - (startedBySignal(events) ? 1 : 0),
    activities: scheduled,
    retries: attempts.reduce((sum, each) => sum + each - 1, 0),
    localActivities: new Set(local).size,
    timers: count((event) => event.timerStartedEventAttributes),
    signals: count((event) => event.workflowExecutionSignaledEventAttributes),
    updates: count((event) => event.workflowExecutionUpdateAcceptedEventAttributes),
    children: count((event) => event.startChildWorkflowExecutionInitiatedEventAttributes),
    attributes: count(({ upsertWorkflowSearchAttributesEventAttributes: upsert }) =>
      Object.keys(upsert?.searchAttributes?.indexedFields ?? {}).some((name) => name !== VERSIONS),
    ),
  };
}

/** What is billed of a workflow and of its portal queues, if no other run used them. */
export async function actionsWithPortalQueues(client: Client, workflowId: string): Promise<BilledActions> {
  let total = await billedOf(client, workflowId);
  for await (const queue of client.workflow.list({ query: `WorkflowType = 'portalQueue'` })) {
    const { events } = await client.workflow.getHandle(queue.workflowId, queue.runId).fetchHistory();
    const asked = events?.some(({ workflowExecutionSignaledEventAttributes: signal }) =>
      signal?.input?.payloads?.some(({ data }) => Buffer.from(data ?? []).includes(workflowId)),
    );
    if (asked) total = added(total, billedActions(events ?? []));
  }
  return total;
}

export async function billedOf(client: Client, workflowId: string): Promise<BilledActions> {
  const { events } = await client.workflow.getHandle(workflowId).fetchHistory();
  return billedActions(events ?? []);
}

const added = (one: BilledActions, other: BilledActions): BilledActions =>
  Object.fromEntries(
    Object.entries(one).map(([kind, count]) => [kind, Number(count) + other[kind as keyof BilledActions]]),
  ) as unknown as BilledActions;

/** All that is billed. */
export const sumOf = (actions: BilledActions): number =>
  Object.values(actions).reduce((sum: number, each: number) => sum + each, 0);
