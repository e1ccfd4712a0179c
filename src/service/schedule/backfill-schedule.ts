import type { Backfill } from '@temporalio/client';
import { WorkflowNotFoundError } from '@temporalio/client';
import { PortolanError } from '../../model/errors/errors';
import { mapLimited } from '../../model/map-limited';
import type { Overlap } from '../../model/schedule/schedule';
import { scheduledRunId } from '../../model/schedule/schedule-id';
import { keys } from '../../store/keys';
import type { TemporalClient } from '../../temporal/session';
import type { WriteContext, ReadContext } from '../run/run-sources';
import { parseTimeSpan } from './parse-time';
import { overlapPolicies } from './desired-schedules';
import { timesOnServer } from './schedule-fields';
import { dueTimesOf, startTimes } from './schedule-times';
import type { Backfilled, BackfillRequest } from './schedule-change-view';
import { noteDone } from './note-done';
import { requireNoSecondPerson } from './second-person';
import { handleOf, type ServerSchedule } from './server-schedules';

/** Temporal keeps no more starts than these in its queue. */
const STARTS_MAX = 1_000;
/** Runs that are looked for at a time. */
const CONCURRENCY = 8;

/** What a backfill starts. */
interface BackfillPlan {
  /** Times that have no run yet, as ISO 8601. */
  readonly due: readonly string[];
  /** Ids of runs that are there already. */
  readonly there: readonly string[];
  /** Each of `due` alone: from the start before it to its own. */
  readonly ranges: readonly Pick<Backfill, 'start' | 'end'>[];
}

/**
 * The times at which a schedule was due, with and without a run. Throws `USAGE` where there are none, too many, or
 * where starts of it still stand in its queue, since these cannot be told apart from what has no run.
 */
async function planBackfill(
  { store, temporal }: ReadContext & Required<Pick<ReadContext, 'temporal'>>,
  schedule: ServerSchedule,
  { from, to }: { readonly from: string; readonly to: string },
  now: number,
): Promise<BackfillPlan> {
  const { id, name, description } = schedule;
  const { jitter = 0 } = description.spec;
  const timezone = description.spec.timezone || 'UTC';
  if (timesOnServer(description.spec) === undefined)
    throw new PortolanError('USAGE', `The times of schedule ${name} were not set by Portolan.`, {
      hint: 'Set them again: portolan schedule apply',
    });
  const inQueue = Number(description.raw.info?.bufferSize ?? 0);
  if (inQueue > 0)
    throw new PortolanError('USAGE', `${inQueue} starts of schedule ${name} are still pending.`, {
      hint: `Wait for them to finish: portolan schedule show ${name}`,
    });
  const first = parseTimeSpan(from, timezone)?.first ?? now;
  const last = Math.min(parseTimeSpan(to, timezone)?.last ?? now, now);
  // A start that is still to come has not been missed.
  const until = Math.min(last + jitter, now);
  const later = new Set(await startTimes(temporal, id, { after: last, until }));
  const asked = { after: first - 1_000, until };
  const starts = (await startTimes(temporal, id, asked, STARTS_MAX + later.size)).filter(
    (at) => !later.has(at),
  );
  if (starts.length > STARTS_MAX)
    throw new PortolanError('USAGE', `This would be more than ${STARTS_MAX} starts.`, {
      hint: 'Backfill a shorter period first.',
    });
  if (starts.length === 0)
    throw new PortolanError('USAGE', `Schedule ${name} was not due in that period.`, {
      hint: `See when it is due: portolan schedule show ${name}`,
    });
  const dueTimeOf = dueTimesOf(description.spec);
  const times = await mapLimited(starts, CONCURRENCY, async (start) => {
    const due = dueTimeOf(start);
    const runId = scheduledRunId(description.action.workflowId, due);
    // The store remembers runs that Temporal has forgotten.
    const isThere =
      (await hasRun(temporal, runId)) || (await store.openFile(keys.record(runId))) !== undefined;
    return { start, due, runId, isThere };
  });
  const missing = times.filter(({ isThere }) => !isThere);
  return {
    due: missing.map(({ due }) => new Date(due).toISOString()),
    there: times.filter(({ isThere }) => isThere).map(({ runId }) => runId),
    // As the server was asked, so that it comes to the same times.
    ranges: missing.map(({ start }) => ({
      start: new Date((starts[starts.indexOf(start) - 1] ?? first - 1) + 1),
      end: new Date(start),
    })),
  };
}

async function hasRun({ client }: TemporalClient, runId: string): Promise<boolean> {
  try {
    await client.workflow.getHandle(runId).describe();
    return true;
  } catch (thrown) {
    if (thrown instanceof WorkflowNotFoundError) return false;
    throw thrown;
  }
}

/** Starts what is due, in its order. */
async function backfillSchedule(
  temporal: TemporalClient,
  { id }: Pick<ServerSchedule, 'id'>,
  { ranges }: BackfillPlan,
  overlap: Overlap,
): Promise<void> {
  await handleOf(temporal, id).backfill(
    ranges.map((range) => ({ ...range, overlap: overlapPolicies[overlap] })),
  );
}

/**
 * Starts what a schedule has not started when it was due, each time once. Throws what `planBackfill`
 * throws, and `POLICY_REFUSED` where a second person has to approve what it starts.
 */
export async function backfill(
  sources: WriteContext,
  schedule: ServerSchedule,
  { from, to, overlap = 'buffer-all', dryRun = false }: BackfillRequest,
): Promise<Backfilled> {
  if (!dryRun) requireNoSecondPerson(sources.config, schedule);
  const plan = await planBackfill(sources, schedule, { from, to }, Date.now());
  const { due, there } = plan;
  if (!dryRun && due.length > 0) {
    await backfillSchedule(sources.temporal, schedule, plan, overlap);
    await noteDone(sources, 'backfill', schedule.name, `${from} to ${to}`);
  }
  return { name: schedule.name, due, there, started: !dryRun && due.length > 0 };
}
