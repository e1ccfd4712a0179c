import { execFileSync } from 'node:child_process';
import { root } from './pages';

export interface CommandFacts {
  /** `portolan run show` */
  readonly path: string;
  /** Long forms, such as `--plan` and `--no-wait`. */
  readonly flags: string[];
}

/** Asked of the build in a process of its own: the command line holds modules that jest cannot load. */
const describeProgram = `
  const { makeProgram } = require('./dist/cli/program');
  const describe = (command, path) => command.commands.flatMap((below) => {
    const name = path + ' ' + below.name();
    return below.commands.length > 0 ? describe(below, name) : [{ path: name, flags: below.options.map(({ long }) => long) }];
  });
  void makeProgram().then((program) => console.log(JSON.stringify(describe(program, 'portolan'))));
`;

/** Every command that can be run, as the program has it. */
export const commands = JSON.parse(
  execFileSync(process.execPath, ['-e', describeProgram], { cwd: root, encoding: 'utf8' }),
) as CommandFacts[];
