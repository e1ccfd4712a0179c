import type { WorkflowExecutionInfo } from '@temporalio/client';
import { isOpenStatus, type RunStatus } from '../../../model/run/phase';
import { isOpenExecution, openExecutions } from '../../../model/open-execution';
import { listedIds } from '../../../domain/run/listed-ids';
import { mapLimited } from '../../../model/map-limited';
import { searchAttributeNames } from '../../../model/run/search-attributes';
import { readMemo } from '../../../model/run/start-memo';
import { isRefusedQuery } from '../../../temporal/connection';
import type { TemporalClient } from '../../../temporal/session';
import { notDone, outcomeOf, saidOutcome, readSearchAttribute } from '../run-record';
import type { RunRow } from '../run-view';

/** Which runs are looked for. */
export interface RunFilter {
  readonly route?: string;
  readonly schedule?: string;
  readonly status?: RunStatus;
  /** Only runs that can still go on. @default false */
  readonly open?: boolean;
  /** Only runs that were started before then. @format milliseconds since the epoch */
  readonly before?: number;
}

/** Whether only runs are meant that can still go on: those Temporal knows, and nobody else. */
export const isOfOpenOnes = ({ open = false, status }: RunFilter): boolean =>
  open || (status !== undefined && isOpenStatus(status));

/** A row with what the run said of itself, where it did. */
export type IndexedRow = RunRow & { readonly said?: RunStatus };

/** As many as one answer of the server holds. */
const PAGE_MAX = 1000;

const ours = `${searchAttributeNames.kind} IS NOT NULL`;
/** A long run has continued as a new execution, which is the one that tells how it is. */
const isClosed = `CloseTime IS NOT NULL AND ExecutionStatus != 'ContinuedAsNew'`;

/**
 * The runs of one task queue that were started last, by Temporal's index, in no order. The index has open ones first,
 * the newest before the others, and then those that are over, the one that ended last before the others: who started
 * last is known long before all are read.
 */
export async function newestIndexed(
  { client }: TemporalClient,
  taskQueue: string,
  filter: RunFilter,
  limit: number,
): Promise<IndexedRow[]> {
  const { status } = filter;
  const common = [ours, `TaskQueue = '${taskQueue}'`, ...conditionsOf(filter)];
  const newest = (condition: string, latestStart: (info: WorkflowExecutionInfo) => Date | undefined) =>
    readNewest(listed(client, [...common, condition].join(' AND '), limit), filter, limit, latestStart);
  const mayBeOpen = status === undefined || isOpenStatus(status);
  const [open, closed] = await Promise.all([
    mayBeOpen ? newest(openExecutions, ({ startTime }) => startTime) : [],
    isOfOpenOnes(filter) ? [] : newest(isClosed, ({ closeTime }) => closeTime),
  ]);
  return [...open, ...closed];
}

/**
 * Reads until no further run can have been started later than those that are asked for.
 * @param latestStart of this and all further runs, as the index sorts them
 */
async function readNewest(
  infos: AsyncIterable<WorkflowExecutionInfo>,
  filter: RunFilter,
  limit: number,
  latestStart: (info: WorkflowExecutionInfo) => Date | undefined,
): Promise<IndexedRow[]> {
  const rows: IndexedRow[] = [];
  /** When those were started that were started last, the last one first. */
  let starts: number[] = [];
  let bound = Infinity;
  /** A server that sorts otherwise is read to its end. */
  let isSorted = true;
  for await (const info of infos) {
    const next = latestStart(info)?.getTime() ?? Infinity;
    isSorted &&= next <= bound;
    bound = next;
    if (isSorted && starts.length === limit && bound < (starts.at(-1) ?? 0)) break;
    const row = rowOfInfo(info);
    if (row === undefined || !fits(row, filter)) continue;
    rows.push(row);
    starts = [...starts, info.startTime.getTime()].sort((a, b) => b - a).slice(0, limit);
  }
  return rows;
}

/** Whether a row is of a run that may be meant; whether it was started before then is looked at elsewhere. */
export const fits = (row: RunRow, { route, schedule, status }: Omit<RunFilter, 'before'>): boolean =>
  (route === undefined || row.route === route) &&
  (schedule === undefined || row.scheduledBy === schedule) &&
  // The record of an open run knows that it waits, the index does not.
  (status === undefined || row.status === status || (status === 'waiting' && row.status === 'running'));

/** What the index itself can tell; the rest is asked of each row. */
function conditionsOf({ route, status, before }: RunFilter): string[] {
  const { route: ofRoute, outcome } = searchAttributeNames;
  return [
    ...(route === undefined ? [] : [`${ofRoute} = '${quoted(route)}'`]),
    ...(before === undefined ? [] : [`StartTime < '${new Date(before).toISOString()}'`]),
    ...(status === 'parked' ? [`${outcome} = 'parked'`] : []),
    // Of a run that was terminated, the index has what it said last.
    ...(status === undefined || isOpenStatus(status)
      ? []
      : [`(${outcome} IN ('${status}', 'parked', 'running') OR ${outcome} IS NULL)`]),
  ];
}

/** As it stands between the quotes of a condition. */
export const quoted = (text: string): string => text.replaceAll("'", "''");

/** Ids of runs of the queue that end so: of open ones, or of those that are over. */
export async function indexedEndingSo(
  { client }: TemporalClient,
  taskQueue: string,
  end: string,
  state: 'open' | 'over',
): Promise<string[]> {
  const query = [ours, `TaskQueue = '${taskQueue}'`, state === 'open' ? openExecutions : isClosed].join(
    ' AND ',
  );
  const found: string[] = [];
  for await (const runId of idsOf(client, query)) if (runId.endsWith(end)) found.push(runId);
  return found;
}

/**
 * Runs of the queue that are over and of which more is true, the one that ended last first.
 * @param conditions in the words of Temporal's index
 */
export async function endedIndexed(
  { client }: TemporalClient,
  taskQueue: string,
  conditions: readonly string[],
  limit = Infinity,
): Promise<IndexedRow[]> {
  const query = [ours, `TaskQueue = '${taskQueue}'`, isClosed, ...conditions].join(' AND ');
  const rows: IndexedRow[] = [];
  for await (const info of listed(client, query, Math.min(limit, PAGE_MAX))) {
    const row = rowOfInfo(info);
    if (row !== undefined) rows.push(row);
    if (rows.length >= limit) break;
  }
  return rows;
}

/** Ids that one query names, and queries at a time. */
const IDS_MAX = 100;
const CONCURRENCY = 4;

/** Those runs of these ids that the index has. */
export async function indexedById({ client }: TemporalClient, ids: readonly string[]): Promise<IndexedRow[]> {
  const starts = Array.from({ length: Math.ceil(ids.length / IDS_MAX) }, (_, at) => at * IDS_MAX);
  const found = await mapLimited(starts, CONCURRENCY, async (from) => {
    const some = ids.slice(from, from + IDS_MAX).map((id) => `'${quoted(id)}'`);
    const query = `${ours} AND ExecutionStatus != 'ContinuedAsNew' AND WorkflowId IN (${some.join(', ')})`;
    const rows: IndexedRow[] = [];
    for await (const info of listed(client, query, IDS_MAX)) {
      const row = rowOfInfo(info);
      if (row !== undefined) rows.push(row);
    }
    return rows;
  });
  return found.flat();
}

/** How many there are of the same: the server counts, and no run is read. */
export async function countEnded(
  { client }: TemporalClient,
  taskQueue: string,
  conditions: readonly string[],
): Promise<number> {
  const query = [ours, `TaskQueue = '${taskQueue}'`, isClosed, ...conditions].join(' AND ');
  try {
    return (await client.workflow.count(query)).count;
  } catch (thrown) {
    if (!isRefusedQuery(thrown)) throw thrown;
    return 0;
  }
}

/** Ids of all runs that have not ended, of whatever queue. */
export async function openRuns({ client }: Pick<TemporalClient, 'client'>): Promise<ReadonlySet<string>> {
  const open = new Set<string>();
  for await (const runId of idsOf(client, `${ours} AND ${openExecutions}`)) open.add(runId);
  return open;
}

const idsOf = (client: TemporalClient['client'], query: string): AsyncGenerator<string> =>
  unlessUnknown(listedIds(client, query));

const listed = (
  client: TemporalClient['client'],
  query: string,
  limit: number,
): AsyncGenerator<WorkflowExecutionInfo> =>
  unlessUnknown(client.workflow.list({ query, pageSize: Math.min(PAGE_MAX, limit + 1) }));

async function* unlessUnknown<T>(found: AsyncIterable<T>): AsyncGenerator<T> {
  try {
    yield* found;
  } catch (thrown) {
    // A server that no worker has met yet knows neither our attributes nor any run of ours.
    if (!isRefusedQuery(thrown)) throw thrown;
  }
}

/** A run as Temporal knows it; undefined for what is no run of ours. */
export function rowOfInfo(info: Omit<WorkflowExecutionInfo, 'raw'>): IndexedRow | undefined {
  const memo = readMemo(info.memo);
  if (memo === undefined) return undefined;
  const attributes = info.typedSearchAttributes;
  const said = saidOutcome(attributes);
  const ended = !isOpenExecution(info.status);
  // Who was terminated while it was parked is not parked any more.
  const status = said === undefined || (ended && isOpenStatus(said)) ? outcomeOf(info.status.name) : said;
  return {
    said,
    runId: info.workflowId,
    kind: readSearchAttribute(searchAttributeNames.kind, attributes) ?? 'sync',
    operation: memo.operation,
    route: memo.route.name,
    status,
    phase: notDone.has(status) ? readSearchAttribute(searchAttributeNames.phase, attributes) : undefined,
    startedAt: info.startTime.toISOString(),
    finishedAt: info.closeTime?.toISOString(),
    startedBy: memo.startedBy,
    scheduledBy: memo.scheduledBy,
  };
}
