import type { PortalQueueView } from '../../contract/queues';
import type { RunRecord } from '../../model/run/run';
import { pollingWorkers } from '../../temporal/task-queue';
import { readPortalQueues } from '../portal-queue/read-portal-queues';
import { failingTasks } from '../run/lookup/failing-task';
import { withRecords } from '../run/lookup/row-records';
import { runPage } from '../run/run-rows';
import type { ReadContext } from '../run/run-sources';

/** States of open runs. */
export const openStates = ['running', 'waiting', 'parked'] as const;

/** States that wait for a person. */
export const heldStates = ['waiting', 'parked'] as const satisfies readonly (typeof openStates)[number][];

const HOUR_MS = 3_600_000;

/** Waiting times; the first that fits. */
export const heldAges = [
  { age: 'under 1h', belowMs: HOUR_MS },
  { age: '1h to 1d', belowMs: 24 * HOUR_MS },
  { age: '1d to 7d', belowMs: 7 * 24 * HOUR_MS },
  { age: 'over 7d', belowMs: Infinity },
] as const;

/** Open runs in numbers. Times are milliseconds since the epoch. */
export interface OpenFigures {
  /** Start times of open runs by state. */
  readonly starts: readonly { readonly status: string; readonly times: readonly number[] }[];
  /** Since when runs wait for a person, by state. */
  readonly held: readonly { readonly status: string; readonly times: readonly number[] }[];
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
  const ids = rows.map(({ runId }) => runId);
  const isHeld = (status: string): boolean => heldStates.some((state) => state === status);
  const [failing, waiting] = await Promise.all([
    failingTasks(temporal, ids),
    withRecords(
      sources,
      rows.filter(({ status }) => isHeld(status)),
    ),
  ]);
  return {
    starts: openStates.map((status) => ({
      status,
      times: rows.filter((row) => row.status === status).map(({ startedAt }) => Date.parse(startedAt)),
    })),
    held: heldStates.map((status) => ({
      status,
      times: waiting
        .filter(({ row }) => row.status === status)
        .map(({ row, record }) => Date.parse(heldSince(record) ?? row.startedAt)),
    })),
    failing: failing.size,
    queues,
  };
}

/** Since when the run waits for a person; undefined if its record does not say. */
const heldSince = (record: RunRecord | undefined): string | undefined =>
  record?.status === 'parked'
    ? record.parked?.at
    : record?.phases.findLast(({ status }) => status === 'waiting')?.startedAt;
