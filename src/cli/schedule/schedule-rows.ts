import type { ScheduleDescription, ScheduleExecutionActionResult } from '@temporalio/client';
import { WorkflowNotFoundError } from '@temporalio/client';
import type { Config } from '../../config/config';
import { PortolanError } from '../../model/errors/errors';
import type { RunStatus } from '../../model/run/phase';
import { runRecord } from '../../model/run/run';
import type { ScheduleSpec } from '../../model/schedule/schedule';
import type { ScheduleOrigin } from '../../model/schedule/schedule-memo';
import { dueTimeOf } from '../../model/schedule/schedule-id';
import { dueTimes } from '../../model/schedule/cron-times';
import { keys } from '../../store/keys';
import { cronTextOf } from './schedule-calendar';
import { scheduleDifference } from './schedule-difference';
import { cronOnServer, overlapName } from './schedule-fields';
import type { ServerSchedule } from './server-schedules';
import { WATCH_NAME, desiredSchedule } from './desired-schedules';
import { outcomeOf, saidOutcome } from '../run/run-record';
import type { RunSources } from '../run/run-sources';

/** Whether the server's schedule is that of the file. */
export type ScheduleStanding =
  'as in the file' | 'differs from the file' | 'gone from the file' | 'not applied' | 'not in the file';

/** A schedule as people and programs see it. */
export interface ScheduleRow {
  readonly name: string;
  readonly kind: string;
  readonly route?: string;
  readonly cron: string;
  readonly timezone: string;
  /** @format milliseconds */
  readonly jitterMs: number;
  readonly overlap: string;
  /** @format milliseconds */
  readonly catchupMs: number;
  readonly origin: ScheduleOrigin;
  readonly standing: ScheduleStanding;
  readonly paused: boolean;
  readonly note?: string;
  /** What it started, the last first; ten at most. */
  readonly runs: readonly ScheduledRun[];
  /** Starts that were left out since the run before still went on. */
  readonly skipped: number;
  /** Starts that were left out since Temporal was down for longer than `catchupMs`. */
  readonly missed: number;
  /** When a start was left out last, as far as the last runs tell. */
  readonly lastLeftOut?: string;
  /** Starts that wait for the end of a run. */
  readonly waiting: number;
  readonly started: number;
  readonly next: readonly string[];
}

export interface ScheduledRun {
  readonly runId: string;
  /** Absent for one that somebody triggered. */
  readonly dueAt?: string;
  readonly startedAt: string;
  /** Absent where neither Temporal nor the store remembers it. */
  readonly status?: RunStatus;
}

/** How many of the next starts are told. */
const NEXT = 5;

/** The schedules of the server and those that only the file has, by name; not the one that watches snapshots. */
export async function scheduleRows(
  sources: RunSources,
  found: readonly ServerSchedule[],
  { runs }: { /** Of how many runs the outcome is told. */ readonly runs: number },
): Promise<ScheduleRow[]> {
  const { config } = sources;
  const named = found.filter(({ name }) => name !== WATCH_NAME);
  const there = await Promise.all(named.map((each) => scheduleRow(sources, each, runs)));
  const missing = [...config.schedules.values()].filter(({ name }) =>
    named.every((each) => each.name !== name),
  );
  return [...there, ...missing.map(rowOfSpec)].sort((a, b) => a.name.localeCompare(b.name));
}

export async function scheduleRow(
  sources: RunSources,
  schedule: ServerSchedule,
  runs: number,
): Promise<ScheduleRow> {
  const { name, made, description } = schedule;
  const { spec, policies, action, state, info, raw } = description;
  const recent = info.recentActions.toReversed().slice(0, runs);
  return {
    name,
    kind: action.workflowType,
    route: routeNameOf(action.args?.[0]),
    cron: cronTextOf(spec),
    timezone: spec.timezone || 'UTC',
    jitterMs: spec.jitter ?? 0,
    overlap: overlapName(policies.overlap),
    catchupMs: policies.catchupWindow,
    origin: made?.origin ?? 'command line',
    standing: standingOf(sources.config, schedule),
    paused: state.paused,
    note: state.note || undefined,
    runs: await Promise.all(
      recent.map(async ({ action: { workflow }, takenAt }): Promise<ScheduledRun> => {
        const runId = workflow.workflowId;
        const due = dueTimeOf(runId);
        return {
          runId,
          dueAt: due === undefined || !isDue(description, due) ? undefined : new Date(due).toISOString(),
          startedAt: takenAt.toISOString(),
          status: await statusOf(sources, runId),
        };
      }),
    ),
    skipped: info.numActionsSkippedOverlap,
    missed: info.numActionsMissedCatchupWindow,
    lastLeftOut: lastLeftOut(description),
    waiting: Number(raw.info?.bufferSize ?? 0),
    started: info.numActionsTaken,
    next: info.nextActionTimes.slice(0, NEXT).map((at) => at.toISOString()),
  };
}

const rowOfSpec = (spec: ScheduleSpec): ScheduleRow => ({
  name: spec.name,
  kind: spec.kind,
  route: spec.route,
  cron: spec.cron,
  timezone: spec.timezone,
  jitterMs: spec.jitterMs,
  overlap: spec.overlap,
  catchupMs: spec.catchupMs,
  origin: 'file',
  standing: 'not applied',
  paused: spec.paused ?? false,
  note: spec.note,
  runs: [],
  skipped: 0,
  missed: 0,
  waiting: 0,
  started: 0,
  next: [],
});

function standingOf(config: Config, found: ServerSchedule): ScheduleStanding {
  const spec = config.schedules.get(found.name);
  if (!spec) return found.made?.origin === 'file' ? 'gone from the file' : 'not in the file';
  try {
    const [change] = scheduleDifference([desiredSchedule(config, spec, 'file')], [found]);
    return change?.change === 'unchanged' ? 'as in the file' : 'differs from the file';
  } catch (thrown) {
    // What is wrong with the file is told by `apply`.
    if (thrown instanceof PortolanError) return 'differs from the file';
    throw thrown;
  }
}

/** What became of a run, by Temporal, else by the store, which remembers it for longer. */
export async function statusOf(
  { store, temporal }: RunSources,
  runId: string,
): Promise<RunStatus | undefined> {
  const record = await store.readJson(keys.record(runId), runRecord).catch(() => undefined);
  try {
    const run = await temporal?.client.workflow.getHandle(runId).describe();
    if (!run) return record?.status;
    const status = saidOutcome(run.typedSearchAttributes) ?? outcomeOf(run.status.name);
    return status === 'running' && record?.status === 'waiting' ? 'waiting' : status;
  } catch (thrown) {
    if (!(thrown instanceof WorkflowNotFoundError)) throw thrown;
    return record?.status;
  }
}

/** Runs of the schedule that go on, each with its state. */
export const openRunsOf = (sources: RunSources, { info }: ScheduleDescription) =>
  Promise.all(
    info.runningActions.map(async ({ workflow: { workflowId: runId } }: ScheduleExecutionActionResult) => ({
      runId,
      status: await statusOf(sources, runId),
    })),
  );

function isDue(description: ScheduleDescription, at: number): boolean {
  const cron = cronOnServer(description);
  return cron !== undefined && !dueTimes(cron, description.spec.timezone || 'UTC', at, at).next().done;
}

/** The last time that was due and has no run, among those since the oldest run that Temporal still tells. */
function lastLeftOut(description: ScheduleDescription): string | undefined {
  const { info, spec } = description;
  const cron = cronOnServer(description);
  const [oldest] = info.recentActions;
  if (!cron || !oldest || info.numActionsSkippedOverlap + info.numActionsMissedCatchupWindow === 0)
    return undefined;
  const taken = new Set(info.recentActions.map(({ action }) => dueTimeOf(action.workflow.workflowId)));
  const settled = Date.now() - (spec.jitter ?? 0) - 60_000;
  let last: number | undefined;
  for (const at of dueTimes(cron, spec.timezone || 'UTC', oldest.takenAt.getTime(), settled))
    if (!taken.has(at)) last = at;
  return last === undefined ? undefined : new Date(last).toISOString();
}

const routeNameOf = (input: unknown): string | undefined => {
  const route = (input as { route?: { name?: unknown } } | undefined)?.route;
  return typeof route?.name === 'string' ? route.name : undefined;
};
