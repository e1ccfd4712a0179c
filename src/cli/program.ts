import { readFileSync } from 'node:fs';
import path from 'node:path';
import { Command, CommanderError, type CommandUnknownOpts } from '@commander-js/extra-typings';
import { exitStatus } from '../model/error-codes';
import { PortolanError } from '../model/errors';
import { cleanCommand } from './commands/clean';
import { demoCommand } from './commands/demo';
import { diffCommand } from './commands/diff';
import { doctorCommand } from './commands/doctor';
import { gateCommand } from './commands/gate';
import { runCommand } from './commands/run';
import { simulateCommand } from './commands/simulate';
import { syncCommand } from './commands/sync';
import { upCommand } from './commands/up';
import { workerCommand } from './commands/worker';
import { addGlobals } from './globals';
import { Output, outputFormats } from './output';

const statuses = `Exit status:
  0 succeeded, nothing to do, or shown     1 failed, or refused by a guard
  2 usage, configuration, one portal       3 partial
  4 waiting for an approval, or parked     5 cancelled
  10 portal, group, item or run not found  11 Temporal out of reach, or no worker
  12 wrong credentials or missing right    20 differences
  124 the wait timed out                   130 stopped waiting; the run goes on`;

/** The whole command line. */
export function makeProgram(): CommandUnknownOpts {
  const program = new Command('portolan')
    .description("Copies a group's content from one portal to another: durable, with a plan first.")
    .version(readVersion())
    // Options belong to the command that they follow: `simulate --version 11.2` is not ours.
    .enablePositionalOptions()
    .addHelpText('after', `\n${statuses}`)
    .addCommand(demoCommand())
    .addCommand(upCommand())
    .addCommand(workerCommand())
    .addCommand(simulateCommand())
    .addCommand(doctorCommand())
    .addCommand(diffCommand())
    .addCommand(syncCommand())
    .addCommand(runCommand())
    .addCommand(gateCommand())
    .addCommand(cleanCommand());
  addGlobals(program);
  everyCommand(program, (command) => {
    // The errors are ours to print: with -o json they belong on stdout as well.
    command
      .exitOverride()
      .configureOutput({ outputError: () => undefined })
      .helpCommand(false);
  });
  return program;
}

function everyCommand(command: CommandUnknownOpts, work: (command: CommandUnknownOpts) => void): void {
  work(command);
  for (const below of command.commands) everyCommand(below, work);
}

const readVersion = (): string => {
  const file = path.join(__dirname, '..', '..', 'package.json');
  return (JSON.parse(readFileSync(file, 'utf8')) as { version: string }).version;
};

/** Parses and runs one command line; `process.exitCode` is the status that belongs to how it ended. */
export async function runProgram(argv: readonly string[]): Promise<void> {
  try {
    await makeProgram().parseAsync([...argv]);
  } catch (thrown) {
    process.exitCode = usageStatus(thrown, argv);
  }
}

function usageStatus(thrown: unknown, argv: readonly string[]): number {
  const output = new Output(wantedFormat(argv));
  if (!(thrown instanceof CommanderError)) return output.fail(thrown);
  if (thrown.exitCode === 0) return exitStatus.done;
  // Without a command, help has been printed already.
  if (thrown.code === 'commander.help') return exitStatus.usage;
  const message = thrown.message.replace(/^error: /, '');
  return output.fail(new PortolanError('USAGE', message, { hint: 'See: portolan --help' }));
}

/** The form that was asked for, as far as it can be seen in a line that could not be parsed. */
function wantedFormat(argv: readonly string[]): (typeof outputFormats)[number] {
  const at = argv.findIndex((word) => word === '-o' || word === '--output');
  return outputFormats.find((format) => format === argv[at + 1] && at >= 0) ?? 'table';
}
