import { randomBytes } from 'node:crypto';
import { msToTs } from '@temporalio/common/lib/time';
import type { TemporalClient } from '../../../src/temporal/connection';

export interface ForeignCall {
  /** Of the worker that is to carry it out. */
  readonly namespace: string;
  readonly taskQueue: string;
  readonly activity: string;
  readonly input: unknown;
  /** As whom it is called. @default an id and a type of its own */
  readonly workflowId?: string;
  readonly workflowType?: string;
}

const SCHEDULE_ACTIVITY = 1;
const minute = msToTs('1 minute');

const payloadsOf = (value: unknown) => ({
  payloads: [{ metadata: { encoding: Buffer.from('json/plain') }, data: Buffer.from(JSON.stringify(value)) }],
});

/**
 * A workflow of somebody else, on a queue of their own, with no worker of ours: schedules an activity over another queue
 * by bare calls. Returns how that ended in words: what it gave back as JSON, or why it failed.
 */
export async function callAsForeigner(
  { client }: TemporalClient,
  { namespace, taskQueue, activity, input, ...as }: ForeignCall,
): Promise<string> {
  const { workflowService: service } = client;
  const own = { name: `foreign-${randomBytes(4).toString('hex')}` };
  const { workflowId = own.name, workflowType = 'foreign' } = as;
  await service.startWorkflowExecution({
    namespace,
    workflowId,
    taskQueue: own,
    requestId: own.name,
    workflowType: { name: workflowType },
    workflowTaskTimeout: minute,
  });
  const execution = await nextTask({
    commandType: SCHEDULE_ACTIVITY,
    scheduleActivityTaskCommandAttributes: {
      activityId: '1',
      activityType: { name: activity },
      taskQueue: { name: taskQueue },
      input: payloadsOf(input),
      startToCloseTimeout: minute,
      scheduleToCloseTimeout: minute,
      heartbeatTimeout: minute,
      retryPolicy: { maximumAttempts: 1 },
    },
  });
  // The second task comes when the activity is over.
  await nextTask();
  const handle = client.workflow.getHandle(workflowId, execution);
  const { events } = await handle.fetchHistory();
  await handle.terminate();
  const words = (events ?? []).flatMap((event) => {
    const done = event.activityTaskCompletedEventAttributes;
    const [payload] = done?.result?.payloads ?? [];
    const failure = event.activityTaskFailedEventAttributes?.failure;
    if (failure) return `${failure.applicationFailureInfo?.type}: ${failure.message}`;
    return done ? Buffer.from(payload?.data ?? []).toString() : [];
  });
  return words.at(-1) ?? 'nothing';

  async function nextTask(command?: object): Promise<string> {
    for (;;) {
      const task = await client.connection.withDeadline(Date.now() + 60_000, () =>
        service.pollWorkflowTaskQueue({ namespace, taskQueue: own, identity: own.name }),
      );
      if (task.taskToken.length === 0) continue;
      const commands = command ? [command] : [];
      await service.respondWorkflowTaskCompleted({ namespace, taskToken: task.taskToken, commands });
      return task.workflowExecution?.runId ?? '';
    }
  }
}
