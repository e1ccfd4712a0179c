import type {
  WorkflowExecutionDescription,
  WorkflowExecutionInfo,
  WorkflowExecutionStatusName,
} from '@temporalio/client';
import { fillRecord } from '../../domain/run/run-record';
import { type PhaseStatus, type RunStatus, runStatuses } from '../../model/run/phase';
import { type RunKind, type RunRecord, word } from '../../model/run/run';
import type { RunState } from '../../model/run/run-state';
import { searchAttributeNames } from '../../model/run/search-attributes';
import { readMemo } from '../../model/run/start-memo';
import { ledger } from '../../model/transfer/ledger';
import { type LedgerList, ledgerLists } from '../../model/transfer/ledger-lists';
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
  const listOf = (list: LedgerList) => ({ count: items[list] ?? 0, ref: items.ref });
  const entries = ledgerLists.map((list) => [list, listOf(list)]);
  return Object.fromEntries(entries) as NonNullable<RunRecord['items']>;
}

/**
 * What Temporal knows of a run that has no record here: no worker has taken it yet, or its store is another one. Throws
 * `RUN_NOT_FOUND` where it is no run of ours.
 */
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
    target: status === 'running' && !hasBegun(typedSearchAttributes) ? 'untouched' : 'unknown',
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

type Attributes = WorkflowExecutionInfo['typedSearchAttributes'];

/** What a run has said of itself in Temporal's index under one of `searchAttributeNames`. */
export function readSearchAttribute(name: string, attributes: Attributes): string | undefined {
  const value = attributes.getAll().find(({ key }) => key.name === name)?.value;
  return typeof value === 'string' ? value : undefined;
}

/** Whether a worker has taken it: a run says its first phase before it does anything. */
export const hasBegun = (attributes: Attributes): boolean =>
  readSearchAttribute(searchAttributeNames.phase, attributes) !== undefined;

const kindOf = (attributes: Attributes): RunKind =>
  word.safeParse(readSearchAttribute(searchAttributeNames.kind, attributes)).data ?? 'sync';

/** States of a phase, and of the run that has come to it, in which the phase is named. */
export const notDone: ReadonlySet<string> = new Set<PhaseStatus>(['running', 'waiting', 'parked', 'failed']);

/** How it said that it ended, that it is parked, or that it goes on again. */
export function saidOutcome(attributes: Attributes): RunStatus | undefined {
  const said = readSearchAttribute(searchAttributeNames.outcome, attributes);
  return runStatuses.find((status) => status === said);
}

/** Phases in which a target is written. */
const writing: ReadonlySet<string> = new Set(['import', 'write']);

/**
 * Whether a run that could not write its end has left its target as it was: it has not come to a phase that writes,
 * neither by its record, which it writes at the end of each, nor by the one that it said to the index as it began.
 */
export function isUntouchedYet({ phases }: RunRecord, phaseSaid: string | undefined): boolean {
  const writes = phases.findIndex(({ name }) => writing.has(name));
  const reached = phases.findIndex(({ name }) => name === phaseSaid);
  return phases[writes]?.status === 'pending' && reached < writes;
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
