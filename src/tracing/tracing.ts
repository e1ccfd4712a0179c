import type { TracingConfig } from '../config/config';
import { PortolanError } from '../model/errors/errors';
import { parseTraceparent } from '../model/trace/trace-context';
import { spanReceiver } from './settings';
import type { Tracing } from './spans';

let current: Tracing | undefined;

/** That of this process; undefined while no spans are sent. */
export const tracing = (): Tracing | undefined => current;

/**
 * Has spans of this process sent from now on, if anybody is named to whom. What is of OpenTelemetry is loaded here and
 * not before. Settings by which none can be sent are said, and nothing ends for them.
 * @param say told in a sentence when spans do not arrive, and when they do again
 */
export async function startTracing(
  config: TracingConfig | undefined,
  say: (words: string) => void,
): Promise<void> {
  if (current) return;
  try {
    const receiver = spanReceiver(config);
    if (!receiver) return;
    const headers = await config?.headers?.read();
    const { OtelTracing } = await import('./otel-tracing.js');
    current ??= new OtelTracing(receiver, { headers, sample: config?.sample }, say);
  } catch (thrown) {
    say(`no traces are sent: ${PortolanError.from(thrown).plainMessage}`);
  }
}

/** Sends what is left, in bounded time, and makes no more. */
export async function stopTracing(): Promise<void> {
  const stopped = current;
  current = undefined;
  await stopped?.stop();
}

/** Headers for a request to a `portolan serve`; of whoever has called us where we send no spans ourselves. */
export function outgoingTrace(env: NodeJS.ProcessEnv = process.env): Record<string, string> {
  if (current) return current.outgoing();
  const { TRACEPARENT: traceparent } = env;
  return parseTraceparent(traceparent) && traceparent ? { traceparent } : {};
}
