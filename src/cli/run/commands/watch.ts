import { Command } from '@commander-js/extra-typings';
import { durationArgument } from '../../terminal/arguments';
import { followRun } from '../follow-run';
import { perform } from '../../terminal/globals';
import { WatchDesk } from '../watch-desk';
import { withPortolan } from '../../terminal/with-portolan';

/** `portolan run watch`: follows a run to its end, and is where one answers it. */
export const runWatchCommand = () =>
  new Command('watch')
    .description(
      'Follows a run to its end. At a terminal it asks what is to become of one that waits or is parked: approve, reject with a reason, see the whole list, resume, cancel. Ctrl-C stops watching, not the run; who watches again is asked again.',
    )
    .argument('<run>', 'id, an end of it, or latest')
    .option('--timeout <duration>', 'end the waiting after that long (124), never the run', durationArgument)
    .action((text, options, command) =>
      perform(command, (output, globals) =>
        withPortolan(globals, async (portolan) => {
          const { runId } = (await portolan.seekRun(text)).record;
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
