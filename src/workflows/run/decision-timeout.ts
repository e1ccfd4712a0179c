import { condition, isCancellation, log, workflowInfo } from '@temporalio/workflow';
import { wholesOf, dueTimeOf, scheduleId } from '../../model/run/run-id';
import type { AnyInput } from '../../model/run/run-input';
import { bestEffort } from './activity-options';

/** How long a run waits for a person if its route does not say. */
export const DECISION_TIMEOUT_MS = 7 * 24 * 3_600_000;

/** Time a run needs to delete its packages before the next one starts. */
const LEAVES_BEFORE_MS = 5 * 60_000;

/** The input fields that identify the schedule that started a run. */
type Scheduled = Pick<AnyInput, 'runId' | 'scheduledBy'>;

/** How long a run waits for a person. */
export interface DecisionDeadline {
  /** End of the route's decision timeout. @format milliseconds since the epoch */
  readonly end: number;
  /** When the schedule that started the run starts the next one; absent if none did, or nothing is due. */
  readonly next?: string;
  /** The earlier of both, less the time for cleanup. @format milliseconds since the epoch */
  readonly until: number;
}

/**
 * Reads how long a run waits for a person: until `end`, but no longer than until its schedule's next start. A schedule
 * that skips starts while a run is open would never start another.
 */
export async function readDeadline(end: number, input: Scheduled): Promise<DecisionDeadline> {
  const next = await nextStart(scheduleOf(input));
  if (next === undefined) return { end, until: end };
  const due = Date.parse(next);
  const left = Math.max(0, due - Date.now());
  return { end, next, until: Math.min(end, due - Math.min(LEAVES_BEFORE_MS, left / 10)) };
}

/** Waits for a decision, on a timer with this summary. If the next run ended the wait, returns when that is due. */
export async function answeredWithin(
  deadline: DecisionDeadline,
  input: Scheduled,
  isAnswered: () => boolean,
  summary: string,
): Promise<{ readonly answered: boolean; readonly next?: string }> {
  for (let { end, next, until } = deadline; ;) {
    if (await condition(isAnswered, Math.max(1, until - Date.now()), { summary })) return { answered: true };
    if (next === undefined || Date.now() >= end) return { answered: false };
    // The schedule may have been paused or changed, which leaves more time.
    const now = await readDeadline(end, input);
    if (isAnswered()) return { answered: true };
    const due = Date.parse(next);
    const isMoved = now.next === undefined || (Date.parse(now.next) > due && Date.now() < due);
    if (!isMoved) return { answered: false, next };
    ({ next, until } = now);
  }
}

/** When the schedule starts next; undefined if it cannot be read. */
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
 * The schedule that started a run or its parent. Temporal appends the scheduled time to its ID. A run that a person
 * started has a different ID.
 */
function scheduleOf({ runId, scheduledBy }: Scheduled): string | undefined {
  const started = wholesOf(runId).at(-1) ?? runId;
  if (scheduledBy === undefined || dueTimeOf(started) === undefined) return undefined;
  return scheduleId(workflowInfo().taskQueue, scheduledBy);
}
