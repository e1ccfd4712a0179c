import { type CommandUnknownOpts, Option } from '@commander-js/extra-typings';
import { z } from 'zod';
import { setTypedConfig } from './command-name';
import { Output, outputFormats, type Terminal } from './output';
import { typedName } from './typed-options';
import { startTracing, stopTracing, tracing } from '../../tracing/tracing';
import { notice } from '../../model/text/sheet';

/** Options that commands share. */
const globals = z.object({
  config: z.string().optional(),
  output: z.enum(outputFormats).default('table'),
});
export type Globals = z.infer<typeof globals>;

const terminals = new WeakMap<CommandUnknownOpts, Terminal>();

/** Adds the shared options to a command, unless others are below it. @param terminal where `perform` writes */
export function addGlobals(command: CommandUnknownOpts, terminal: Terminal): void {
  terminals.set(command, terminal);
  if (command.commands.length > 0) return;
  // demo and simulate use no configuration; simulate prints only an address.
  if (command.name() !== 'demo' && command.name() !== 'simulate') command.addOption(configOption());
  if (command.name() !== 'simulate') command.addOption(outputOption());
}

export const globalHeading = 'Global options:';

const configOption = () =>
  new Option('--config <file>', 'Configuration file (default: PORTOLAN_CONFIG or portolan.yaml)').helpGroup(
    globalHeading,
  );

const outputOption = () =>
  new Option('-o, --output <format>', 'Output format')
    .choices(outputFormats)
    .default('table')
    .helpGroup(globalHeading);

/** Runs a command. Its result is the exit status; an error is printed and turned into one. */
export async function perform(
  command: CommandUnknownOpts,
  work: (output: Output, globals: Globals) => Promise<number>,
): Promise<void> {
  const given = globals.parse(command.opts());
  const terminal = terminals.get(command) ?? process;
  const output = new Output(given.output, terminal);
  setTypedConfig(given.config);
  try {
    const say = (words: string): void => output.note([{ lines: [notice(`warning: ${words}`)] }]);
    terminal.exitCode = await tracedCommand(command, say, () => work(output, given));
  } catch (thrown) {
    terminal.exitCode = output.fail(thrown);
  }
}

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
