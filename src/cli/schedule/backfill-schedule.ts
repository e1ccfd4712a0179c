import type { Backfill } from '@temporalio/client';
import { WorkflowNotFoundError } from '@temporalio/client';
import { dueTimes } from '../../model/schedule/cron-times';
import { PortolanError } from '../../model/errors/errors';
import type { Overlap } from '../../model/schedule/schedule';
import { scheduledRunId } from '../../model/schedule/schedule-id';
import { keys } from '../../store/keys';
import { parseMoment } from '../terminal/parse-time';
import { cronOnServer } from './schedule-fields';
import { handleOf, type ServerSchedule } from './server-schedules';
import type { TemporalClient } from '../../temporal/session';
import { overlapPolicies } from './desired-schedules';
import type { RunSources } from '../run/run-sources';

/** Temporal keeps no more starts than these in line. */
const STARTS_MAX = 1_000;
/** Runs that are looked for at a time. */
const AT_ONCE = 8;

/** What a backfill starts; times as ISO 8601. */
export interface BackfillPlan {
  /** Times that have no run yet. */
  readonly due: readonly string[];
  /** Ids of runs that are there already. */
  readonly there: readonly string[];
}

/**
 * The times at which a schedule was due, with and without a run. Throws `USAGE` where there are none, too many, or
 * where starts of it still stand in line, since these cannot be told apart from what has no run.
 */
export async function planBackfill(
  { store, temporal }: RunSources & Required<Pick<RunSources, 'temporal'>>,
  { name, description }: ServerSchedule,
  { from, to }: { readonly from: string; readonly to: string },
  now: number,
): Promise<BackfillPlan> {
  const timezone = description.spec.timezone || 'UTC';
  const cron = cronOnServer(description);
  if (!cron)
    throw new PortolanError('USAGE', `The times of schedule ${name} were not written by Portolan.`, {
      hint: 'Write them again with: portolan schedule apply',
    });
  const inQueue = Number(description.raw.info?.bufferSize ?? 0);
  if (inQueue > 0)
    throw new PortolanError('USAGE', `${inQueue} starts of schedule ${name} still stand in line.`, {
      hint: `Wait until they are over: portolan schedule show ${name}`,
    });
  const first = parseMoment(from, timezone)?.first ?? now;
  const last = Math.min(parseMoment(to, timezone)?.last ?? now, now);
  const times: number[] = [];
  for (const at of dueTimes(cron, timezone, first, last)) {
    times.push(at);
    if (times.length > STARTS_MAX)
      throw new PortolanError('USAGE', `That is more than ${STARTS_MAX} starts.`, {
        hint: 'Backfill a shorter time first.',
      });
  }
  if (times.length === 0)
    throw new PortolanError('USAGE', `Schedule ${name} was not due in that time.`, {
      hint: `See when it is: portolan schedule show ${name}`,
    });
  const base = description.action.workflowId;
  const there = new Set<number>();
  const waiting = [...times];
  const lookNext = async (): Promise<void> => {
    for (let at = waiting.shift(); at !== undefined; at = waiting.shift()) {
      const runId = scheduledRunId(base, at);
      // The store remembers runs that Temporal has forgotten.
      if ((await hasRun(temporal, runId)) || (await store.openFile(keys.record(runId)))) there.add(at);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, lookNext));
  return {
    due: times.filter((at) => !there.has(at)).map((at) => new Date(at).toISOString()),
    there: times.filter((at) => there.has(at)).map((at) => scheduledRunId(base, at)),
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
export async function backfillSchedule(
  temporal: TemporalClient,
  { id, description }: Pick<ServerSchedule, 'id' | 'description'>,
  { due }: BackfillPlan,
  overlap: Overlap,
): Promise<void> {
  if (due.length === 0) return;
  const { jitter = 0, timezone } = description.spec;
  const cron = cronOnServer(description);
  const ranges = due.map((time): Backfill => {
    const start = new Date(time);
    const at = start.getTime();
    // With a jitter the server's own time for it is later by up to that, and before the next one.
    const [next = at + jitter + 1] = cron ? dueTimes(cron, timezone || 'UTC', at + 1, at + jitter) : [];
    return { start, end: new Date(next - 1), overlap: overlapPolicies[overlap] };
  });
  await handleOf(temporal, id).backfill(ranges);
}
