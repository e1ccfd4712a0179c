import type { Config, RouteConfig } from '../../config/config';
import { mapLimited } from '../../model/map-limited';
import { lastRun } from '../../model/transfer/requested';
import type { RunStatus } from '../../model/run/phase';
import { type RunRecord, runRecord } from '../../model/run/run';
import { searchAttributeNames } from '../../model/run/run-id';
import { keys } from '../../store/keys';
import { endedIndexed, quoted } from '../run/lookup/indexed-runs';
import { readNote, type ReadContext, type StoredSources } from '../run/run-sources';

/** Kinds of runs that a route is expected to repeat. */
export const routineKinds = ['sync', 'backup', 'drill'] as const;
export type RoutineKind = (typeof routineKinds)[number];

/** Undefined for other kinds. */
export const routineKindOf = (kind: string): RoutineKind | undefined =>
  routineKinds.find((each) => each === kind);

/** The last successful run of a route and kind, or one with nothing to do. */
export interface LastSuccess {
  readonly route: string;
  readonly kind: RoutineKind;
  readonly runId: string;
  /** When it ended. @format milliseconds since the epoch */
  readonly at: number;
  /** Absent if the store no longer has it. */
  readonly record?: RunRecord;
}

const { kind: kindName, route: routeName, outcome: outcomeName } = searchAttributeNames;
const goodEnds = ['succeeded', 'nothing-to-do'] as const satisfies readonly RunStatus[];
const wentWell = `${outcomeName} IN (${goodEnds.map((end) => `'${end}'`).join(', ')})`;

/** Concurrent lookups. */
const LOOKS_AT_A_TIME = 8;
/** Allowance for this machine's clock being ahead at the first look. @format milliseconds */
const UNKNOWN_MS = 24 * 3_600_000;
/** Delay with which a run can appear in the index. @format milliseconds */
const INDEXED_WITHIN_MS = 5 * 60_000;

/**
 * Looks up each route once, then only runs that ended since: later looks cost one query, however many routes there
 * are.
 */
export class LastSuccesses {
  private readonly known = new Map<string, LastSuccess>();
  /** End of the last run seen, by Temporal's clock, so that a fast local clock misses none. */
  private upTo: number | undefined;

  /** Results so far. */
  get all(): readonly LastSuccess[] {
    return [...this.known.values()];
  }

  /** Throws Temporal's errors; the next look then starts where this one did. */
  async read(sources: Required<ReadContext>): Promise<void> {
    const now = Date.now();
    const { found, newest } =
      this.upTo === undefined
        ? await everyLast(sources)
        : await endedSince(sources, this.upTo - INDEXED_WITHIN_MS);
    for (const each of found) {
      const before = this.known.get(nameOf(each));
      if (before === undefined || before.at < each.at) this.known.set(nameOf(each), each);
    }
    await this.fill(sources);
    this.upTo = Math.max(this.upTo ?? now - UNKNOWN_MS, newest);
  }

  /** A record that was read once, after the end of its run, does not change. */
  private async fill({ store }: StoredSources): Promise<void> {
    const bare = [...this.known.values()].filter(({ record }) => record === undefined);
    await mapLimited(bare, LOOKS_AT_A_TIME, async (each) => {
      const { value: record } = await readNote(store, keys.record(each.runId), runRecord);
      if (record?.finishedAt !== undefined) this.known.set(nameOf(each), { ...each, record });
    });
  }
}

/** Results, and the end of the last run seen. */
interface Found {
  readonly found: readonly LastSuccess[];
  /** Milliseconds since the epoch; 0 where there was none. */
  readonly newest: number;
}

const lastOf = (ends: readonly number[]): number => ends.reduce((one, other) => Math.max(one, other), 0);

/** Key of a route and kind. */
export const nameOf = ({ route, kind }: Pick<LastSuccess, 'route' | 'kind'>): string => `${kind} ${route}`;

async function everyLast(sources: Required<ReadContext>): Promise<Found> {
  const { config, temporal } = sources;
  const asked = [...config.routes.values()].flatMap((route) => routineKinds.map((kind) => ({ route, kind })));
  const found = await mapLimited(asked, LOOKS_AT_A_TIME, async ({ route, kind }): Promise<LastSuccess[]> => {
    const { name } = route;
    const which = [`${routeName} = '${quoted(name)}'`, `${kindName} = '${kind}'`, wentWell];
    const [row] = await endedIndexed(temporal, config.temporal.taskQueue, which, 1);
    if (row?.finishedAt !== undefined)
      return [{ route: name, kind, runId: row.runId, at: Date.parse(row.finishedAt) }];
    return await notedLast(sources, route, kind);
  });
  const all = found.flat();
  return { found: all, newest: lastOf(all.map(({ at }) => at)) };
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

async function endedSince({ config, temporal }: Required<ReadContext>, since: number): Promise<Found> {
  const lately = `CloseTime > '${new Date(since).toISOString()}'`;
  const rows = await endedIndexed(temporal, config.temporal.taskQueue, [lately, wentWell]);
  const found = rows.flatMap(({ route, kind: of, runId, finishedAt }) => {
    const kind = routineKindOf(of);
    const isMeant = kind !== undefined && finishedAt !== undefined && isOfConfig(config, route);
    return isMeant ? [{ route, kind, runId, at: Date.parse(finishedAt) }] : [];
  });
  return { found, newest: lastOf(rows.map(({ finishedAt = '' }) => Date.parse(finishedAt) || 0)) };
}

const isOfConfig = ({ routes }: Pick<Config, 'routes'>, route: string): boolean => routes.has(route);
