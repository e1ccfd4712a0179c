import { type WorkflowExecutionDescription, WorkflowNotFoundError } from '@temporalio/client';
import type { FailingTask } from '../../../contract/run-row';
import { mapLimited } from '../../../model/map-limited';
import { shortened } from '../../../model/text/plain-text';
import { ClearWords } from '../../../temporal/encryption/decrypt-history';
import type { TemporalClient } from '../../../temporal/connection';

/** A failing task is among the last events of a history: a successful one is followed by its results. */
const LAST_EVENTS = 20;
/** @format characters */
const MESSAGE_MAX = 300;
const LOOKS_AT_A_TIME = 8;

/**
 * Why an open run makes no progress although workers run: its workflow task fails and is retried, as after deploying
 * code that does not fit its history. Undefined if it does not.
 */
export async function failingTask(
  { client, namespace }: TemporalClient,
  { workflowId, runId, raw }: Pick<WorkflowExecutionDescription, 'workflowId' | 'runId' | 'raw'>,
): Promise<FailingTask | undefined> {
  const attempt = raw.pendingWorkflowTask?.attempt ?? 1;
  // The first attempt has not failed yet, and a worker crash costs one attempt without a message.
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

/** The failing tasks of several runs, by ID; others are left out. */
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
