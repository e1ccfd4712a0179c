import { Context } from '@temporalio/activity';
import type { ActivityExecuteInput, ActivityInboundCallsInterceptor, Next } from '@temporalio/worker';
import { toFailure } from './failure';

/**
 * How often an activity says that it lives. Heartbeat time-outs are 20 s (src/workflows/calls.ts), so that
 * the work of a killed worker is taken over within half a minute.
 */
const TICK_MS = 5_000;

const latest = new WeakMap<Context, unknown>();

/** Says how far the activity is; the next attempt finds it in `lastProgress()`. */
export function progress(details: unknown): void {
  const context = Context.current();
  latest.set(context, details);
  context.heartbeat(details);
}

/** What an earlier attempt said last, if anything. */
export function lastProgress<T>(): T | undefined {
  return Context.current().info.heartbeatDetails as T | undefined;
}

/** Number of this attempt, from 1. */
export const attempt = (): number => Context.current().info.attempt;

/** Whether an earlier attempt may have done the work already: look before writing. */
export const isRepeat = (): boolean => attempt() > 1;

/** The signal that every call to a portal is given: it fires when the run is cancelled or the worker stops. */
export const stopSignal = (): AbortSignal => Context.current().cancellationSignal;

/** Beats beside every activity, and turns whatever it throws into a failure by the table of errors. */
export class ActivityInterceptor implements ActivityInboundCallsInterceptor {
  constructor(private readonly context: Context) {}

  async execute(
    input: ActivityExecuteInput,
    next: Next<ActivityInboundCallsInterceptor, 'execute'>,
  ): Promise<unknown> {
    const { context } = this;
    latest.set(context, context.info.heartbeatDetails);
    const beat = (): void => context.heartbeat(latest.get(context));
    const ticker = context.info.isLocal ? undefined : setInterval(beat, TICK_MS);
    try {
      return await next(input);
    } catch (error) {
      // A call that was aborted because the run is being cancelled is a cancellation, not a failed call.
      if (context.cancellationSignal.aborted) await context.cancelled;
      throw toFailure(error);
    } finally {
      clearInterval(ticker);
    }
  }
}
