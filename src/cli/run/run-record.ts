import type {
  WorkflowExecutionDescription,
  WorkflowExecutionInfo,
  WorkflowExecutionStatusName,
} from '@temporalio/client';
import { fillRecord } from '../../domain/run/run-record';
import { type RunStatus, runStatuses } from '../../model/run/phase';
import { type RunKind, type RunRecord, word } from '../../model/run/run';
import type { RunState } from '../../model/run/run-state';
import { searchAttributeNames } from '../../model/run/search-attributes';
import { readMemo } from '../../model/run/start-memo';
import { ledger, type LedgerList, ledgerLists } from '../../model/transfer/ledger';
import type { Store } from '../../store/store';
import { notFound } from './run-sources';

/**
 * The record that belongs to a state. Where its lists lie in a store that cannot be seen from here, they are
 * counts and keys.
 */
export async function recordOf(state: RunState, store: Store): Promise<RunRecord> {
  const readable =
    state.items === undefined ||
    (await store.readJson(state.items.ref, ledger).catch(() => undefined)) !== undefined;
  if (readable) return fillRecord(store, state);
  const { items, verification, ...rest } = state;
  return {
    ...rest,
    items: items && countsOf(items),
    verification: verification && {
      checked: verification.checked,
      references: verification.references,
      features: verification.features,
      notChecked: { count: verification.notChecked, ref: verification.ref },
      external: { count: verification.external, ref: verification.ref },
      findings: { count: verification.findings, ref: verification.ref },
    },
  };
}

function countsOf(items: NonNullable<RunState['items']>): NonNullable<RunRecord['items']> {
  const listOf = (list: LedgerList) => ({ count: items[list], ref: items.ref });
  const [imported, kept, blocked, skipped, failed, unaccounted] = ledgerLists.map(listOf);
  const none = { count: 0, ref: items.ref };
  return {
    imported: imported ?? none,
    kept: kept ?? none,
    blocked: blocked ?? none,
    skipped: skipped ?? none,
    failed: failed ?? none,
    unaccounted: unaccounted ?? none,
  };
}

/** What is known of a run that no worker has looked at yet. Throws `RUN_NOT_FOUND` where it is no run of ours. */
export function firstRecord({
  workflowId,
  runId,
  memo,
  startTime,
  status: { name },
  typedSearchAttributes,
}: WorkflowExecutionDescription): RunRecord {
  const started = readMemo(memo);
  if (started === undefined) throw notFound(workflowId);
  const { route, operation, startedBy, scheduledBy } = started;
  const kind = kindOf(typedSearchAttributes);
  const status = saidOutcome(typedSearchAttributes) ?? outcomeOf(name);
  return {
    runId: workflowId,
    kind,
    operation,
    status,
    target: status === 'running' ? 'untouched' : 'unknown',
    route,
    temporal: { workflowId, runId },
    startedAt: startTime.toISOString(),
    startedBy,
    scheduledBy,
    phases: [],
    actions: [],
    warnings: [],
    leftRunning: [],
  };
}

function kindOf(attributes: WorkflowExecutionInfo['typedSearchAttributes']): RunKind {
  const said = attributes.getAll().find(({ key }) => key.name === searchAttributeNames.kind)?.value;
  return word.safeParse(said).data ?? 'sync';
}

/** What a run has said of itself in Temporal's index: how it ended, that it is parked, or that it goes on again. */
export function saidOutcome(
  attributes: WorkflowExecutionInfo['typedSearchAttributes'],
): RunStatus | undefined {
  const said = attributes.getAll().find(({ key }) => key.name === searchAttributeNames.outcome)?.value;
  return runStatuses.find((status) => status === said);
}

/** What Temporal's own word means for a run that did not say it itself. */
export function outcomeOf(status: WorkflowExecutionStatusName): RunRecord['status'] {
  switch (status) {
    case 'RUNNING':
    case 'PAUSED':
    case 'CONTINUED_AS_NEW':
      return 'running';
    case 'COMPLETED':
      return 'succeeded';
    case 'CANCELLED':
      return 'cancelled';
    case 'FAILED':
    case 'TERMINATED':
    case 'TIMED_OUT':
    case 'UNSPECIFIED':
    case 'UNKNOWN':
      return 'failed';
  }
}
