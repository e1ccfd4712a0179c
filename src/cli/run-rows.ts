import type { WorkflowExecutionInfo } from '@temporalio/client';
import { type RunRecord, runRecord } from '../model/run';
import type { RunStatus } from '../model/phase';
import { runStatuses } from '../model/phase';
import { searchAttributeNames } from '../model/search-attributes';
import { keys } from '../store/keys';
import type { Store } from '../store/store';
import { outcomeOf, type RunSources } from './read-run';
import { readMemo } from '../model/start-memo';
import { isRefusedQuery } from './temporal-failure';
import type { TemporalClient } from './temporal';

/** A run in one line. */
export interface RunRow {
  readonly runId: string;
  readonly kind: string;
  readonly route: string;
  readonly status: RunStatus;
  readonly phase?: string;
  readonly startedAt: string;
  readonly finishedAt?: string;
}

/** Runs by Temporal's index and by the records of the store, which outlive it; newest first. */
export async function runRows({ store, temporal }: RunSources): Promise<RunRow[]> {
  const rows = new Map<string, RunRow>();
  for await (const record of storedRecords(store)) rows.set(record.runId, rowOfRecord(record));
  if (temporal !== undefined) {
    for await (const row of indexedRows(temporal)) rows.set(row.runId, merge(row, rows.get(row.runId)));
  }
  return [...rows.values()].sort((a, b) => b.startedAt.localeCompare(a.startedAt));
}

async function* storedRecords(store: Store): AsyncGenerator<RunRecord> {
  for await (const key of store.list(keys.runs)) {
    if (!key.endsWith('/record.json')) continue;
    const record = await store.readJson(key, runRecord).catch(() => undefined);
    if (record !== undefined) yield record;
  }
}

const rowOfRecord = (record: RunRecord): RunRow => ({
  runId: record.runId,
  kind: record.kind,
  route: record.route.name,
  status: record.status,
  phase: record.phases.findLast(
    ({ status }) => status === 'running' || status === 'waiting' || status === 'failed',
  )?.name,
  startedAt: record.startedAt,
  finishedAt: record.finishedAt,
});

async function* indexedRows({ client }: TemporalClient): AsyncGenerator<RunRow> {
  try {
    for await (const info of client.workflow.list({ query: `${searchAttributeNames.kind} IS NOT NULL` })) {
      const row = rowOfInfo(info);
      if (row !== undefined) yield row;
    }
  } catch (thrown) {
    // A server that no worker has met yet knows neither our attributes nor any run of ours.
    if (!isRefusedQuery(thrown)) throw thrown;
  }
}

function rowOfInfo(info: WorkflowExecutionInfo): RunRow | undefined {
  const memo = readMemo(info.memo);
  if (memo === undefined) return undefined;
  const attribute = (name: string): string | undefined => {
    const value = info.typedSearchAttributes.getAll().find(({ key }) => key.name === name)?.value;
    return typeof value === 'string' ? value : undefined;
  };
  const outcome = attribute(searchAttributeNames.outcome);
  const status = runStatuses.find((each) => each === outcome) ?? outcomeOf(info.status.name);
  return {
    runId: info.workflowId,
    kind: attribute(searchAttributeNames.kind) ?? 'sync',
    route: memo.route.name,
    status,
    phase: status === 'running' || status === 'failed' ? attribute(searchAttributeNames.phase) : undefined,
    startedAt: info.startTime.toISOString(),
    finishedAt: info.closeTime?.toISOString(),
  };
}

/** The index knows whether a run is over; the record of an open one knows that it waits. */
function merge(indexed: RunRow, recorded: RunRow | undefined): RunRow {
  if (recorded === undefined) return indexed;
  if (indexed.finishedAt === undefined) {
    return { ...indexed, status: recorded.finishedAt === undefined ? recorded.status : indexed.status };
  }
  return recorded.finishedAt === undefined ? { ...recorded, ...indexed } : recorded;
}
