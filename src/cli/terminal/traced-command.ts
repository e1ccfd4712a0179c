import { readFileSync } from 'node:fs';
import type { CommandUnknownOpts } from '@commander-js/extra-typings';
import type { TracingConfig } from '../../config/config';
import { configFileName } from '../../config/config-file-name';
import { startTracing, stopTracing, tracing } from '../../tracing/tracing';

/** Long-running commands and simulated portals: their work belongs to no single command. */
const withoutSpan: ReadonlySet<string> = new Set(['up', 'worker', 'serve start']);
const withoutTraces: ReadonlySet<string> = new Set(['simulate']);
/** `demo` writes its own configuration. */
const DEMO = 'demo';

/**
 * Runs a command within a span if tracing is on, and flushes spans at the end, in bounded time.
 * @param config `--config`
 */
export async function tracedCommand(
  command: CommandUnknownOpts,
  { config, say }: { readonly config: string | undefined; readonly say: (words: string) => void },
  work: () => Promise<number>,
): Promise<number> {
  const name = nameOf(command);
  // A nested command belongs to the outer one's span.
  if (withoutTraces.has(name) || tracing()) return await work();
  await startTracing(name === DEMO ? undefined : await tracingIn(config), say);
  const sending = tracing();
  if (!sending) return await work();
  try {
    return withoutSpan.has(name) ? await work() : await sending.command(name, work);
  } finally {
    await stopTracing();
  }
}

/** `run approve`. */
const nameOf = (command: CommandUnknownOpts): string => {
  const above = command.parent;
  return above?.parent ? `${nameOf(above)} ${command.name()}` : command.name();
};

/** `tracing` of the configuration; the file is parsed only if it contains that word. */
async function tracingIn(named: string | undefined): Promise<TracingConfig | undefined> {
  try {
    if (!readFileSync(configFileName(named), 'utf8').includes('tracing')) return undefined;
    const { loadConfig } = await import('../../config/load-config.js');
    return loadConfig(named).tracing;
  } catch {
    // The command itself reports an unreadable file if it needs it.
    return undefined;
  }
}
