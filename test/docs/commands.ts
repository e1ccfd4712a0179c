import { execFileSync } from 'node:child_process';
import { root } from './pages';

export interface OptionFacts {
  /** As the help shows it: `-o, --output FORMAT`. */
  readonly term: string;
  readonly description: string;
  /** Heading of the help. */
  readonly heading: string;
}

export interface CommandFacts {
  /** `portolan run show` */
  readonly path: string;
  /** `portolan run show [RUN] [options]` */
  readonly usage: string;
  readonly description: string;
  readonly arguments: { readonly term: string; readonly description: string }[];
  readonly options: OptionFacts[];
  /** Long forms, such as `--plan` and `--no-wait`. */
  readonly flags: string[];
  readonly examples: readonly string[];
}

/** Runs the build in a process of its own: the command line has modules that jest cannot load. */
const describeProgram = `
  const { makeProgram } = require('./dist/cli/program');
  const examplesOf = (command) => {
    let text = '';
    command.configureOutput({ writeOut: (written) => (text += written) }).outputHelp();
    const [, examples = ''] = /^Examples?:\\n([^]*)/m.exec(text) ?? [];
    return examples.trim().split(/\\s*\\n\\s*/).filter((line) => line !== '');
  };
  const describe = (command, path) => command.commands.flatMap((below) => {
    const name = path + ' ' + below.name();
    if (below.commands.length > 0) return describe(below, name);
    const help = below.createHelp();
    return [{
      path: name,
      usage: help.commandUsage(below),
      description: below.description(),
      arguments: below.registeredArguments.map((each) => ({
        term: help.argumentTerm(each), description: help.argumentDescription(each),
      })),
      options: below.options.map((each) => ({
        term: help.optionTerm(each), description: help.optionDescription(each),
        heading: each.helpGroupHeading ?? 'Options:',
      })),
      flags: below.options.map(({ long }) => long),
      examples: examplesOf(below),
    }];
  });
  void makeProgram().then((program) => console.log(JSON.stringify(describe(program, 'portolan'))));
`;

/** Every command that can be run, as the program has it. */
export const commands = JSON.parse(
  execFileSync(process.execPath, ['-e', describeProgram], { cwd: root, encoding: 'utf8' }),
) as CommandFacts[];
