import { condition, isCancellation, log, workflowInfo } from '@temporalio/workflow';
import { wholesOf } from '../../model/run/run-id';
import type { AnyInput } from '../../model/run/run-input';
import { dueTimeOf, scheduleId } from '../../model/schedule/schedule-id';
import { bestEffort } from './activity-options';

/** How long a run waits for a person where its route does not say. */
export const DECISION_TIMEOUT_MS = 7 * 24 * 3_600_000;

/** A run that leaves has packages to remove before the next one is due. */
const LEAVES_BEFORE_MS = 5 * 60_000;

/** What of its input says which schedule started a run. */
type Scheduled = Pick<AnyInput, 'runId' | 'scheduledBy'>;

/** Until when a run waits for a person. */
export interface Patience {
  /** As long as its route gives a person. @format milliseconds since the epoch */
  readonly end: number;
  /** The id of the schedule that started the run; absent if none did. */
  readonly schedule?: string;
  /** When that schedule starts the next run; absent if there is no schedule, or nothing is due. */
  readonly next?: string;
  /** The earlier of both, with the time that leaving takes. @format milliseconds since the epoch */
  readonly until: number;
}

/**
 * How long a run waits for a person: as its route says, and one that a schedule started no longer than until the next
 * one is due. A schedule that skips what is due while a run goes on would never start another one.
 */
export async function patience(waitMs: number, input: Scheduled): Promise<Patience> {
  const end = Date.now() + waitMs;
  const schedule = scheduleOf(input);
  const next = await nextStart(schedule);
  return { end, schedule, next, until: next === undefined ? end : Math.min(end, leavingTime(next)) };
}

const leavingTime = (next: string): number => {
  const left = Math.max(0, Date.parse(next) - Date.now());
  return Date.parse(next) - Math.min(LEAVES_BEFORE_MS, left / 10);
};

/** Waits for an answer, with a timer of that name. Where none came: whether it was the next run that ended the waiting, and when that is due. */
export async function answeredWithin(
  { end, schedule, next, until }: Patience,
  isAnswered: () => boolean,
  summary: string,
): Promise<{ readonly answered: boolean; readonly next?: string }> {
  for (;;) {
    if (await condition(isAnswered, Math.max(1, until - Date.now()), { summary })) return { answered: true };
    if (next === undefined || Date.now() >= end) return { answered: false };
    // The schedule may have been paused or changed meanwhile: then there is more time.
    const now = await nextStart(schedule);
    if (isAnswered()) return { answered: true };
    const isMoved =
      now === undefined || (Date.parse(now) > Date.parse(next) && Date.now() < Date.parse(next));
    if (!isMoved) return { answered: false, next };
    next = now;
    until = next === undefined ? end : Math.min(end, leavingTime(next));
  }
}

/** When a schedule is due next. What cannot be known now is left out. */
async function nextStart(schedule: string | undefined): Promise<string | undefined> {
  if (schedule === undefined) return undefined;
  try {
    return (await bestEffort('next start of the schedule').nextStart({ scheduleId: schedule })) ?? undefined;
  } catch (error) {
    if (isCancellation(error)) throw error;
    log.warn('the next start of the schedule could not be read', { error });
    return undefined;
  }
}

/**
 * The schedule that started a run or its parent: Temporal puts the time at which that was due behind its id. A run that a
 * person starts for a schedule of their own has another id.
 */
function scheduleOf({ runId, scheduledBy }: Scheduled): string | undefined {
  const started = wholesOf(runId).at(-1) ?? runId;
  if (scheduledBy === undefined || dueTimeOf(started) === undefined) return undefined;
  return scheduleId(workflowInfo().taskQueue, scheduledBy);
}
