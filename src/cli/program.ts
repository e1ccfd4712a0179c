import { Command, CommanderError, type CommandUnknownOpts, Option } from '@commander-js/extra-typings';
import { programVersion } from '../config/config-mark';
import { exitStatus } from '../model/errors/error-codes';
import { PortolanError } from '../model/errors/errors';
import { oneLine } from '../model/text/plain-text';
import { commandWords, loadCommands } from './command-tree';
import { asCalled, setCommandWords } from './terminal/command-name';
import { COMPLETE } from './completion/shells';
import { exitHelp } from './terminal/exit-meanings';
import { addGlobals, globalHeading } from './terminal/globals';
import { helpConfiguration } from './terminal/help';
import { Output, outputFormats, type Terminal } from './terminal/output';
import { rememberTyped, typedName } from './terminal/typed-options';

setCommandWords(commandWords);

/**
 * The command line, with the commands that these words need.
 * @param words what was typed after `portolan`; none loads all commands
 */
export async function makeProgram(
  words: readonly string[] = [],
  terminal: Terminal = process,
): Promise<CommandUnknownOpts> {
  const program = new Command('portolan')
    .description('Sync, back up and promote ArcGIS Enterprise group content.')
    .usage('COMMAND [options]')
    .optionsGroup(globalHeading)
    .version(programVersion(), '-V, --version', 'Show the version')
    // Options belong to the command before them: `simulate --version 11.2`.
    .enablePositionalOptions()
    .addHelpText('after', `\n${exitHelp()}\nRun 'portolan COMMAND --help' for details.`);
  if (words[0] !== '--version') for (const command of await loadCommands(words)) program.addCommand(command);
  everyCommand(program, (command) => {
    addGlobals(command, terminal);
    rememberTyped(command);
    // Errors are printed elsewhere: with -o json they belong on stdout as well.
    command
      .exitOverride((error) => refuse(command, error))
      .configureHelp(helpConfiguration)
      .addHelpOption(new Option('-h, --help', 'Show help').helpGroup(globalHeading))
      .configureOutput({
        outputError: () => undefined,
        writeOut: (text) => terminal.stdout.write(asCalled(text)),
      })
      .helpCommand(false);
  });
  return program;
}

function everyCommand(command: CommandUnknownOpts, work: (command: CommandUnknownOpts) => void): void {
  work(command);
  for (const below of command.commands) everyCommand(below, work);
}

/** Parses and runs one command line, and sets the exit status of the terminal. */
export async function runProgram(argv: readonly string[], terminal: Terminal = process): Promise<void> {
  const words = argv.slice(2);
  if (words[0] === COMPLETE) return await complete(words.slice(1), terminal);
  const program = await makeProgram(words, terminal);
  try {
    await program.parseAsync([...argv]);
  } catch (thrown) {
    if (!(thrown instanceof CommanderError))
      terminal.exitCode = new Output(desiredFormat(argv), terminal).fail(thrown);
    else terminal.exitCode = thrown.exitCode === 0 ? exitStatus.done : exitStatus.usage;
  }
}

/** Prints suggestions for a shell, one per line: the word, a tab and its description. */
async function complete(words: readonly string[], { stdout }: Terminal): Promise<void> {
  const [{ suggestionsFor }, { lookUpNames }] = await Promise.all([
    import('./completion/suggestions.js'),
    import('./completion/known-names.js'),
  ]);
  for (const { word, what } of await suggestionsFor(await makeProgram(words), words, lookUpNames))
    stdout.write(`${oneLine(word)}\t${oneLine(what)}\n`);
}

/** Refuses what was typed; help and version are no errors. */
function refuse(command: CommandUnknownOpts, error: CommanderError): never {
  // Without a command, help has been printed already.
  if (error.exitCode === 0 || error.code === 'commander.help') throw error;
  const name = command.parent ? `portolan ${typedName(command)}` : command.name();
  throw new PortolanError('USAGE', error.message.replace(/^error: /, ''), { hint: `See: ${name} --help` });
}

/** The requested output format, read from a line that could not be parsed. */
function desiredFormat(argv: readonly string[]): (typeof outputFormats)[number] {
  const at = argv.findIndex((word) => word === '-o' || word === '--output');
  return outputFormats.find((format) => format === argv[at + 1] && at >= 0) ?? 'table';
}
