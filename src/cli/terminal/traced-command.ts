import type { CommandUnknownOpts } from '@commander-js/extra-typings';
import { typedName } from './typed-options';
import { startTracing, stopTracing, tracing } from '../../tracing/tracing';

/** Long-running commands and simulated portals: their work belongs to no single command. */
const withoutSpan: ReadonlySet<string> = new Set(['up', 'worker', 'serve start']);
const withoutTraces: ReadonlySet<string> = new Set(['simulate']);

/**
 * Runs a command within a span if tracing is on, and flushes spans at the end, in bounded time.
 */
export async function tracedCommand(
  command: CommandUnknownOpts,
  say: (words: string) => void,
  work: () => Promise<number>,
): Promise<number> {
  const name = typedName(command);
  // A nested command belongs to the outer one's span.
  if (withoutTraces.has(name) || tracing()) return await work();
  await startTracing(say);
  const sending = tracing();
  if (!sending) return await work();
  try {
    return withoutSpan.has(name) ? await work() : await sending.command(name, work);
  } finally {
    await stopTracing();
  }
}
