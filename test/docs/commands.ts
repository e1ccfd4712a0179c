import { execFileSync } from 'node:child_process';
import { root } from './pages';

export interface OptionFacts {
  /** As they are typed: `-o, --output <format>`. */
  readonly flags: string;
  /** `--plan`, `--no-wait`. */
  readonly long: string;
  readonly description: string;
  readonly choices?: string[];
  /** As people read it. */
  readonly initial?: string;
}

export interface CommandFacts {
  /** `portolan run show` */
  readonly path: string;
  /** `portolan run show [options] <run>` */
  readonly usage: string;
  readonly description: string;
  readonly summary: string;
  readonly arguments: { readonly name: string; readonly description: string }[];
  readonly options: OptionFacts[];
  /** Long forms, such as `--plan` and `--no-wait`. */
  readonly flags: string[];
  readonly examples: { readonly line: string; readonly what: string }[];
}

/** Asked of the build in a process of its own: the command line holds modules that jest cannot load. */
const describeProgram = `
  const { makeProgram } = require('./dist/cli/program');
  const { examplesOf } = require('./dist/cli/terminal/examples');
  const option = ({ flags, long, description, argChoices, defaultValue, defaultValueDescription }) => ({
    flags, long, description, choices: argChoices,
    initial: defaultValueDescription ?? (typeof defaultValue === 'boolean' ? undefined : defaultValue?.toString()),
  });
  const describe = (command, path) => command.commands.flatMap((below) => {
    const name = path + ' ' + below.name();
    if (below.commands.length > 0) return describe(below, name);
    return [{
      path: name,
      usage: name + ' ' + below.usage(),
      description: below.description(),
      summary: below.summary(),
      arguments: below.registeredArguments.map((each) => ({ name: each.name(), description: each.description })),
      options: below.options.map(option),
      flags: below.options.map(({ long }) => long),
      examples: examplesOf(name.replace(/^portolan /, '')),
    }];
  });
  void makeProgram().then((program) => console.log(JSON.stringify(describe(program, 'portolan'))));
`;

/** Every command that can be run, as the program has it. */
export const commands = JSON.parse(
  execFileSync(process.execPath, ['-e', describeProgram], { cwd: root, encoding: 'utf8' }),
) as CommandFacts[];
