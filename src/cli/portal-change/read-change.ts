import { WorkflowNotFoundError } from '@temporalio/client';
import { runRecord } from '../../model/run/run';
import { readMemo } from '../../model/run/start-memo';
import { keys } from '../../store/keys';
import { type RunSources, notFound } from '../run/run-sources';
import { firstRecord, outcomeOf } from '../run/run-record';
import { webUiOf } from '../run/read-run';
import type { ChangeView } from './change-view';

/** A change as Temporal and the store know it. Throws RUN_NOT_FOUND. */
export async function readChange(
  { config, store, temporal }: RunSources,
  runId: string,
): Promise<ChangeView> {
  const readStored = () => store.readJson(keys.record(runId), runRecord).catch(() => undefined);
  const before = await readStored();
  const description = await temporal?.client.workflow
    .getHandle(runId)
    .describe()
    .catch((thrown: unknown) => {
      if (thrown instanceof WorkflowNotFoundError) return undefined;
      throw thrown;
    });
  if (description === undefined) {
    if (before === undefined) throw notFound(runId);
    return { record: before, open: false, notes: ['this is what the store recorded'] };
  }
  const memo = readMemo(description.memo);
  if (memo === undefined) throw notFound(runId);
  const open = description.status.name === 'RUNNING';
  // It may have written its end between the look at its record and the look at Temporal.
  const stored = open || before?.finishedAt !== undefined ? before : await readStored();
  const record = stored ?? firstRecord(description);
  const ui = webUiOf(config, runId, description.runId);
  if (open || record.finishedAt !== undefined) return { record, open, notes: [], ui };
  const word = description.status.name.toLowerCase().replaceAll('_', ' ');
  const finishedAt = description.closeTime?.toISOString();
  return {
    record: { ...record, status: outcomeOf(description.status.name), target: 'unknown', finishedAt },
    open,
    notes: [`Temporal ended it (${word}) before it could write its end`],
    ui,
  };
}
