import { PortolanError } from '../model/errors/errors';
import { parseTraceparent } from '../model/trace/trace-context';
import { spanReceiver } from './settings';
import type { Tracing } from './otel-tracing';

let current: Tracing | undefined;

/** The tracing of this process; undefined if no spans are sent. */
export const tracing = (): Tracing | undefined => current;

/**
 * Starts sending spans, if a receiver is configured. Loads OpenTelemetry only then. Invalid settings are reported, but
 * stop nothing.
 * @param say called with a sentence when sending fails, and when it works again
 */
export async function startTracing(say: (words: string) => void): Promise<void> {
  if (current) return;
  try {
    const receiver = spanReceiver();
    if (!receiver) return;
    const sender = await import('./otel-tracing.js');
    current ??= new sender.Tracing(receiver, say);
  } catch (thrown) {
    say(`tracing is off: ${PortolanError.from(thrown).plainMessage}`);
  }
}

/** Sends remaining spans within a time limit, and makes no more. */
export async function stopTracing(): Promise<void> {
  const stopped = current;
  current = undefined;
  await stopped?.stop();
}

/** Trace headers for a request to `portolan serve`; without tracing, passes on those of the caller. */
export function outgoingTrace(env: NodeJS.ProcessEnv = process.env): Record<string, string> {
  if (current) return current.outgoing();
  const { TRACEPARENT: traceparent } = env;
  return parseTraceparent(traceparent) && traceparent ? { traceparent } : {};
}
