import { setTimeout as sleep } from 'node:timers/promises';
import {
  type WorkflowExecutionDescription,
  WorkflowFailedError,
  WorkflowNotFoundError,
} from '@temporalio/client';
import { ApplicationFailure, CancelledFailure } from '@temporalio/common';
import { tsToMs } from '@temporalio/common/lib/time';
import type { FailingTask } from '../../contract/run-row';
import type { PendingActivity, RunView } from '../../contract/runs';
import { PortolanError } from '../../model/errors/errors';
import { type PortalQueueAddress, parsePortalQueueId } from '../../model/run/portal-queue';
import { isOpenExecution } from '../../domain/run/executions';
import { type RecordEnd, type RunRecord, runRecord } from '../../model/run/run';
import { messageNames } from '../../model/run/run-input';
import { shortRunId, searchAttributeNames } from '../../model/run/run-id';
import type { RunState } from '../../model/run/run-state';
import { readMemo } from '../../model/run/start-memo';
import { type Plan, plan } from '../../model/transfer/plan';
import { keys } from '../../store/keys';
import type { Store } from '../../store/store';
import { ClearWords } from '../../temporal/encryption/decrypt-history';
import type { TemporalClient } from '../../temporal/connection';
import { workersOf, pinnedVersionOf } from '../../temporal/task-queue';
import { queueOf, readPortalQueue } from '../portal-queue/read-portal-queues';
import {
  firstRecord,
  hasBegun,
  isUntouchedYet,
  outcomeOf,
  recordOf,
  readSearchAttribute,
} from './run-record';
import { type Noted, notFound, ofOthers, readNote, type ReadContext } from './run-sources';
import { failingWords } from './run-view';
import { failingTask } from './lookup/failing-task';
import { oneLine } from '../../model/text/plain-text';

/** Time limit of a query: without a worker it would hang for half a minute, and it only adds detail. */
const queryDeadlineMs = 2_000;
/** @format milliseconds */
const LOOK_EVERY_MS = 200;
/** Time between a run's last write and its end, which is one response of its worker. @format milliseconds */
const ENDS_WITHIN_MS = 10_000;

/** Everything known about a run. Throws `RUN_NOT_FOUND`, also for one of another task queue. */
export async function readRun(sources: ReadContext, runId: string): Promise<RunView> {
  const { config, store, temporal } = sources;
  const { value: stored, why } = await readNote(store, keys.record(runId), runRecord);
  const untold = why === undefined ? [] : [`cannot show its record: ${why.plainMessage}`];
  const description = temporal && (await describe(temporal, runId, stored));
  const queue = description?.taskQueue ?? stored?.temporal.taskQueue ?? config.temporal.taskQueue;
  if (queue !== config.temporal.taskQueue) throw ofOthers(runId, queue, config);
  if (temporal === undefined || description === undefined) {
    if (stored === undefined) throw why ?? notFound(runId);
    const note =
      temporal === undefined
        ? `cannot reach Temporal at ${config.temporal.address}; showing the last recorded state`
        : 'Temporal no longer holds this run; showing its record';
    return { record: stored, open: false, source: 'record', pending: [], notes: [note] };
  }
  const open = isOpenExecution(description.status);
  const common = {
    open,
    pending: open ? await pendingActivitiesOf(temporal, description) : [],
  };
  if (!open) {
    const closed = await closedRun(sources, temporal, description, stored);
    return { ...common, ...closed, notes: [...untold, ...closed.notes] };
  }

  const { taskQueue } = description;
  const workers = await workersOf(temporal, taskQueue, pinnedVersionOf(description)?.buildId).catch(
    () => undefined,
  );
  // An unreachable server must not hide everything else.
  const failing = await failingTask(temporal, description).catch(() => undefined);
  // Queries fail while a workflow task fails, so the state is as of the last successful task.
  const isAsked = workers?.length !== 0 && failing === undefined;
  const state = isAsked ? await queryState(temporal, runId) : undefined;
  if (state !== undefined) {
    const record = await recordOf(state, store);
    return await withQueue(temporal, taskQueue, { ...common, workers, record, source: 'run', notes: untold });
  }
  return await withQueue(temporal, taskQueue, {
    ...common,
    workers,
    record: stored ?? firstRecord(description),
    source: stored === undefined ? 'start' : 'record',
    failing,
    notes: [
      ...untold,
      failing ? failingNote(failing) : unansweredNote(temporal, description, workers, stored),
    ],
  });
}

/** A run once it has ended, or its state after this time. @param withinMs @default for as long as it takes */
export async function untilOver(sources: ReadContext, runId: string, withinMs = Infinity): Promise<RunView> {
  for (const until = Date.now() + withinMs; ; await sleep(LOOK_EVERY_MS)) {
    const view = await readRun(sources, runId);
    if (!view.open || Date.now() > until) return view;
  }
}

/** A caller that saw the end may start the next run at once, slightly before Temporal knows the end. */
export const awaitRecordedEnd = async (sources: ReadContext, found: RunView): Promise<RunView> =>
  found.open && found.record.finishedAt !== undefined
    ? await untilOver(sources, found.record.runId, ENDS_WITHIN_MS)
    : found;

function failingNote(failing: FailingTask): string {
  const { saw, todo } = failingWords(failing);
  return `${oneLine(saw)}. ${todo}`;
}

/** The source of what is shown about an open run if no worker responded. */
function unansweredNote(
  { namespace }: TemporalClient,
  description: WorkflowExecutionDescription,
  workers: readonly string[] | undefined,
  stored: RunRecord | undefined,
): string {
  const { typedSearchAttributes } = description;
  const isNoneUp = workers?.length === 0;
  if (stored === undefined && !hasBegun(typedSearchAttributes)) {
    const todo = isNoneUp ? '. Start one: portolan worker' : '';
    return `waiting for a worker; no phase has started${todo}`;
  }
  const why = isNoneUp ? noWorkerWords(namespace, description, stored) : 'no worker responded';
  const phase = readSearchAttribute(searchAttributeNames.phase, typedSearchAttributes) ?? 'its first phase';
  return stored === undefined
    ? `${why}, and its store cannot be read from here; it has reached ${phase}`
    : `${why}; showing the last recorded state`;
}

function noWorkerWords(
  namespace: string,
  description: WorkflowExecutionDescription,
  stored: RunRecord | undefined,
): string {
  const pinned = pinnedVersionOf(description);
  if (!pinned) return 'no worker is running';
  const { workflowId } = description;
  const move =
    stored?.status === 'parked'
      ? `portolan run resume ${shortRunId(workflowId)}`
      : [
          `temporal workflow update-options --namespace ${namespace} --workflow-id ${workflowId}`,
          `--versioning-override-behavior pinned --versioning-override-deployment-name ${pinned.deploymentName}`,
          '--versioning-override-build-id VERSION',
        ].join(' ');
  return `no worker of version ${pinned.buildId} is running, to which the run is pinned (to move it: ${move})`;
}

/** The portal queue knows whether an open run waits in it, and needs no worker to say so. */
async function withQueue(temporal: TemporalClient, taskQueue: string, view: RunView): Promise<RunView> {
  const { record, source } = view;
  const [asked] = record.queue === undefined ? [] : [parsePortalQueueId(record.queue.id)];
  if (source === 'run' && asked === undefined) return view;
  const addresses = asked === undefined ? queuesOf(record, taskQueue) : [asked];
  const seen = await Promise.all(
    addresses.map((address) => readPortalQueue(temporal, address).catch(() => undefined)),
  );
  const queues = seen.filter((each) => each !== undefined);
  const queue = queueOf(record.runId, queues) ?? (source === 'run' ? record.queue : undefined);
  if (queue === undefined) return { ...view, record: { ...record, queue } };
  const portalQueue = queues.find(({ waiting }) => waiting.includes(record.runId));
  return { ...view, record: { ...record, queue }, portalQueue };
}

/** Only exports and imports of groups need a slot. */
function queuesOf({ route: { source, target } }: RunRecord, taskQueue: string): PortalQueueAddress[] {
  const address = (
    { portal, groupId }: RecordEnd,
    direction: PortalQueueAddress['direction'],
  ): PortalQueueAddress[] => (groupId === undefined ? [] : [{ taskQueue, portal, direction }]);
  return [
    ...(source ? address(source, 'export') : []),
    ...(target ? [...address(target, 'export'), ...address(target, 'import')] : []),
  ];
}

async function describe(
  temporal: TemporalClient,
  runId: string,
  stored: RunRecord | undefined,
): Promise<WorkflowExecutionDescription | undefined> {
  try {
    const description = await temporal.client.workflow.getHandle(runId).describe();
    // A refused start has a record; its input cannot be trusted.
    const isRecorded = stored?.temporal.runId === description.runId;
    // A workflow of another program in the namespace.
    return isRecorded || readMemo(description.memo) !== undefined ? description : undefined;
  } catch (thrown) {
    if (thrown instanceof WorkflowNotFoundError) return undefined;
    throw thrown;
  }
}

/** The plan of a run with all rows; undefined without a reason if its store cannot be read here. */
export async function readPlan(store: Store, { plan: figures }: RunRecord): Promise<Noted<Plan>> {
  return figures?.ref === undefined ? {} : await readNote(store, figures.ref, plan);
}

/** An ended run wrote its record last; if its store is not readable here, its result has the same counts. */
async function closedRun(
  { store }: ReadContext,
  temporal: TemporalClient,
  description: WorkflowExecutionDescription,
  before: RunRecord | undefined,
): Promise<Pick<RunView, 'record' | 'source' | 'notes'>> {
  // The run may have ended between the two lookups.
  const stored =
    before?.finishedAt === undefined
      ? ((await readNote(store, keys.record(description.workflowId), runRecord)).value ?? before)
      : before;
  if (stored?.finishedAt !== undefined) return { record: stored, source: 'record', notes: [] };
  const result = await temporal.client.workflow
    .getHandle(description.workflowId, description.runId)
    .result()
    .catch(stateOfFailure);
  if (isState(result)) return { record: await recordOf(result, store), source: 'run', notes: [] };
  const word = description.status.name.toLowerCase().replaceAll('_', ' ');
  const record = stored ?? firstRecord(description);
  const phaseSaid = readSearchAttribute(searchAttributeNames.phase, description.typedSearchAttributes);
  const packages = record.operation === undefined ? '; find its packages with: portolan clean' : '';
  return {
    record: {
      ...record,
      status: outcomeOf(description.status.name),
      target: isUntouchedYet(record, phaseSaid) ? record.target : 'unknown',
      finishedAt: description.closeTime?.toISOString(),
    },
    source: stored === undefined ? 'start' : 'record',
    notes: [`Temporal ended this run (${word}) before it could record its end${packages}`],
  };
}

/** A failed or cancelled run carries its state in the failure. */
function stateOfFailure(thrown: unknown): unknown {
  if (thrown instanceof PortolanError) throw thrown;
  const cause = thrown instanceof WorkflowFailedError ? thrown.cause : undefined;
  const carries = cause instanceof ApplicationFailure || cause instanceof CancelledFailure;
  return carries ? cause.details?.[0] : undefined;
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
  } catch (thrown) {
    if (thrown instanceof PortolanError) throw thrown;
    return undefined;
  }
}

type RawPending = NonNullable<WorkflowExecutionDescription['raw']['pendingActivities']>[number];

/** Pending activities; known without a worker. */
const pendingActivitiesOf = async (
  { client }: TemporalClient,
  description: WorkflowExecutionDescription,
): Promise<PendingActivity[]> => {
  const words = new ClearWords(client);
  return await Promise.all(
    (description.raw.pendingActivities ?? []).map(async (raw) => ({
      type: raw.activityType?.name ?? '?',
      attempt: raw.attempt ?? 1,
      details: await heartbeatOf(words, raw),
      lastFailure: (await words.failure(raw.lastFailure))?.message ?? undefined,
      scheduledAt: raw.scheduledTime ? tsToMs(raw.scheduledTime) : undefined,
      nextAttemptAt: waitsUntil(raw),
    })),
  );
};

async function heartbeatOf(words: ClearWords, raw: RawPending): Promise<unknown> {
  try {
    return await words.first(raw.heartbeatDetails?.payloads);
  } catch (thrown) {
    if (thrown instanceof PortolanError) throw thrown;
    return undefined;
  }
}

const waitsUntil = (raw: RawPending): number | undefined => {
  const at = raw.nextAttemptScheduleTime ? tsToMs(raw.nextAttemptScheduleTime) : undefined;
  return at !== undefined && at > Date.now() ? at : undefined;
};
