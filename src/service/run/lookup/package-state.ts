import { WorkflowNotFoundError } from '@temporalio/client';
import type { Leftover } from '../../../domain/transfer/own-packages';
import { isOpenExecution } from '../../../domain/run/executions';
import { runRecord } from '../../../model/run/run';
import { keys } from '../../../store/keys';
import { isOfQueue } from './recorded-runs';
import { readNote, type ReadContext } from '../run-sources';

/**
 * The state of a run's package: one lookup in Temporal, and in the record if Temporal no longer has the run. A run
 * without a recorded end may continue elsewhere. Throws `TEMPORAL_UNREACHABLE` if Temporal cannot say.
 */
export async function packageState(
  { config, store, temporal }: Required<ReadContext>,
  runId: string,
): Promise<Leftover['state']> {
  const { taskQueue } = config.temporal;
  try {
    const run = await temporal.client.workflow.getHandle(runId).describe();
    if (run.taskQueue !== taskQueue) return 'of others';
    return isOpenExecution(run.status) ? 'in use' : 'left over';
  } catch (thrown) {
    if (!(thrown instanceof WorkflowNotFoundError)) throw thrown;
  }
  const { value: record } = await readNote(store, keys.record(runId), runRecord);
  if (record === undefined) return 'left over';
  if (!isOfQueue(record, taskQueue)) return 'of others';
  return record.finishedAt === undefined ? 'in use' : 'left over';
}
