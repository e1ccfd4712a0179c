import {
  type WorkflowExecutionDescription,
  type WorkflowExecutionInfo,
  type WorkflowExecutionStatusName,
  WorkflowFailedError,
  WorkflowNotFoundError,
} from '@temporalio/client';
import { ApplicationFailure } from '@temporalio/common';
import type { Config } from '../../config/config';
import { PortolanError } from '../../model/errors/errors';
import { type RunKind, runKinds, type RunRecord, runRecord } from '../../model/run/run';
import type { RunState } from '../../model/run/run-state';
import { type GateAddress, partsOfGateId } from '../../model/run/gate';
import { type RunStatus, runStatuses } from '../../model/run/phase';
import { searchAttributeNames } from '../../model/run/search-attributes';
import { messageNames } from '../../model/run/run-input';
import { keys } from '../../store/keys';
import type { Store } from '../../store/store';
import { queueOf, readGate } from '../gate/gates';
import { pendingActivitiesOf } from './pending-activities';
import type { RunView } from './render/run-show';
import { firstRecord, recordOf } from './run-record';
import { readMemo } from '../../model/run/start-memo';
import { type TemporalClient, workersOf } from '../../temporal/session';
import { webUiOf } from './web-ui';

/** A query without a worker hangs for half a minute; it only enriches what is known, so it gets this long. */
const queryDeadlineMs = 2_000;

/** Where runs are looked up. `temporal` is left out where it is out of reach: then the store alone answers. */
export interface RunSources {
  readonly config: Config;
  readonly store: Store;
  readonly temporal?: TemporalClient;
}

/** Everything that is known of a run. Throws `RUN_NOT_FOUND`. */
export async function readRun(sources: RunSources, runId: string): Promise<RunView> {
  const { config, store, temporal } = sources;
  const stored = await store.readJson(keys.record(runId), runRecord).catch(() => undefined);
  const description = temporal && (await describe(temporal, runId));
  if (temporal === undefined || description === undefined) {
    if (stored === undefined) throw notFound(runId);
    const note =
      temporal === undefined
        ? `Temporal is out of reach at ${config.temporal.address}; this is what the store recorded last`
        : 'Temporal no longer holds this run; this is what the store recorded';
    return { record: stored, open: false, source: 'record', pending: [], notes: [note] };
  }
  const open = description.status.name === 'RUNNING';
  const common = {
    open,
    pending: open ? pendingActivitiesOf(description) : [],
    ui: webUiOf(config, runId, description.runId),
  };
  if (!open) return { ...common, ...(await closedRun(sources, temporal, description, stored)) };

  const { taskQueue } = description;
  const workers = await workersOf(temporal, taskQueue).catch(() => undefined);
  const state = workers?.length === 0 ? undefined : await queryState(temporal, runId);
  if (state !== undefined) {
    const record = await recordOf(state, store);
    return await withQueue(temporal, taskQueue, { ...common, workers, record, source: 'run', notes: [] });
  }
  const why = workers?.length === 0 ? 'no worker is up' : 'no worker answered';
  return await withQueue(temporal, taskQueue, {
    ...common,
    workers,
    record: stored ?? recordFrom(description),
    source: stored === undefined ? 'start' : 'record',
    notes: [`${why}: this is what was recorded last`],
  });
}

/** Where an open run stands in line is known by the gate, which needs no worker to say so. */
async function withQueue(temporal: TemporalClient, taskQueue: string, view: RunView): Promise<RunView> {
  const { record, source } = view;
  const [asked] = record.queue === undefined ? [] : [partsOfGateId(record.queue.gate)];
  if (source === 'run' && asked === undefined) return view;
  const places = asked === undefined ? gatesOf(record, taskQueue) : [asked];
  const seen = await Promise.all(places.map((place) => readGate(temporal, place).catch(() => undefined)));
  const gates = seen.filter((gate) => gate !== undefined);
  const queue = queueOf(record.runId, gates) ?? (source === 'run' ? record.queue : undefined);
  if (queue === undefined) return { ...view, record: { ...record, queue } };
  const gate = gates.find(({ line }) => line.includes(record.runId));
  return { ...view, record: { ...record, queue }, gate };
}

function gatesOf({ route: { source, target } }: RunRecord, taskQueue: string): GateAddress[] {
  const ofSource: GateAddress = { taskQueue, portal: source.portal, direction: 'export' };
  if (!target) return [ofSource];
  const { portal } = target;
  return [ofSource, { taskQueue, portal, direction: 'export' }, { taskQueue, portal, direction: 'import' }];
}

async function describe(
  temporal: TemporalClient,
  runId: string,
): Promise<WorkflowExecutionDescription | undefined> {
  try {
    const description = await temporal.client.workflow.getHandle(runId).describe();
    // Another program's workflow in the same namespace is no run of ours.
    return readMemo(description.memo) === undefined ? undefined : description;
  } catch (thrown) {
    if (thrown instanceof WorkflowNotFoundError) return undefined;
    throw thrown;
  }
}

/** An ended run has written its record last; where its store is not ours, its result says the same in figures. */
async function closedRun(
  { store }: RunSources,
  temporal: TemporalClient,
  description: WorkflowExecutionDescription,
  before: RunRecord | undefined,
): Promise<Pick<RunView, 'record' | 'source' | 'notes'>> {
  // It may have written its end between the look at its record and the look at Temporal.
  const stored =
    before?.finishedAt === undefined
      ? ((await store.readJson(keys.record(description.workflowId), runRecord).catch(() => undefined)) ??
        before)
      : before;
  if (stored?.finishedAt !== undefined) return { record: stored, source: 'record', notes: [] };
  const result = await temporal.client.workflow
    .getHandle(description.workflowId, description.runId)
    .result()
    .catch(stateOfFailure);
  if (isState(result)) return { record: await recordOf(result, store), source: 'run', notes: [] };
  const word = description.status.name.toLowerCase().replaceAll('_', ' ');
  const record = stored ?? recordFrom(description);
  return {
    record: {
      ...record,
      status: outcomeOf(description.status.name),
      target: untouchedYet(record) ? record.target : 'unknown',
      finishedAt: description.closeTime?.toISOString(),
    },
    source: stored === undefined ? 'start' : 'record',
    notes: [
      `Temporal ended this run (${word}) before it could write its end; packages of it are found by: portolan clean`,
    ],
  };
}

/** Before the upload began there is nothing on the target that the run can have touched. */
const untouchedYet = (record: RunRecord): boolean =>
  record.phases.find(({ name }) => name === 'import')?.status === 'pending';

/** A run that failed carries its state in the failure. */
function stateOfFailure(thrown: unknown): unknown {
  const cause = thrown instanceof WorkflowFailedError ? thrown.cause : undefined;
  return cause instanceof ApplicationFailure ? cause.details?.[0] : undefined;
}

const isState = (value: unknown): value is RunState =>
  typeof value === 'object' && value !== null && 'runId' in value && 'phases' in value;

async function queryState(
  { client, connection }: TemporalClient,
  runId: string,
): Promise<RunState | undefined> {
  try {
    return await connection.withDeadline(Date.now() + queryDeadlineMs, () =>
      client.workflow.getHandle(runId).query<RunState>(messageNames.state),
    );
  } catch {
    return undefined;
  }
}

function recordFrom(description: WorkflowExecutionDescription): RunRecord {
  const memo = readMemo(description.memo);
  if (memo === undefined) throw notFound(description.workflowId);
  return firstRecord(memo, {
    workflowId: description.workflowId,
    runId: description.runId,
    kind: kindOf(description.typedSearchAttributes),
    startedAt: description.startTime,
    status: saidOutcome(description.typedSearchAttributes) ?? outcomeOf(description.status.name),
  });
}

function kindOf(attributes: WorkflowExecutionInfo['typedSearchAttributes']): RunKind {
  const said = attributes.getAll().find(({ key }) => key.name === searchAttributeNames.kind)?.value;
  return runKinds.find((kind) => kind === said) ?? 'sync';
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

export const notFound = (runId: string): PortolanError =>
  new PortolanError('RUN_NOT_FOUND', `There is no run "${runId}".`);
