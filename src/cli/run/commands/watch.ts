import { Command } from '@commander-js/extra-typings';
import { strong } from '../../../model/text/sheet';
import { act } from '../../terminal/act';
import { argumentHelp, timeoutOption } from '../../terminal/arguments';
import { followRun } from '../follow-run';
import { WatchDesk } from '../watch-prompt';
import { examples } from '../../terminal/help';

/** `portolan run watch`: follows a run to its end, and prompts for decisions. */
export const runWatchCommand = () =>
  new Command('watch')
    .description(
      'Follow a run until it ends.\n\nAt a terminal, prompts for a decision when the run is waiting or parked. Ctrl-C stops watching; the run continues.',
    )
    .addHelpText(...examples('latest', 'k7q2 --timeout 10m'))
    .argument('<run>', argumentHelp.run)
    .addOption(timeoutOption())
    .action(
      act(async ({ portolan, output }, run, { timeout }) => {
        const { runId } = (await portolan.viewRun({ run })).record;
        output.note([{ lines: [strong(runId)] }]);
        const { exit } = await followRun(portolan, runId, output, {
          timeoutMs: timeout,
          approval: new WatchDesk(),
          leaveWhenWaiting: false,
        });
        return exit;
      }),
    );
