import { type WorkflowExecutionDescription, WorkflowNotFoundError } from '@temporalio/client';
import { type ChangeRecord, changeRecord } from '../../model/portal-change/change';
import { type ChangeMemo, readChangeMemo } from '../../model/portal-change/change-memo';
import { changeSteps } from '../../model/portal-change/change-steps';
import { keys } from '../../store/keys';
import { type RunSources, notFound } from '../run/run-sources';
import { outcomeOf } from '../run/run-record';
import { webUiOf } from '../run/read-run';
import type { ChangeView } from './change-view';

/** A change as Temporal and the store know it. Throws RUN_NOT_FOUND. */
export async function readChange(
  { config, store, temporal }: RunSources,
  runId: string,
): Promise<ChangeView> {
  const readStored = () => store.readJson(keys.record(runId), changeRecord).catch(() => undefined);
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
  const memo = readChangeMemo(description.memo);
  if (memo === undefined) throw notFound(runId);
  const open = description.status.name === 'RUNNING';
  // It may have written its end between the look at its record and the look at Temporal.
  const stored = open || before?.finishedAt !== undefined ? before : await readStored();
  const record = stored ?? firstRecord(memo, description);
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

const firstRecord = (
  { change, startedBy }: ChangeMemo,
  { workflowId, runId, startTime, status }: WorkflowExecutionDescription,
): ChangeRecord => ({
  ...change,
  runId: workflowId,
  status: outcomeOf(status.name),
  target: status.name === 'RUNNING' ? 'untouched' : 'unknown',
  temporal: { workflowId, runId },
  startedAt: startTime.toISOString(),
  startedBy,
  phases: changeSteps.map((name) => ({ name, status: 'pending' })),
  actions: [],
  warnings: [],
});
