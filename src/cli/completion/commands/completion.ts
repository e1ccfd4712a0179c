import { Argument, Command } from '@commander-js/extra-typings';
import { exitStatus } from '../../../model/errors/error-codes';
import { perform } from '../../terminal/globals';
import { scripts, shells } from '../shells';

/** `portolan completion`: what a shell needs to complete commands, flags, routes, runs and snapshots. */
export const completionCommand = () =>
  new Command('completion')
    .summary('completes commands and names in a shell')
    .description(
      'Prints what a shell reads to complete commands, flags, and the names of routes, portals, schedules, runs and snapshots. It asks the command "portolan" on PATH. In ~/.bashrc: source <(portolan completion bash). In ~/.zshrc, behind compinit: source <(portolan completion zsh). For fish: portolan completion fish > ~/.config/fish/completions/portolan.fish',
    )
    .addArgument(new Argument('<shell>', 'the shell that reads it').choices(shells))
    .action((shell, _options, command) =>
      perform(command, (output) => {
        output.showDocument({ shell, script: scripts[shell] }, scripts[shell]);
        return Promise.resolve(exitStatus.done);
      }),
    );
