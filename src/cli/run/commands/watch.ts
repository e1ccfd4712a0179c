import { Command } from '@commander-js/extra-typings';
import { loadConfig } from '../../../config/load-config';
import { durationArgument } from '../../terminal/arguments';
import { findRun } from '../../../service/run/find-run';
import { followRun } from '../follow-run';
import { perform } from '../../terminal/globals';
import { WatchDesk } from '../watch-desk';
import { withSources } from '../../../service/run/run-sources';

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
        withSources(loadConfig(globals.config), async (sources) => {
          const runId = await findRun(sources, text);
          output.note(output.side.colors.bold(runId));
          const { exit } = await followRun(sources, runId, output, {
            timeoutMs: options.timeout,
            approval: new WatchDesk(),
            leaveWhenWaiting: false,
          });
          return exit;
        }),
      ),
    );
