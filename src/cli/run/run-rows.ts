import type { WorkflowExecutionInfo } from '@temporalio/client';
import type { Config } from '../../config/config';
import { PortolanError } from '../../model/errors/errors';
import { type RunRecord, runRecord } from '../../model/run/run';
import type { PhaseStatus, RunStatus } from '../../model/run/phase';
import { searchAttributeNames } from '../../model/run/search-attributes';
import { keys } from '../../store/keys';
import type { Store } from '../../store/store';
import { queueOf, readGates } from '../gate/gates';
import { readMemo } from '../../model/run/start-memo';
import { isRefusedQuery } from '../../temporal/connection';
import { type TemporalClient, withTemporal } from '../../temporal/session';
import { outcomeOf, saidOutcome, saidUnder } from './run-record';
import { readNote, type RunSources } from './run-sources';
import type { RunRow } from './run-view';

/**
 * Runs by Temporal's index and by the records of the store, which outlive it; newest first.
 * @param onUntold is told why a record is not believed
 */
export async function runRows(
  { store, temporal }: RunSources,
  onUntold?: (why: PortolanError) => void,
): Promise<RunRow[]> {
  const rows = new Map<string, RunRow>();
  for await (const record of storedRecords(store, onUntold)) rows.set(record.runId, rowOfRecord(record));
  if (temporal !== undefined) {
    for await (const { said, ...row } of indexedRows(temporal))
      rows.set(row.runId, merge(row, said, rows.get(row.runId)));
  }
  return [...rows.values()].sort((a, b) => b.startedAt.localeCompare(a.startedAt));
}

/** The same with where those stand that are in a queue, as far as the gates can be asked. */
export async function withQueues(
  { config, temporal }: RunSources,
  rows: readonly RunRow[],
): Promise<RunRow[]> {
  const isAsked = temporal !== undefined && rows.some(({ finishedAt }) => finishedAt === undefined);
  const gates = isAsked ? await readGates(temporal, config).catch(() => []) : [];
  return rows.map((row) => ({ ...row, queue: queueOf(row.runId, gates) }));
}

/** Ids of runs that can still go on, by Temporal and by the store. Throws `TEMPORAL_UNREACHABLE` where Temporal cannot say. */
export async function openRunIds(sources: Required<RunSources>): Promise<ReadonlySet<string>> {
  const rows = await runRows(sources);
  return new Set(rows.filter(({ finishedAt }) => finishedAt === undefined).map(({ runId }) => runId));
}

/** Ids of all runs that have not ended, by Temporal alone; undefined where it is out of reach. */
export async function openRunsIfKnown(config: Config): Promise<ReadonlySet<string> | undefined> {
  const open = new Set<string>();
  try {
    await withTemporal(config, async ({ client }) => {
      for await (const { workflowId } of listed(client, openOnes)) open.add(workflowId);
    });
    return open;
  } catch (thrown) {
    if (thrown instanceof PortolanError && thrown.code === 'TEMPORAL_UNREACHABLE') return undefined;
    throw thrown;
  }
}

async function* storedRecords(
  store: Store,
  onUntold?: (why: PortolanError) => void,
): AsyncGenerator<RunRecord> {
  for await (const key of store.list(keys.runs)) {
    if (!key.endsWith('/record.json')) continue;
    const { value: record, why } = await readNote(store, key, runRecord);
    if (why !== undefined) onUntold?.(why);
    if (record !== undefined) yield record;
  }
}

const notDone: ReadonlySet<string> = new Set<PhaseStatus>(['running', 'waiting', 'parked', 'failed']);

const rowOfRecord = (record: RunRecord): RunRow => ({
  runId: record.runId,
  kind: record.kind,
  operation: record.operation,
  route: record.route.name,
  status: record.status,
  phase: record.phases.findLast(({ status }) => notDone.has(status))?.name,
  window: record.finishedAt === undefined ? record.window : undefined,
  startedAt: record.startedAt,
  finishedAt: record.finishedAt,
  startedBy: record.startedBy,
  scheduledBy: record.scheduledBy,
});

/** A row with what the run said of itself, where it did. */
type IndexedRow = RunRow & { readonly said?: RunStatus };

const ours = `${searchAttributeNames.kind} IS NOT NULL`;
const openOnes = `${ours} AND ExecutionStatus = 'Running'`;
/** A long run has continued as a new execution, which is the one that tells how it is. */
const newestOnes = `${ours} AND ExecutionStatus != 'ContinuedAsNew'`;

async function* listed(
  client: TemporalClient['client'],
  query: string,
): AsyncGenerator<WorkflowExecutionInfo> {
  try {
    yield* client.workflow.list({ query });
  } catch (thrown) {
    // A server that no worker has met yet knows neither our attributes nor any run of ours.
    if (!isRefusedQuery(thrown)) throw thrown;
  }
}

async function* indexedRows({ client }: TemporalClient): AsyncGenerator<IndexedRow> {
  for await (const info of listed(client, newestOnes)) {
    const row = rowOfInfo(info);
    if (row !== undefined) yield row;
  }
}

function rowOfInfo(info: WorkflowExecutionInfo): IndexedRow | undefined {
  const memo = readMemo(info.memo);
  if (memo === undefined) return undefined;
  const attributes = info.typedSearchAttributes;
  const said = saidOutcome(attributes);
  const status = said ?? outcomeOf(info.status.name);
  return {
    said,
    runId: info.workflowId,
    kind: saidUnder(searchAttributeNames.kind, attributes) ?? 'sync',
    operation: memo.operation,
    route: memo.route.name,
    status,
    phase: notDone.has(status) ? saidUnder(searchAttributeNames.phase, attributes) : undefined,
    startedAt: info.startTime.toISOString(),
    finishedAt: info.closeTime?.toISOString(),
    startedBy: memo.startedBy,
    scheduledBy: memo.scheduledBy,
  };
}

/**
 * The index knows whether a run is over. The record of an open one knows that it waits; that it is parked, or is so
 * no longer, is said to the index first.
 */
function merge(indexed: RunRow, said: RunStatus | undefined, recorded: RunRow | undefined): RunRow {
  if (recorded === undefined) return indexed;
  if (indexed.finishedAt === undefined) {
    const isStale = recorded.finishedAt !== undefined || (said !== undefined && recorded.status === 'parked');
    const status = said === 'parked' || isStale ? indexed.status : recorded.status;
    return { ...indexed, startedAt: recorded.startedAt, status, window: recorded.window };
  }
  return recorded.finishedAt === undefined ? { ...recorded, ...indexed, window: undefined } : recorded;
}
