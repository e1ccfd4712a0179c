import type { ScheduleDescription } from '@temporalio/client';
import { msToTs, tsToMs } from '@temporalio/common/lib/time';
import { isNamedTime } from '../../model/schedule/cron';
import type { TemporalClient } from '../../temporal/connection';
import { timesOnServer } from './schedule-fields';

const MINUTE = 60_000;
/** Page size of the server. */
const PAGE = 1_000;

/**
 * When a schedule is due, as computed by the server, which alone decides about clock changes: times after one moment
 * up to another.
 * @returns milliseconds since the epoch, as are `after` and `until`
 */
export async function startTimes(
  { connection, namespace }: TemporalClient,
  scheduleId: string,
  { after, until }: { readonly after: number; readonly until: number },
): Promise<number[]> {
  const times: number[] = [];
  for (let from = after; from < until; from = times.at(-1) ?? until) {
    const { startTime } = await connection.workflowService.listScheduleMatchingTimes({
      namespace,
      scheduleId,
      startTime: msToTs(from),
      endTime: msToTs(until),
    });
    times.push(...startTime.map(tsToMs));
    if (startTime.length < PAGE) break;
  }
  return times;
}

type Spec = ScheduleDescription['spec'];

/**
 * Tells what each start is for: a jitter makes it later than that, and never as late as the next. Without one, and
 * where the clock of the schedule names no such time, it is the start itself.
 */
export function dueTimesOf(spec: Spec): (start: number) => number {
  const isDue = dueTest(spec);
  return (start) => {
    const { jitter = 0 } = spec;
    for (let at = Math.floor(start / MINUTE) * MINUTE; jitter > 0 && at >= start - jitter; at -= MINUTE)
      if (isDue(at)) return at;
    return start;
  };
}

/** Tells whether a time is one that the clock of a schedule names; none is where Portolan did not write its times. */
export function dueTest(spec: Spec): (at: number) => boolean {
  const said = timesOnServer(spec);
  return (at) => said !== undefined && isNamedTime(said.times, spec.timezone || 'UTC', at);
}
