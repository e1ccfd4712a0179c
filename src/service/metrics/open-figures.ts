import type { RunRecord } from '../../model/run/run';
import { pollingWorkers } from '../../temporal/task-queue';
import { readPortalQueues } from '../portal-queue/read-portal-queues';
import type { PortalQueueView } from '../portal-queue/queue-view';
import { failingTasks } from '../run/lookup/failing-task';
import { withRecords } from '../run/lookup/row-records';
import { runPage } from '../run/run-rows';
import type { ReadContext } from '../run/run-sources';

/** State of an open run. */
export const openStates = ['running', 'waiting', 'parked'] as const;
type OpenState = (typeof openStates)[number];

/** States that wait for a person. */
export const heldStates = ['waiting', 'parked'] as const satisfies readonly OpenState[];
type HeldState = (typeof heldStates)[number];

const HOUR_MS = 3_600_000;

/** Waiting times; the first that fits. */
export const heldAges = [
  { age: 'under 1h', belowMs: HOUR_MS },
  { age: '1h to 1d', belowMs: 24 * HOUR_MS },
  { age: '1d to 7d', belowMs: 7 * 24 * HOUR_MS },
  { age: 'over 7d', belowMs: Infinity },
] as const;
type HeldAge = (typeof heldAges)[number]['age'];

/** Open runs in numbers. Times are milliseconds since the epoch. */
export interface OpenFigures {
  /** Open runs, and the start of the oldest. */
  readonly open: readonly { readonly state: OpenState; readonly runs: number; readonly oldest?: number }[];
  /** Runs that wait for a person, by waiting time, and since when the first waits. */
  readonly held: readonly {
    readonly state: HeldState;
    readonly ages: readonly { readonly age: HeldAge; readonly runs: number }[];
    readonly oldest?: number;
  }[];
  /** Open runs whose workflow task fails. */
  readonly failing: number;
  readonly queues: readonly PortalQueueView[];
}

/** Number of workers; also shows whether Temporal responds. */
export const readWorkers = async ({ config, temporal }: Required<ReadContext>): Promise<number> =>
  (await pollingWorkers(temporal, config.temporal.taskQueue)).length;

/** The cost depends on the number of open runs and portals. */
export async function readOpenFigures(sources: Required<ReadContext>): Promise<OpenFigures> {
  const { config, temporal } = sources;
  const [{ rows }, queues] = await Promise.all([
    runPage(sources, { open: true }),
    readPortalQueues(temporal, config),
  ]);
  const inState = (state: OpenState) => rows.filter(({ status }) => status === state);
  const [failing, held] = await Promise.all([
    failingTasks(
      temporal,
      rows.map(({ runId }) => runId),
    ),
    Promise.all(
      heldStates.map(async (state) => ({ state, rows: await withRecords(sources, inState(state)) })),
    ),
  ]);
  return {
    open: openStates.map((state) => {
      const starts = inState(state).map(({ startedAt }) => Date.parse(startedAt));
      return { state, runs: starts.length, oldest: first(starts) };
    }),
    held: held.map(({ state, rows: waiting }) => {
      const since = waiting.map(({ row, record }) => heldSince(record) ?? Date.parse(row.startedAt));
      return { state, ages: byAge(since, Date.now()), oldest: first(since) };
    }),
    failing: failing.size,
    queues,
  };
}

const first = (times: readonly number[]): number | undefined =>
  times.length === 0 ? undefined : Math.min(...times);

/** Since when the run waits for a person; undefined if its record does not say. */
function heldSince(record: RunRecord | undefined): number | undefined {
  const phase = record?.phases.findLast(({ status }) => status === 'waiting');
  const at = record?.status === 'parked' ? record.parked?.at : phase?.startedAt;
  return at === undefined ? undefined : Date.parse(at);
}

/** Number of times that lie that far back. */
export function byAge(since: readonly number[], now: number): { age: HeldAge; runs: number }[] {
  const ages = since.map((at) => heldAges.find(({ belowMs }) => now - at < belowMs)?.age);
  return heldAges.map(({ age }) => ({ age, runs: ages.filter((each) => each === age).length }));
}
