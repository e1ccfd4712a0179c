import { ApplicationFailure, ApplicationFailureCategory } from '@temporalio/common';
import { asyncLocalStorage, Context } from '@temporalio/activity';
import type { ActivityExecuteInput, ActivityInboundCallsInterceptor, Next } from '@temporalio/worker';
import { READS_FAIL_MS } from '../../model/errors/budgets';
import { PortolanError } from '../../model/errors/errors';
import { retriesExhaustedError, toFailure } from './failure';

/** The machine's clock, until the worker knows Temporal's. */
let clock = (): number => Date.now();

/**
 * Temporal's time, which activities use for all timestamps. It is the same for all workers, so that clock skew neither
 * shortens the search for a lost response nor ends a deadline early.
 * @returns milliseconds since 1970
 */
export const activityTime = (): number => clock();

/** Temporal's time as text. */
export const timestamp = (): string => new Date(activityTime()).toISOString();

/** Sets the clock for all activities of this process. */
export function useClock(given: () => number): void {
  clock = given;
}

/** A series of failed attempts without progress. */
interface FailingRow {
  /** When the first of them failed, milliseconds since the epoch. */
  readonly since: number;
  /** Their progress, as JSON. */
  readonly at: string;
}

/** Heartbeat details: an activity's progress, and its current series of failures beside it. */
interface Beat {
  readonly failing?: FailingRow;
}

/** The series that a failure at this progress continues or starts. */
function rowWith({ failing, ...progress }: Beat): FailingRow {
  const at = JSON.stringify(progress);
  return failing?.at === at ? failing : { since: activityTime(), at };
}

/** How long a series has lasted, if longer than retries may take. @format milliseconds */
function overdue({ since }: FailingRow): number | undefined {
  const ms = activityTime() - since;
  return ms > READS_FAIL_MS ? ms : undefined;
}

/**
 * Heartbeat interval. The heartbeat timeout is 20 s (src/workflows/run/activity-options.ts), so that another worker
 * takes over within half a minute.
 */
const TICK_MS = 5_000;

const latest = new WeakMap<Context, Beat>();
/** How long each attempt waited for a worker. @format milliseconds */
const waited = new WeakMap<Context, number>();

const beatOf = (context: Context): Beat =>
  latest.get(context) ?? (context.info.heartbeatDetails as Beat | undefined) ?? {};

function beat(context: Context, now: Beat): void {
  latest.set(context, now);
  context.heartbeat(now);
}

/** Details for a heartbeat sent past the SDK, which throttles its own. */
export const heartbeatNow = (): object => beatOf(Context.current());

/** Adds to the activity's progress, which the next attempt reads with `lastProgress()`. */
export function progress(details: object): void {
  const context = Context.current();
  beat(context, { ...beatOf(context), ...details });
}

/** The last progress of this attempt or the one before, if any. */
export function lastProgress<T>(): Partial<T> {
  const { failing: _, ...progress } = beatOf(Context.current());
  return progress;
}

/** Number of this attempt, from 1. */
export const attempt = (): number => Context.current().info.attempt;

/** Whether an earlier attempt may have done the work: look before writing. */
export const isRepeat = (): boolean => attempt() > 1;

/**
 * How long this attempt waited for a worker, read at its start. That time says nothing about the portal, so it does not
 * count as retrying. @format milliseconds
 */
export const unattendedMs = (): number => waited.get(Context.current()) ?? 0;

/** Aborts when the run is cancelled or the worker stops. */
export const stopSignal = (): AbortSignal => Context.current().cancellationSignal;

/** Options for domain functions that also pause between requests. */
export const stoppable = (): { readonly signal: AbortSignal } => ({ signal: stopSignal() });

/** The same signal for every portal request; undefined outside an activity. */
export const attemptSignal = (): AbortSignal | undefined => asyncLocalStorage.getStore()?.cancellationSignal;

/**
 * Sends heartbeats during every activity and turns errors into failures. An activity that keeps failing without progress
 * ends after a time limit (src/model/errors/budgets.ts); progress restarts it.
 */
export class HeartbeatInterceptor implements ActivityInboundCallsInterceptor {
  constructor(private readonly context: Context) {}

  async execute(
    input: ActivityExecuteInput,
    next: Next<ActivityInboundCallsInterceptor, 'execute'>,
  ): Promise<unknown> {
    const { context } = this;
    const waitedMs = Math.max(0, activityTime() - context.info.currentAttemptScheduledTimestampMs);
    waited.set(context, waitedMs);
    const { failing, ...before } = beatOf(context);
    // Nobody has tried meanwhile.
    const moved = failing && { ...failing, since: failing.since + waitedMs };
    latest.set(context, { ...before, failing: moved });
    const tick = (): void => context.heartbeat(beatOf(context));
    const ticker = context.info.isLocal ? undefined : setInterval(tick, TICK_MS);
    try {
      return fitForHistory(await next(input), context.info.activityType);
    } catch (error) {
      // A request aborted because the run is being cancelled counts as a cancellation, not as a failure.
      if (context.cancellationSignal.aborted) await context.cancelled;
      throw context.info.isLocal ? toFailure(error) : this.#judge(error);
    } finally {
      clearInterval(ticker);
    }
  }

  #judge(thrown: unknown): Error {
    const { context } = this;
    const failure = toFailure(thrown);
    // "Not yet" is a response: whatever failed before works again.
    if (isBenign(failure)) {
      beat(context, { ...beatOf(context), failing: undefined });
      return failure;
    }
    const failing = rowWith(beatOf(context));
    beat(context, { ...beatOf(context), failing });
    const triedForMs = overdue(failing);
    if (triedForMs === undefined || !mayBeRepeated(failure)) return failure;
    return toFailure(retriesExhaustedError(PortolanError.from(thrown), triedForMs));
  }
}

/** Temporal ends a run if a single result exceeds 2 MB. @format bytes of JSON */
const RESULT_MAX = 1_500_000;

/** Returns the result, unless portals made it too long for history. @throws PortolanError ANSWER_TOO_LARGE */
function fitForHistory(result: unknown, activity: string): unknown {
  const bytes = Buffer.byteLength(JSON.stringify(result) ?? '');
  if (bytes <= RESULT_MAX) return result;
  throw new PortolanError(
    'ANSWER_TOO_LARGE',
    `portals sent ${bytes} bytes to ${activity} (limit ${RESULT_MAX})`,
  );
}

const isBenign = (failure: Error): boolean =>
  failure instanceof ApplicationFailure && failure.category === ApplicationFailureCategory.BENIGN;

const mayBeRepeated = (failure: Error): boolean =>
  failure instanceof ApplicationFailure && failure.nonRetryable !== true;

/** How often one request of many is retried. A retry skips what is already done. */
const ATTEMPTS_MAX = 6;

/**
 * The error with which one request of many is given up. Rethrows errors that retries may fix, and interruptions of the
 * worker or run, which say nothing about the request.
 */
export function lastError(thrown: unknown): PortolanError {
  const error = PortolanError.from(thrown);
  if (error.code === 'ABORTED' || stopSignal().aborted) throw error;
  if (error.meaning.kind !== 'permanent' && attempt() < ATTEMPTS_MAX) throw error;
  return error;
}
