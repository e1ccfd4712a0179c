import type { WorkflowExecutionInfo } from '@temporalio/client';
import type { RunRow } from '../../../contract/run-row';
import { isOpenStatus, type RunStatus } from '../../../model/run/phase';
import { isOpenExecution, openExecutions, listedIds } from '../../../domain/run/executions';
import { mapLimited } from '../../../model/map-limited';
import { pipelineOfGroup, routeOfGroup } from '../../../model/release/release-input';
import { pipelineKinds } from '../../../model/run/run';
import { isPartOf, searchAttributeNames } from '../../../model/run/run-id';
import { readMemo } from '../../../model/run/start-memo';
import { isRefusedQuery, type TemporalClient } from '../../../temporal/connection';
import { notDone, outcomeOf, saidOutcome, readSearchAttribute } from '../run-record';

/** Filter for runs. */
export interface RunFilter {
  readonly kind?: string;
  readonly route?: string;
  /** Only runs of a pipeline and of its groups. */
  readonly pipeline?: string;
  /** Only child runs of this one. */
  readonly parent?: string;
  readonly startedBy?: string;
  /** Only runs with this in a word of their row, ignoring case. */
  readonly text?: string;
  readonly schedule?: string;
  readonly status?: RunStatus;
  /** Only open runs. @default false */
  readonly open?: boolean;
  /** Only runs started before this time. @format milliseconds since the epoch */
  readonly before?: number;
  /** Only runs started then or later. @format milliseconds since the epoch */
  readonly from?: number;
}

/** Whether the filter selects only open runs, which only Temporal knows. */
export const isOfOpenOnes = ({ open = false, status }: RunFilter): boolean =>
  open || (status !== undefined && isOpenStatus(status));

/** A row with the run's own last state, if any. */
export type IndexedRow = RunRow & { readonly said?: RunStatus };

/** Page size of the server. */
const PAGE_MAX = 1000;
/** Runs of the index that are looked at for one page, where it cannot tell which of them match. */
const LOOKS_MAX = 5_000;

/** What the index has of runs. */
export interface Indexed {
  readonly rows: IndexedRow[];
  /** IDs of these, and of those looked at that do not match. */
  readonly told: ReadonlySet<string>;
  /** Runs that started earlier were not all looked at. @format milliseconds since the epoch */
  readonly readTo?: number;
}

const ours = `${searchAttributeNames.kind} IS NOT NULL`;
/** A long run continues as a new execution, which has its current state. */
const isClosed = `CloseTime IS NOT NULL AND ExecutionStatus != 'ContinuedAsNew'`;

/**
 * The newest runs of one task queue by Temporal's index, in no order. The index returns open runs first, newest
 * first, then ended ones by end time: the newest runs are known long before all are read.
 */
export async function newestIndexed(
  { client }: TemporalClient,
  taskQueue: string,
  filter: RunFilter,
  limit: number,
): Promise<Indexed> {
  const { status } = filter;
  const common = [ours, `TaskQueue = '${taskQueue}'`, ...conditionsOf(filter)];
  const newest = (condition: string, latestStart: (info: WorkflowExecutionInfo) => Date | undefined) =>
    readNewest(listed(client, [...common, condition].join(' AND '), limit), filter, limit, latestStart);
  const mayBeOpen = status === undefined || isOpenStatus(status);
  const found = await Promise.all([
    ...(mayBeOpen ? [newest(openExecutions, ({ startTime }) => startTime)] : []),
    ...(isOfOpenOnes(filter) ? [] : [newest(isClosed, ({ closeTime }) => closeTime)]),
  ]);
  const readTo = Math.max(...found.map((each) => each.readTo ?? -Infinity));
  return {
    rows: found.flatMap(({ rows }) => rows),
    told: new Set(found.flatMap(({ told }) => [...told])),
    readTo: Number.isFinite(readTo) ? readTo : undefined,
  };
}

/**
 * Reads until no remaining run can be newer.
 * @param latestStart of this and all further runs, as the index sorts them
 */
async function readNewest(
  infos: AsyncIterable<WorkflowExecutionInfo>,
  filter: RunFilter,
  limit: number,
  latestStart: (info: WorkflowExecutionInfo) => Date | undefined,
): Promise<Indexed> {
  const rows: IndexedRow[] = [];
  const told = new Set<string>();
  let looks = 0;
  /** Start times of the newest runs, newest first. */
  let starts: number[] = [];
  let bound = Infinity;
  /** If a server sorts differently, everything is read. */
  let isSorted = true;
  for await (const info of infos) {
    const next = latestStart(info)?.getTime() ?? Infinity;
    isSorted &&= next <= bound;
    bound = next;
    if (isSorted && starts.length === limit && bound < (starts.at(-1) ?? 0)) break;
    looks += 1;
    const isEnough = isSorted && limit !== Infinity && looks > LOOKS_MAX;
    // Whoever continues there has to come further than now.
    if (isEnough && bound + 1 < (filter.before ?? Infinity)) return { rows, told, readTo: bound + 1 };
    const row = rowOfInfo(info);
    if (row === undefined) continue;
    // Its record may have another status.
    if (!fits(row, { ...filter, status: undefined })) told.add(row.runId);
    if (!fits(row, filter)) continue;
    told.add(row.runId);
    rows.push(row);
    starts = [...starts, info.startTime.getTime()].sort((a, b) => b - a).slice(0, limit);
  }
  return { rows, told };
}

/** Whether a row may match; the start time is checked elsewhere. */
export const fits = (
  row: RunRow,
  { kind, route, pipeline, parent, startedBy, text, schedule, status }: Omit<RunFilter, 'before' | 'from'>,
): boolean =>
  (kind === undefined || row.kind === kind) &&
  (route === undefined || row.route === route) &&
  (pipeline === undefined || pipelineOf(row) === pipeline) &&
  (parent === undefined || isPartOf(row.runId, parent)) &&
  (startedBy === undefined || row.startedBy === startedBy) &&
  (text === undefined || hasText(row, text.toLowerCase())) &&
  (schedule === undefined || row.scheduledBy === schedule) &&
  // The record of an open run shows whether it waits; the index does not.
  (status === undefined || row.status === status || (status === 'waiting' && row.status === 'running'));

const pipelineOf = ({ kind, route }: RunRow): string | undefined =>
  pipelineKinds.has(kind) ? route : pipelineOfGroup(route);

const hasText = ({ runId, kind, operation, route, startedBy, scheduledBy }: RunRow, text: string): boolean =>
  [runId, kind, operation, route, startedBy, scheduledBy].some((each) => each?.toLowerCase().includes(text));

/** Conditions the index can evaluate; the rest is checked per row. */
function conditionsOf({ kind, route, pipeline, status, before, from }: RunFilter): string[] {
  const { kind: ofKind, route: ofRoute, outcome } = searchAttributeNames;
  return [
    ...(route === undefined ? [] : [`${ofRoute} = '${quoted(route)}'`]),
    ...(kind === undefined ? [] : [`${ofKind} = '${quoted(kind)}'`]),
    ...(pipeline === undefined
      ? []
      : [
          `(${ofRoute} = '${quoted(pipeline)}' OR ${ofRoute} STARTS_WITH '${quoted(routeOfGroup(pipeline, ''))}')`,
        ]),
    ...(from === undefined ? [] : [`StartTime >= '${new Date(from).toISOString()}'`]),
    ...(before === undefined ? [] : [`StartTime < '${new Date(before).toISOString()}'`]),
    ...(status === 'parked' ? [`${outcome} = 'parked'`] : []),
    // A terminated run keeps its last state in the index.
    ...(status === undefined || isOpenStatus(status)
      ? []
      : [`(${outcome} IN ('${status}', 'parked', 'running') OR ${outcome} IS NULL)`]),
  ];
}

/** Escapes a value for a query. */
export const quoted = (text: string): string => text.replaceAll('\\', '\\\\').replaceAll("'", "''");

/** IDs of open or ended runs of the queue with that end. */
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
 * Ended runs of the queue with further conditions, last ended first.
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

/** IDs per query, and concurrent queries. */
const IDS_MAX = 100;
const CONCURRENCY = 4;

/** The runs with these IDs that the index has. */
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

/** Counts matching runs on the server. */
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

/** IDs of all open runs, of any queue. */
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
    // A server no worker has used yet knows neither our attributes nor our runs.
    if (!isRefusedQuery(thrown)) throw thrown;
  }
}

/** A run as Temporal knows it; undefined for other workflows. */
export function rowOfInfo(info: Omit<WorkflowExecutionInfo, 'raw'>): IndexedRow | undefined {
  const memo = readMemo(info.memo);
  if (memo === undefined) return undefined;
  const attributes = info.typedSearchAttributes;
  const said = saidOutcome(attributes);
  const ended = !isOpenExecution(info.status);
  // A run terminated while parked is no longer parked.
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
