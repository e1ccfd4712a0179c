import { Argument, Command } from '@commander-js/extra-typings';
import { exitStatus } from '../../../model/errors/error-codes';
import { perform } from '../../terminal/globals';
import { scripts, shells } from '../shells';
import { examples } from '../../terminal/help';

/** `portolan completion`: what a shell needs to complete commands, flags, routes, runs and snapshots. */
export const completionCommand = () =>
  new Command('completion')
    .description(
      'Print a shell completion script.\n\nIt completes commands, options and names by calling "portolan" on PATH.\n\n  ~/.bashrc  source <(portolan completion bash)\n  ~/.zshrc   source <(portolan completion zsh)   # after compinit\n  fish       portolan completion fish > ~/.config/fish/completions/portolan.fish',
    )
    .addHelpText(...examples('bash', 'fish'))
    .addArgument(new Argument('<shell>', 'Shell').choices(shells))
    .action((shell, _options, command) =>
      perform(command, (output) => {
        output.showDocument({ shell, script: scripts[shell] }, scripts[shell]);
        return Promise.resolve(exitStatus.done);
      }),
    );
