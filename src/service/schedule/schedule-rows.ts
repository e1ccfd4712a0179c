import type { ScheduleDescription, ScheduleExecutionActionResult } from '@temporalio/client';
import { WorkflowNotFoundError } from '@temporalio/client';
import type { Config } from '../../config/config';
import { type Control, openControl } from '../../domain/control/control';
import { PortolanError } from '../../model/errors/errors';
import type { TemporalClient } from '../../temporal/session';
import type { RunStatus } from '../../model/run/phase';
import { runRecord } from '../../model/run/run';
import { type ScheduleSpec, subjectOf } from '../../model/schedule/schedule';
import { dueTimeOf } from '../../model/schedule/schedule-id';
import { keys } from '../../store/keys';
import { outcomeOf, saidOutcome } from '../run/run-record';
import type { RunSources } from '../run/run-sources';
import { desiredSchedule, WATCH_NAME } from './desired-schedules';
import { scheduleDifference } from './schedule-difference';
import { cronOnServer, OTHER_TIMES, overlapName } from './schedule-fields';
import { dueTest, dueTimesOf, startTimes } from './schedule-times';
import type { ScheduledRun, ScheduleRow, ScheduleStanding } from './schedule-view';
import { type ServerSchedule, startOfSchedule } from './server-schedules';

/** How many of the next starts are told. */
const NEXT = 5;

type Sources = RunSources & Required<Pick<RunSources, 'temporal'>>;

/** The schedules of the server and those that only the file has, by name; not the one that watches snapshots. */
export async function scheduleRows(
  sources: Sources,
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
  sources: Sources,
  schedule: ServerSchedule,
  runs: number,
): Promise<ScheduleRow> {
  const { name, made, description } = schedule;
  const { spec, policies, state, info, raw } = description;
  const isDue = dueTest(spec);
  const recent = info.recentActions.toReversed().slice(0, runs);
  return {
    name,
    ...startOfSchedule(schedule),
    cron: cronOnServer(spec)?.text ?? OTHER_TIMES,
    timezone: spec.timezone || 'UTC',
    jitterMs: spec.jitter ?? 0,
    overlap: overlapName(policies.overlap),
    catchupMs: policies.catchupWindow,
    origin: made ? 'file' : 'elsewhere',
    standing: standingOf(sources.config, await openControl(sources.config), schedule),
    paused: state.paused,
    note: state.note || undefined,
    runs: await Promise.all(
      recent.map(async ({ action: { workflow }, takenAt }): Promise<ScheduledRun> => {
        const runId = workflow.workflowId;
        const due = dueTimeOf(runId);
        return {
          runId,
          dueAt: due !== undefined && isDue(due) ? iso(due) : undefined,
          startedAt: takenAt.toISOString(),
          status: await statusOf(sources, runId),
        };
      }),
    ),
    skipped: info.numActionsSkippedOverlap,
    missed: info.numActionsMissedCatchupWindow,
    lastLeftOut: await lastLeftOut(sources.temporal, schedule),
    waiting: Number(raw.info?.bufferSize ?? 0),
    started: info.numActionsTaken,
    next: info.nextActionTimes.slice(0, NEXT).map((at) => at.toISOString()),
  };
}

const rowOfSpec = (spec: ScheduleSpec): ScheduleRow => ({
  name: spec.name,
  kind: spec.kind,
  route: subjectOf(spec),
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

function standingOf(config: Config, control: Control, found: ServerSchedule): ScheduleStanding {
  const spec = config.schedules.get(found.name);
  if (!spec) return found.made ? 'gone from the file' : 'not in the file';
  try {
    const [change] = scheduleDifference([desiredSchedule(config, control, spec)], [found]);
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

const HOUR = 3_600_000;

/** The last time that was due and has no run, among those since the oldest run that Temporal still tells. */
async function lastLeftOut(
  temporal: TemporalClient,
  { id, description: { info, spec } }: ServerSchedule,
): Promise<string | undefined> {
  const [oldest] = info.recentActions;
  if (!oldest || info.numActionsSkippedOverlap + info.numActionsMissedCatchupWindow === 0) return undefined;
  const taken = new Set(info.recentActions.map(({ scheduledAt }) => scheduledAt.getTime()));
  const since = oldest.takenAt.getTime();
  const settled = Date.now() - 60_000;
  // What is due each minute has very many times, and the last ones tell.
  for (let span = HOUR; ; span *= 8) {
    const from = Math.max(since, settled - span);
    const starts = await startTimes(temporal, id, { after: from, until: settled });
    const left = starts.findLast((at) => !taken.has(at));
    if (left !== undefined) return iso(dueTimesOf(spec)(left));
    if (from === since) return undefined;
  }
}

const iso = (at: number): string => new Date(at).toISOString();
