import type { WorkflowExecutionDescription } from '@temporalio/client';
import { WorkflowNotFoundError } from '@temporalio/client';
import { mapLimited } from '../../../model/map-limited';
import { shortened } from '../../../model/text/shortened';
import { ClearWords } from '../../../temporal/encryption/decrypt-history';
import type { TemporalClient } from '../../../temporal/session';
import type { FailingTask } from '../run-view';

/** A task that failed stands among the last events of a history: each that goes well is followed by what it brought. */
const LAST_EVENTS = 20;
/** @format characters */
const MESSAGE_MAX = 300;
const LOOKS_AT_A_TIME = 8;

/**
 * Why an open run stands still though workers are there: its workflow task fails and is tried again, as after a deploy
 * of code that does not fit its history. Undefined where it does not.
 */
export async function failingTask(
  { client, namespace }: TemporalClient,
  { workflowId, runId, raw }: Pick<WorkflowExecutionDescription, 'workflowId' | 'runId' | 'raw'>,
): Promise<FailingTask | undefined> {
  const attempt = raw.pendingWorkflowTask?.attempt ?? 1;
  // Of the first attempt nothing has failed yet, and a worker that died costs one without a word.
  if (attempt < 2) return undefined;
  const { history } = await client.workflowService.getWorkflowExecutionHistoryReverse({
    namespace,
    execution: { workflowId, runId },
    maximumPageSize: LAST_EVENTS,
  });
  for (const event of history?.events ?? []) {
    if (event.workflowTaskCompletedEventAttributes) return undefined;
    const failed = event.workflowTaskFailedEventAttributes;
    if (failed) {
      const failure = await new ClearWords(client).failure(failed.failure);
      return { attempt, message: shortened(failure?.message ?? 'no reason given', MESSAGE_MAX) };
    }
  }
  return undefined;
}

/** The same of several runs, by their ids; those that are well, or over, are left out. */
export async function failingTasks(
  temporal: TemporalClient,
  runIds: readonly string[],
): Promise<ReadonlyMap<string, FailingTask>> {
  const found = await mapLimited(runIds, LOOKS_AT_A_TIME, async (runId) => {
    const failing = await temporal.client.workflow
      .getHandle(runId)
      .describe()
      .then((description) => failingTask(temporal, description))
      .catch((thrown: unknown) => {
        if (thrown instanceof WorkflowNotFoundError) return undefined;
        throw thrown;
      });
    return failing === undefined ? [] : ([[runId, failing]] as const);
  });
  return new Map(found.flat());
}
