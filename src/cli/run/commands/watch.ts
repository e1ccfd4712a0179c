import { Command } from '@commander-js/extra-typings';
import { followRun } from '../follow-run';
import { perform } from '../../terminal/globals';
import { WatchDesk } from '../watch-prompt';
import { withPortolan } from '../../terminal/with-portolan';
import { argumentHelp } from '../../terminal/argument-help';
import { timeoutOption } from '../../terminal/run-options';

/** `portolan run watch`: follows a run to its end, and prompts for decisions. */
export const runWatchCommand = () =>
  new Command('watch')
    .description(
      'Follow a run until it ends.\n\nAt a terminal, prompts for a decision when the run is waiting or parked. Ctrl-C stops watching; the run continues.',
    )
    .argument('<run>', argumentHelp.run)
    .addOption(timeoutOption())
    .action((text, options, command) =>
      perform(command, (output, globals) =>
        withPortolan(globals, async (portolan) => {
          const { runId } = (await portolan.resolveRun(text)).record;
          output.note(output.side.colors.bold(runId));
          const { exit } = await followRun(portolan, runId, output, {
            timeoutMs: options.timeout,
            approval: new WatchDesk(),
            leaveWhenWaiting: false,
          });
          return exit;
        }),
      ),
    );
