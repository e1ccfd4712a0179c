import type { Config, RouteConfig } from '../../config/config';
import { mapLimited } from '../../model/map-limited';
import { lastRun } from '../../model/transfer/requested';
import type { RunStatus } from '../../model/run/phase';
import { type RunRecord, runRecord } from '../../model/run/run';
import { searchAttributeNames } from '../../model/run/run-id';
import { keys } from '../../store/keys';
import { endedIndexed, quoted } from '../run/lookup/indexed-runs';
import { readNote, type ReadContext, type StoredSources } from '../run/run-sources';
import type { RouteFigures } from './stored-figures';

/** Kinds of runs that a route is expected to repeat. */
export const routineKinds = ['sync', 'backup', 'drill'] as const;
export type RoutineKind = (typeof routineKinds)[number];

/** Undefined for other kinds. */
export const routineKindOf = (kind: string): RoutineKind | undefined =>
  routineKinds.find((each) => each === kind);

/** When a route last had a successful run of a kind. */
export interface LastTime {
  readonly route: string;
  readonly kind: RoutineKind;
  /** Milliseconds since the epoch; 0 if never. */
  readonly at: number;
}

/** The last successful run of a route and kind, or one with nothing to do. */
export interface LastSuccess extends LastTime {
  readonly runId: string;
  /** Absent if the store no longer has it. */
  readonly record?: RunRecord;
}

const { kind: kindName, route: routeName, outcome: outcomeName } = searchAttributeNames;
const goodEnds = ['succeeded', 'nothing-to-do'] as const satisfies readonly RunStatus[];
const oneOf = (name: string, values: readonly string[]): string =>
  `${name} IN (${values.map((value) => `'${value}'`).join(', ')})`;

/** Concurrent lookups. */
const LOOKUPS_AT_A_TIME = 8;
/** Delay with which a run can appear in the index. @format milliseconds */
const INDEXED_WITHIN_MS = 5 * 60_000;

/** Key of a route and kind. */
export const nameOf = ({ route, kind }: Pick<LastTime, 'route' | 'kind'>): string => `${kind} ${route}`;

/**
 * Looks up each route once, then only runs that ended since: later reads cost one query, however many routes there
 * are. Throws Temporal's errors.
 * @param before result of the previous read
 */
export async function readLastSuccesses(
  sources: Required<ReadContext>,
  before?: readonly LastSuccess[],
): Promise<LastSuccess[]> {
  const found = before === undefined ? await everyLast(sources) : await endedSince(sources, before);
  const latest = latestOf([...(before ?? []), ...found]);
  return await mapLimited(latest, LOOKUPS_AT_A_TIME, async (each) => {
    if (each.record) return each;
    const { value: record } = await readNote(sources.store, keys.record(each.runId), runRecord);
    // A record that was read after the end of its run does not change.
    return record?.finishedAt === undefined ? each : { ...each, record };
  });
}

function latestOf<T extends LastTime>(times: readonly T[]): T[] {
  const latest = new Map<string, T>();
  for (const each of times) {
    const before = latest.get(nameOf(each));
    if (before === undefined || before.at < each.at) latest.set(nameOf(each), each);
  }
  return [...latest.values()];
}

async function everyLast(sources: Required<ReadContext>): Promise<LastSuccess[]> {
  const asked = [...sources.config.routes.values()].flatMap((route) =>
    routineKinds.map((kind) => ({ route, kind })),
  );
  const found = await mapLimited(asked, LOOKUPS_AT_A_TIME, async ({ route, kind }) => {
    const which = [`${routeName} = '${quoted(route.name)}'`, `${kindName} = '${kind}'`];
    const indexed = await succeeded(sources, which, 1);
    return indexed.length > 0 ? indexed : await notedLast(sources, route, kind);
  });
  return found.flat();
}

/** Counts from the last end that Temporal reported, so that a fast local clock misses none. */
async function endedSince(
  sources: Required<ReadContext>,
  before: readonly LastSuccess[],
): Promise<LastSuccess[]> {
  const since = Math.max(INDEXED_WITHIN_MS, ...before.map(({ at }) => at)) - INDEXED_WITHIN_MS;
  const lately = `CloseTime > '${new Date(since).toISOString()}'`;
  return await succeeded(sources, [lately, oneOf(kindName, routineKinds)]);
}

async function succeeded(
  { config, temporal }: Required<ReadContext>,
  conditions: readonly string[],
  limit?: number,
): Promise<LastSuccess[]> {
  const which = [...conditions, oneOf(outcomeName, goodEnds)];
  const rows = await endedIndexed(temporal, config.temporal.taskQueue, which, limit);
  return rows.flatMap(({ route, runId, finishedAt, ...row }) => {
    const kind = routineKindOf(row.kind);
    return kind !== undefined && finishedAt !== undefined && config.routes.has(route)
      ? [{ route, kind, runId, at: Date.parse(finishedAt) }]
      : [];
  });
}

/** The store's notes outlive Temporal's retention; drills leave none there. */
async function notedLast(
  { store }: StoredSources,
  { name, source, target }: RouteConfig,
  kind: RoutineKind,
): Promise<LastSuccess[]> {
  if (kind === 'drill') return [];
  const ends = { name, source: { groupId: source.group }, target: { groupId: target.group } };
  const key = keys.lastRun(kind === 'sync' ? ends : { ...ends, target: undefined });
  const { value: noted } = await readNote(store, key, lastRun);
  for (const runId of new Set([noted?.runId, noted?.whole?.runId])) {
    if (runId === undefined) continue;
    const { value: record } = await readNote(store, keys.record(runId), runRecord);
    const went = record !== undefined && goodEnds.some((end) => end === record.status);
    if (went && record.finishedAt !== undefined)
      return [{ route: name, kind, runId, at: Date.parse(record.finishedAt), record }];
  }
  return [];
}

/** Routes and kinds that the configuration schedules. */
export const scheduledRoutines = ({ schedules }: Pick<Config, 'schedules'>): LastTime[] =>
  [...schedules.values()].flatMap((schedule) => {
    const kind = routineKindOf(schedule.kind);
    return kind !== undefined && 'route' in schedule ? [{ route: schedule.route, kind, at: 0 }] : [];
  });

/** The latest of runs, snapshots and drill results. */
export const lastTimes = (times: readonly LastTime[], routes: readonly RouteFigures[]): LastTime[] =>
  latestOf([
    ...times,
    ...routes.flatMap(({ route, goodAt, provenAt }): LastTime[] => [
      ...(goodAt > 0 ? [{ route, kind: 'backup' as const, at: goodAt }] : []),
      ...(provenAt !== undefined && provenAt > 0 ? [{ route, kind: 'drill' as const, at: provenAt }] : []),
    ]),
  ]);
