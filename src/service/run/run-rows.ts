import { WorkflowNotFoundError } from '@temporalio/client';
import type { RunRow } from '../../contract/run-row';
import type { PortolanError } from '../../model/errors/errors';
import { mapLimited } from '../../model/map-limited';
import { queueOf, readPortalQueues } from '../portal-queue/portal-queues';
import type { TemporalClient } from '../../temporal/connection';
import {
  fits,
  type IndexedRow,
  isOfOpenOnes,
  newestIndexed,
  rowOfInfo,
  type RunFilter,
} from './lookup/indexed-runs';
import { READ_AT_A_TIME, RecordedRuns, rowOfRecord, type Sketch } from './lookup/recorded-runs';
import { failingTasks } from './lookup/failing-task';
import type { ReadContext } from './run-sources';

/** Maximum records read for one page when only records can tell which runs match. */
const LOOKS_MAX = 500;

export interface RunPage {
  /** Newest first. Runs of the same moment stay together, so a page may exceed the limit. */
  readonly rows: readonly RunRow[];
  /** Start time before which older runs follow; absent if there are none. @format milliseconds since the epoch */
  readonly next?: number;
  /** Where reading records stopped: earlier runs that Temporal no longer has may be missing. */
  readonly unread?: number;
}

export interface PageOptions extends RunFilter {
  /** @default all */
  readonly limit?: number;
  /** Called with the reason a record is not trusted. */
  readonly onUntold?: (why: PortolanError) => void;
}

/**
 * The newest matching runs of this task queue, by Temporal's index and the store's records, which are kept longer.
 * The cost depends on the page size, not on the number of runs.
 */
export async function runPage(
  sources: ReadContext,
  { limit = Infinity, onUntold, ...filter }: PageOptions = {},
): Promise<RunPage> {
  const records = new RecordedRuns(sources, onUntold);
  const isToldWhole = sources.temporal !== undefined && isOfOpenOnes(filter);
  const { rows: found, told, readTo = -Infinity } = await indexedRows(sources, records, filter, limit);
  const indexed = found.filter(({ at }) => at >= readTo);
  const from = Math.max(filter.from ?? -Infinity, readTo);
  const { rows: recorded, unread = readTo } = isToldWhole
    ? { rows: [] }
    : await recordedRows(sources, records, { filter: { ...filter, from }, limit, indexed, told });
  const page = newest([...indexed, ...recorded], limit);
  const last = page.length >= limit ? page.at(-1) : undefined;
  return {
    rows: page.map(({ row }) => row).sort((a, b) => b.startedAt.localeCompare(a.startedAt)),
    next: last?.at,
    unread: last === undefined && unread !== -Infinity ? unread : undefined,
  };
}

/** A row and its position: when Temporal started it, or what its ID says. */
interface Placed {
  readonly row: RunRow;
  /** Milliseconds since the epoch. */
  readonly at: number;
}

/** The newest rows, newest first, and those of the same moment as the last one. */
function newest(all: readonly Placed[], limit: number): Placed[] {
  const sorted = [...all].sort((a, b) => b.at - a.at);
  const last = sorted[Math.min(limit, sorted.length) - 1];
  return last === undefined ? [] : sorted.filter(({ at }) => at >= last.at);
}

/** Rows from Temporal; `told` holds the IDs of all runs checked. */
async function indexedRows(
  { config, temporal }: ReadContext,
  records: RecordedRuns,
  filter: RunFilter,
  limit: number,
): Promise<{ rows: Placed[]; told: ReadonlySet<string>; readTo?: number }> {
  const { status } = filter;
  // Only records show which open runs wait.
  const enough = status === 'running' || status === 'waiting' ? Infinity : limit;
  const {
    rows: all,
    told,
    readTo,
  } = temporal
    ? await newestIndexed(temporal, config.temporal.taskQueue, filter, enough)
    : { rows: [], told: new Set<string>() };
  const placed = all.map((row) => ({ row, at: Date.parse(row.startedAt) }));
  const rows = await mapLimited(newest(placed, enough), READ_AT_A_TIME, async ({ row, at }) => {
    const record = await records.record(row.runId);
    return { row: merge(row, record && rowOfRecord(record)), at };
  });
  return { rows: rows.filter(({ row }) => isMeant(row, filter)), told, readTo };
}

interface Looking {
  readonly filter: RunFilter;
  readonly limit: number;
  readonly indexed: readonly Placed[];
  readonly told: ReadonlySet<string>;
}

/** Rows that only the store has, as far as they belong on the page. */
async function recordedRows(
  { config, temporal }: ReadContext,
  records: RecordedRuns,
  { filter, limit, indexed, told }: Looking,
): Promise<{ rows: Placed[]; unread?: number }> {
  const { from = -Infinity } = filter;
  const timeline = await records.timeline(filter.route ?? filter.pipeline);
  const rows: Placed[] = [];
  const step = Math.max(1, limit);
  let time = filter.before ?? Infinity;
  for (let looks = 0; ;) {
    const page = newest([...indexed, ...rows], limit);
    const oldest = Math.max(from, page.length < limit ? -Infinity : (page.at(-1)?.at ?? -Infinity));
    const next = await timeline.before(time, step);
    const [first, last] = [next[0], next.at(-1)];
    if (first === undefined || last === undefined || first.at < oldest) break;
    if (looks >= LOOKS_MAX) return { rows, unread: time };
    time = last.at;
    const batch = next.filter(({ runId, at }) => at >= oldest && !told.has(runId));
    looks += batch.length;
    const found = await mapLimited(batch, READ_AT_A_TIME, async ({ runId, at }) => {
      const record = await records.record(runId);
      if (record === undefined || (await isOfEarlierPage(temporal, record, filter))) return [];
      const row = await rowByBoth(temporal, config.temporal.taskQueue, record);
      return row !== undefined && isMeant(row, filter) ? [{ row, at }] : [];
    });
    rows.push(...found.flat());
  }
  return { rows };
}

/** Its ID has its due time or start second. Temporal, which started it later, has listed it already. */
async function isOfEarlierPage(
  temporal: TemporalClient | undefined,
  { runId, startedAt }: Sketch,
  { before = Infinity }: RunFilter,
): Promise<boolean> {
  if (temporal === undefined || Date.parse(startedAt) < before) return false;
  try {
    const { startTime } = await temporal.client.workflow.getHandle(runId).describe();
    return startTime.getTime() >= before;
  } catch (thrown) {
    if (thrown instanceof WorkflowNotFoundError) return false;
    throw thrown;
  }
}

/** A run without a recorded end may have been ended by Temporal. */
async function rowByBoth(
  temporal: TemporalClient | undefined,
  taskQueue: string,
  record: Sketch,
): Promise<RunRow | undefined> {
  const recorded = rowOfRecord(record);
  if (temporal === undefined || record.finishedAt !== undefined) return recorded;
  try {
    const info = await temporal.client.workflow.getHandle(record.runId).describe();
    if (info.taskQueue !== taskQueue) return undefined;
    const row = rowOfInfo(info);
    return row === undefined ? recorded : merge(row, recorded);
  } catch (thrown) {
    if (thrown instanceof WorkflowNotFoundError) return recorded;
    throw thrown;
  }
}

const isMeant = (row: RunRow, filter: RunFilter): boolean =>
  fits(row, filter) &&
  (filter.status === undefined || row.status === filter.status) &&
  (!filter.open || row.finishedAt === undefined);

/** Adds queue positions and failing workflow tasks, if they can be read. */
export async function withQueues(
  { config, temporal }: ReadContext,
  rows: readonly RunRow[],
): Promise<RunRow[]> {
  const open = rows.filter(({ finishedAt }) => finishedAt === undefined).map(({ runId }) => runId);
  if (temporal === undefined || open.length === 0) return [...rows];
  const [queues, failing] = await Promise.all([
    readPortalQueues(temporal, config).catch(() => []),
    failingTasks(temporal, open).catch(() => undefined),
  ]);
  return rows.map((row) => ({
    ...row,
    queue: queueOf(row.runId, queues),
    failing: failing?.get(row.runId),
  }));
}

/**
 * The index knows whether a run has ended. The record of an open run knows whether it waits; parking and resuming
 * reach the index first.
 */
function merge({ said, ...indexed }: IndexedRow, recorded: RunRow | undefined): RunRow {
  if (recorded === undefined) return indexed;
  if (indexed.finishedAt === undefined) {
    const isStale = recorded.finishedAt !== undefined || (said !== undefined && recorded.status === 'parked');
    const status = said === 'parked' || isStale ? indexed.status : recorded.status;
    return { ...indexed, startedAt: recorded.startedAt, status, window: recorded.window };
  }
  return recorded.finishedAt === undefined ? { ...recorded, ...indexed, window: undefined } : recorded;
}
