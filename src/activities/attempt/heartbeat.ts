import { ApplicationFailure, ApplicationFailureCategory } from '@temporalio/common';
import { msToNumber } from '@temporalio/common/lib/time';
import { Context } from '@temporalio/activity';
import type { ActivityExecuteInput, ActivityInboundCallsInterceptor, Next } from '@temporalio/worker';
import { LONGEST_PAUSE_MS, READS_FAIL_MS } from '../../model/errors/budgets';
import { PortolanError } from '../../model/errors/errors';
import { spent, toFailure } from './failure';
import { serverTime } from './clock';

/** Attempts that failed one after the other without getting any further. */
interface FailingRow {
  /** When the first of them failed, milliseconds since the epoch. */
  readonly since: number;
  /** The progress at which they stand, as JSON. */
  readonly at: string;
}

/** What an activity says of itself: its progress, and the row of failures that it is in. */
interface Beat {
  readonly progress?: object;
  readonly failing?: FailingRow;
}

/** A busy worker takes moments, and the clocks of two workers differ: so much more than a pause is no absence. */
const SLACK_MS = 2 * 60_000;

/**
 * A heartbeat's details: the progress as it is, and beside it the row, and until when the next attempt would begin
 * if a worker is up.
 */
const detailsOf = ({ progress, failing }: Beat, pauseMs = LONGEST_PAUSE_MS): object => ({
  ...progress,
  ...(failing && { failing }),
  due: serverTime() + pauseMs + SLACK_MS,
});

function beatIn(details: unknown): Beat {
  if (typeof details !== 'object' || details === null) return {};
  const { failing, due: _due, ...progress } = details as { failing?: FailingRow; due?: number };
  return { ...(Object.keys(progress).length > 0 && { progress }), ...(failing && { failing }) };
}

/** How long an attempt that begins now has waited for a worker, by the details that it finds. @format milliseconds */
function unattended(details: unknown): number {
  const { due = Number.POSITIVE_INFINITY } = (details ?? {}) as { due?: number };
  return Math.max(0, serverTime() - due);
}

/** The same with a row that began so much later. @param ms in which nobody tried */
const later = ({ progress, failing }: Beat, ms: number): Beat => ({
  progress,
  failing: failing && { ...failing, since: failing.since + ms },
});

/** The row that a failure at this progress belongs to: the one that is there, or one that begins with it. */
function rowWith({ progress, failing }: Beat): FailingRow {
  const at = JSON.stringify(progress ?? {});
  return failing?.at === at ? failing : { since: serverTime(), at };
}

/** How long a row has gone on, once that is more than a call may fail. @format milliseconds */
function overdue({ since }: FailingRow): number | undefined {
  const ms = serverTime() - since;
  return ms > READS_FAIL_MS ? ms : undefined;
}

/**
 * How often an activity says that it lives. Heartbeat time-outs are 20 s (src/workflows/run/activity-options.ts), so that
 * the work of a killed worker is taken over within half a minute.
 */
const TICK_MS = 5_000;

const latest = new WeakMap<Context, Beat>();

const beatOf = (context: Context): Beat => latest.get(context) ?? beatIn(context.info.heartbeatDetails);

function beat(context: Context, now: Beat, pauseMs?: number): void {
  latest.set(context, now);
  context.heartbeat(detailsOf(now, pauseMs));
}

/** Details for a heartbeat that is sent past the SDK, which keeps its own back for some seconds. */
export const heartbeatNow = (): object => detailsOf(beatOf(Context.current()));

/** Says how far the activity is; the next attempt finds it in `lastProgress()`. */
export function progress(details: object): void {
  const context = Context.current();
  beat(context, { ...beatOf(context), progress: details });
}

/** What was said last, by this attempt or the one before it, if anything. */
export function lastProgress<T>(): T | undefined {
  return beatOf(Context.current()).progress as T | undefined;
}

/** Number of this attempt, from 1. */
export const attempt = (): number => Context.current().info.attempt;

/** Whether an earlier attempt may have done the work already: look before writing. */
export const isRepeat = (): boolean => attempt() > 1;

/**
 * How long this attempt has waited for a worker, asked at its start. That time says nothing about a portal, so it
 * counts in no budget. @format milliseconds
 */
export const unattendedMs = (): number => unattended(Context.current().info.heartbeatDetails);

/** The signal that every call to a portal is given: it fires when the run is cancelled or the worker stops. */
export const stopSignal = (): AbortSignal => Context.current().cancellationSignal;

/**
 * Beats beside every activity, and turns whatever it throws into a failure by the table of errors. An activity that
 * fails again and again at the same place ends when its time is over (src/model/errors/budgets.ts); one that gets further
 * in between has that time again.
 */
export class ActivityInterceptor implements ActivityInboundCallsInterceptor {
  constructor(private readonly context: Context) {}

  async execute(
    input: ActivityExecuteInput,
    next: Next<ActivityInboundCallsInterceptor, 'execute'>,
  ): Promise<unknown> {
    const { context } = this;
    latest.set(context, later(beatOf(context), unattended(context.info.heartbeatDetails)));
    const tick = (): void => context.heartbeat(detailsOf(beatOf(context)));
    const ticker = context.info.isLocal ? undefined : setInterval(tick, TICK_MS);
    try {
      return fitForHistory(await next(input), context.info.activityType);
    } catch (error) {
      // A call that was aborted because the run is being cancelled is a cancellation, not a failed call.
      if (context.cancellationSignal.aborted) await context.cancelled;
      throw context.info.isLocal ? toFailure(error) : this.#judge(error);
    } finally {
      clearInterval(ticker);
    }
  }

  #judge(thrown: unknown): Error {
    const { context } = this;
    const failure = toFailure(thrown);
    const pauseMs = pauseOf(failure);
    // "Not yet" is an answer: whatever failed before works again.
    if (isBenign(failure)) {
      beat(context, { progress: beatOf(context).progress }, pauseMs);
      return failure;
    }
    const failing = rowWith(beatOf(context));
    beat(context, { ...beatOf(context), failing }, pauseMs);
    const triedForMs = overdue(failing);
    if (triedForMs === undefined || !mayBeRepeated(failure)) return failure;
    return toFailure(spent(PortolanError.from(thrown), triedForMs));
  }
}

/** Temporal ends a run whose history is to take two megabytes at once. @format bytes of JSON */
const RESULT_MAX = 1_500_000;

/** What an activity gives back, unless portals made it too long for history. @throws PortolanError ANSWER_TOO_LARGE */
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

/** What the failure itself says of the pause after it. @format milliseconds */
const pauseOf = (failure: Error): number | undefined =>
  failure instanceof ApplicationFailure && failure.nextRetryDelay != null
    ? msToNumber(failure.nextRetryDelay)
    : undefined;

const mayBeRepeated = (failure: Error): boolean =>
  failure instanceof ApplicationFailure && failure.nonRetryable !== true;

/** A call of many that a portal could not carry out is repeated: what is done already is seen and not done again. */
const ATTEMPTS_MAX = 6;

/**
 * The error with which one of many calls is left alone. Throws what may still go away by itself, and what was stopped
 * with its worker or its run, which says nothing about the call.
 */
export function lastError(thrown: unknown): PortolanError {
  const error = PortolanError.from(thrown);
  if (error.code === 'ABORTED') throw error;
  if (error.meaning.kind !== 'permanent' && attempt() < ATTEMPTS_MAX) throw error;
  return error;
}
