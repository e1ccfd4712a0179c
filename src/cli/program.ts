import { Command, CommanderError, type CommandUnknownOpts } from '@commander-js/extra-typings';
import { programVersion } from '../config/config-mark';
import { exitStatus } from '../model/errors/error-codes';
import { PortolanError } from '../model/errors/errors';
import { newNames } from '../model/text/new-names';
import { oneLine } from '../model/text/plain-text';
import { loadCommands } from './command-tree';
import { asCalled } from './terminal/called-as';
import { COMPLETE } from './completion/shells';
import { addExamples } from './terminal/examples';
import { exitHelp } from './terminal/exit-meanings';
import { addGlobals } from './terminal/globals';
import { Output, outputFormats } from './terminal/output';

/**
 * The command line, as far as a line with these words needs it.
 * @param words what was typed after `portolan`; none is the whole
 */
export async function makeProgram(words: readonly string[] = []): Promise<CommandUnknownOpts> {
  const program = new Command('portolan')
    .description("Copies a group's content from one portal to another: durable, with a plan first.")
    .version(programVersion())
    // Options belong to the command that they follow: `simulate --version 11.2` is not ours.
    .enablePositionalOptions()
    .addHelpText('after', `\n${exitHelp()}`);
  if (words[0] !== '--version') for (const command of await loadCommands(words)) program.addCommand(command);
  addGlobals(program);
  addExamples(program);
  everyCommand(program, (command) => {
    // The errors are ours to print: with -o json they belong on stdout as well.
    command
      .exitOverride()
      .configureOutput({
        outputError: () => undefined,
        writeOut: (text) => process.stdout.write(asCalled(text)),
      })
      .helpCommand(false);
  });
  return program;
}

function everyCommand(command: CommandUnknownOpts, work: (command: CommandUnknownOpts) => void): void {
  work(command);
  for (const below of command.commands) everyCommand(below, work);
}

/** Parses and runs one command line; `process.exitCode` is the status that belongs to how it ended. */
export async function runProgram(argv: readonly string[]): Promise<void> {
  const words = argv.slice(2);
  if (words[0] === COMPLETE) return await complete(words.slice(1));
  const program = await makeProgram(words);
  try {
    await program.parseAsync([...argv]);
  } catch (thrown) {
    process.exitCode = usageStatus(thrown, argv, `${commandOf(program, words)} --help`);
  }
}

/** Answers a shell: a suggestion a line, and what it is behind a tab. */
async function complete(words: readonly string[]): Promise<void> {
  const [{ suggestionsFor }, { lookUpNames }] = await Promise.all([
    import('./completion/suggestions.js'),
    import('./completion/known-names.js'),
  ]);
  for (const { word, what } of await suggestionsFor(await makeProgram(words), words, lookUpNames))
    process.stdout.write(`${oneLine(word)}\t${oneLine(what)}\n`);
}

/** The command that was typed, as far as there is such a one: `portolan run approve`. */
function commandOf(command: CommandUnknownOpts, [word, ...words]: readonly string[]): string {
  const below = command.commands.find((each) => each.name() === word);
  return below ? `${command.name()} ${commandOf(below, words)}` : command.name();
}

function usageStatus(thrown: unknown, argv: readonly string[], help: string): number {
  const output = new Output(desiredFormat(argv));
  if (!(thrown instanceof CommanderError)) return output.fail(thrown);
  if (thrown.exitCode === 0) return exitStatus.done;
  // Without a command, help has been printed already.
  if (thrown.code === 'commander.help') return exitStatus.usage;
  const message = thrown.message.replace(/^error: /, '');
  const newName = message === `unknown command '${argv[2]}'` ? newNames.get(argv[2] ?? '') : undefined;
  const meant = newName === undefined ? '' : `\n(Did you mean ${newName}?)`;
  return output.fail(new PortolanError('USAGE', `${message}${meant}`, { hint: `See: ${help}` }));
}

/** The form that was asked for, as far as it can be seen in a line that could not be parsed. */
function desiredFormat(argv: readonly string[]): (typeof outputFormats)[number] {
  const at = argv.findIndex((word) => word === '-o' || word === '--output');
  return outputFormats.find((format) => format === argv[at + 1] && at >= 0) ?? 'table';
}
