import { allSchedules } from '../../config/resolve-rule';
import {
  type ScheduleDescription,
  type ScheduleExecutionActionResult,
  WorkflowNotFoundError,
} from '@temporalio/client';
import type { Config } from '../../config/config';
import type { ScheduleDetail, ScheduledRun, ScheduleRow, ScheduleStanding } from '../../contract/schedules';
import { type Control, openControl } from '../../domain/control/control';
import { PortolanError } from '../../model/errors/errors';
import { mapLimited } from '../../model/map-limited';
import type { TemporalClient } from '../../temporal/connection';
import type { RunStatus } from '../../model/run/phase';
import { runRecord } from '../../model/run/run';
import { type ScheduleSpec, subjectOf } from '../../model/schedule/schedule';
import { dueTimeOf } from '../../model/run/run-id';
import { keys } from '../../store/keys';
import { indexedById } from '../run/lookup/indexed-runs';
import { outcomeOf, saidOutcome } from '../run/run-record';
import type { ReadContext } from '../run/run-sources';
import { desiredSchedule, type DesiredSchedule, WATCH_NAME } from './desired-schedules';
import { isAsDesired, scheduleDifference } from './schedule-difference';
import { OTHER_TIMES, overlapName, timesOnServer } from './schedule-fields';
import { dueTest, dueTimesOf, startTimes } from './schedule-times';
import { type ListedSchedule, listSchedules, type ServerSchedule, startOfSchedule } from './server-schedules';
import { STORE_READS_AT_A_TIME } from '../../store/store';

/** Number of next starts shown. */
const NEXT = 5;

type Sources = ReadContext & Required<Pick<ReadContext, 'temporal'>>;

/** All schedules of the server and the file, by name, without the watch over snapshot ages. */
export async function scheduleRows(
  sources: Sources,
  { runs = 0 }: { /** Number of runs whose outcome is read. @default none */ readonly runs?: number } = {},
): Promise<ScheduleRow[]> {
  const { config, temporal } = sources;
  const control = await openControl(config);
  const specs = allSchedules(config);
  const listed = (await listSchedules(temporal, config)).filter(({ name }) => name !== WATCH_NAME);
  const names = new Set(listed.map(({ name }) => name));
  const ids = listed.flatMap(({ info }) =>
    lastOf(info, runs).map(({ action }) => action.workflow.workflowId),
  );
  const statuses = await statusesOf(sources, ids);
  const there = listed.map((each): ScheduleRow => {
    const origin = each.route === undefined ? 'elsewhere' : 'file';
    const spec = specs.get(each.name);
    const standing = standingOf(config, control, spec, origin, (desired) => isAsDesired(desired, each));
    return { ...rowOf(each, { origin, standing }), runs: runsOf(each, runs, statuses) };
  });
  const missing = [...specs.values()].filter(({ name }) => !names.has(name));
  return [...there, ...missing.map(rowOfSpec)].sort((a, b) => a.name.localeCompare(b.name));
}

/** Everything about a schedule. @param runs of how many runs the outcome is told */
export async function readDetail(
  sources: Sources,
  schedule: ServerSchedule,
  runs: number,
): Promise<ScheduleDetail> {
  const { id, name, made, description } = schedule;
  const { spec, policies, state, info, raw } = description;
  const listed = { id, name, ...startOfSchedule(schedule), spec, state, info };
  const ids = lastOf(info, runs).map(({ action }) => action.workflow.workflowId);
  const statuses = new Map(
    await Promise.all(ids.map(async (runId) => [runId, await statusOf(sources, runId)] as const)),
  );
  const origin = made ? 'file' : 'elsewhere';
  const standing = standingOf(
    sources.config,
    await openControl(sources.config),
    allSchedules(sources.config).get(name),
    origin,
    (desired) => scheduleDifference([desired], [schedule]).every(({ change }) => change === 'unchanged'),
  );
  return {
    ...rowOf(listed, { origin, standing }),
    runs: runsOf(listed, runs, statuses),
    overlap: overlapName(policies.overlap),
    catchupMs: policies.catchupWindow,
    skipped: info.numActionsSkippedOverlap,
    missed: info.numActionsMissedCatchupWindow,
    lastLeftOut: await lastLeftOut(sources.temporal, schedule),
    waiting: Number(raw.info?.bufferSize ?? 0),
    started: info.numActionsTaken,
  };
}

const rowOf = (
  { name, kind, route, spec, state, info }: ListedSchedule,
  standing: Pick<ScheduleRow, 'origin' | 'standing'>,
): Omit<ScheduleRow, 'runs'> => ({
  name,
  kind,
  route,
  cron: timesOnServer(spec)?.cron ?? OTHER_TIMES,
  timezone: spec.timezone || 'UTC',
  jitterMs: spec.jitter ?? 0,
  ...standing,
  paused: state.paused,
  note: state.note || undefined,
  next: info.nextActionTimes.slice(0, NEXT).map((at) => at.toISOString()),
});

const lastOf = ({ recentActions }: ListedSchedule['info'], runs: number) =>
  recentActions.toReversed().slice(0, runs);

function runsOf(
  { spec, info }: ListedSchedule,
  runs: number,
  statuses: ReadonlyMap<string, RunStatus | undefined>,
): ScheduledRun[] {
  const isDue = dueTest(spec);
  return lastOf(info, runs).map(({ action: { workflow }, takenAt }) => {
    const runId = workflow.workflowId;
    const due = dueTimeOf(runId);
    return {
      runId,
      dueAt: due !== undefined && isDue(due) ? iso(due) : undefined,
      startedAt: takenAt.toISOString(),
      status: statuses.get(runId),
    };
  });
}

const rowOfSpec = (spec: ScheduleSpec): ScheduleRow => ({
  name: spec.name,
  kind: spec.kind,
  route: subjectOf(spec),
  cron: spec.cron,
  timezone: spec.timezone,
  jitterMs: 0,
  origin: 'file',
  standing: 'not applied',
  paused: spec.paused ?? false,
  runs: [],
  next: [],
});

function standingOf(
  config: Config,
  control: Control,
  spec: ScheduleSpec | undefined,
  origin: ScheduleRow['origin'],
  isAs: (desired: DesiredSchedule) => boolean,
): ScheduleStanding {
  if (!spec) return origin === 'file' ? 'removed from portolan.yaml' : 'not in portolan.yaml';
  try {
    return isAs(desiredSchedule(config, control, spec))
      ? 'as in portolan.yaml'
      : 'differs from portolan.yaml';
  } catch (thrown) {
    // `apply` reports problems of the file.
    if (thrown instanceof PortolanError) return 'differs from portolan.yaml';
    throw thrown;
  }
}

/** Outcomes of many runs, by Temporal's index, which may lag; else by their records. */
async function statusesOf(
  { store, temporal }: Sources,
  ids: readonly string[],
): Promise<ReadonlyMap<string, RunStatus | undefined>> {
  const indexed = new Map((await indexedById(temporal, ids)).map(({ runId, status }) => [runId, status]));
  const found = await mapLimited(ids, STORE_READS_AT_A_TIME, async (runId) => {
    const status = indexed.get(runId);
    if (status !== undefined && status !== 'running') return [runId, status] as const;
    const record = await store.readJson(keys.record(runId), runRecord).catch(() => undefined);
    return [runId, record?.status ?? status] as const;
  });
  return new Map(found);
}

/** Outcome of a run, by Temporal, else by the store, which keeps it longer. */
export async function statusOf(
  { store, temporal }: ReadContext,
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

/** Open runs of the schedule, each with its state. */
export const openRunsOf = (sources: ReadContext, { info }: ScheduleDescription) =>
  Promise.all(
    info.runningActions.map(async ({ workflow: { workflowId: runId } }: ScheduleExecutionActionResult) => ({
      runId,
      status: await statusOf(sources, runId),
    })),
  );

const HOUR = 3_600_000;

/** The last due time without a run, since the oldest run that Temporal still lists. */
async function lastLeftOut(
  temporal: TemporalClient,
  { id, description: { info, spec } }: ServerSchedule,
): Promise<string | undefined> {
  const [oldest] = info.recentActions;
  if (!oldest || info.numActionsSkippedOverlap + info.numActionsMissedCatchupWindow === 0) return undefined;
  const taken = new Set(info.recentActions.map(({ scheduledAt }) => scheduledAt.getTime()));
  const since = oldest.takenAt.getTime();
  const settled = Date.now() - 60_000;
  // A schedule for each minute has too many times; the last ones suffice.
  for (let span = HOUR; ; span *= 8) {
    const from = Math.max(since, settled - span);
    const starts = await startTimes(temporal, id, { after: from, until: settled });
    const left = starts.findLast((at) => !taken.has(at));
    if (left !== undefined) return iso(dueTimesOf(spec)(left));
    if (from === since) return undefined;
  }
}

const iso = (at: number): string => new Date(at).toISOString();
