import { readFileSync } from 'node:fs';
import type { CommandUnknownOpts } from '@commander-js/extra-typings';
import type { TracingConfig } from '../../config/config';
import { configFileName } from '../../config/config-file-name';
import { startTracing, stopTracing, tracing } from '../../tracing/tracing';

/** They last, or bring portals alone: what goes on in them is about no command. */
const withoutSpan: ReadonlySet<string> = new Set(['up', 'worker', 'serve start']);
const withoutTraces: ReadonlySet<string> = new Set(['simulate']);
/** It has a configuration of its own, which it writes. */
const DEMO = 'demo';

/**
 * Does the work of a command, with a span of its own where traces are sent. At its end what there is of spans goes out,
 * in bounded time.
 * @param config `--config`
 */
export async function tracedCommand(
  command: CommandUnknownOpts,
  { config, say }: { readonly config: string | undefined; readonly say: (words: string) => void },
  work: () => Promise<number>,
): Promise<number> {
  const name = nameOf(command);
  // A command that another one runs within this process belongs to that.
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

/** `tracing` of the configuration, which is read as a whole only where that word is in it. */
async function tracingIn(named: string | undefined): Promise<TracingConfig | undefined> {
  try {
    if (!readFileSync(configFileName(named), 'utf8').includes('tracing')) return undefined;
    const { loadConfig } = await import('../../config/load-config.js');
    return loadConfig(named).tracing;
  } catch {
    // The command says so, if it needs the file.
    return undefined;
  }
}
