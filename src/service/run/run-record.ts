import { forEachList } from '../../model/transfer/ledger-lists';
import type {
  WorkflowExecutionDescription,
  WorkflowExecutionInfo,
  WorkflowExecutionStatusName,
} from '@temporalio/client';
import { fillRecord } from '../../domain/run/run-record';
import { type PhaseStatus, type RunStatus, runStatuses } from '../../model/run/phase';
import { type RunKind, type RunRecord, word } from '../../model/run/run';
import type { RunState } from '../../model/run/run-state';
import { searchAttributeNames } from '../../model/run/run-id';
import { readMemo } from '../../model/run/start-memo';
import { ledger } from '../../model/transfer/ledger';
import type { Store } from '../../store/store';
import { notFound } from './run-sources';

/** The record of a state. Lists in a store that is not readable here stay as counts and keys. */
export async function recordOf(state: RunState, store: Store): Promise<RunRecord> {
  const readable =
    state.items === undefined ||
    (await store.readJson(state.items.ref, ledger).catch(() => undefined)) !== undefined;
  if (readable) return fillRecord(store, state);
  const { items, verification, ...rest } = state;
  return {
    ...rest,
    items: items && forEachList((list) => ({ count: items[list], ref: items.ref })),
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

/**
 * What Temporal knows about a run without a record here: no worker has taken it yet, or it uses another store.
 * Throws `RUN_NOT_FOUND` for other workflows.
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

/** A search attribute of a run, one of `searchAttributeNames`. */
export function readSearchAttribute(name: string, attributes: Attributes): string | undefined {
  const value = attributes.getAll().find(({ key }) => key.name === name)?.value;
  return typeof value === 'string' ? value : undefined;
}

/** Whether a worker has taken it: a run reports its first phase before anything else. */
export const hasBegun = (attributes: Attributes): boolean =>
  readSearchAttribute(searchAttributeNames.phase, attributes) !== undefined;

const kindOf = (attributes: Attributes): RunKind =>
  word.safeParse(readSearchAttribute(searchAttributeNames.kind, attributes)).data ?? 'sync';

/** Phase states in which the index names the phase. */
export const notDone: ReadonlySet<string> = new Set<PhaseStatus>(['running', 'waiting', 'parked', 'failed']);

/** The outcome it reported: its end, parked, or resumed. */
export function saidOutcome(attributes: Attributes): RunStatus | undefined {
  const said = readSearchAttribute(searchAttributeNames.outcome, attributes);
  return runStatuses.find((status) => status === said);
}

/** Phases that write to the target. */
const writing: ReadonlySet<string> = new Set(['import', 'write']);

/**
 * Whether a run that could not record its end left its target unchanged: neither its record, written after each
 * phase, nor the index, written at the start of each phase, shows a phase that writes.
 */
export function isUntouchedYet({ phases }: RunRecord, phaseSaid: string | undefined): boolean {
  const writes = phases.findIndex(({ name }) => writing.has(name));
  const reached = phases.findIndex(({ name }) => name === phaseSaid);
  return phases[writes]?.status === 'pending' && reached < writes;
}

/** The status for Temporal's own, if the run reported none. */
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
