import { Command } from '@commander-js/extra-typings';
import { exitStatus } from '../../../model/errors/error-codes';
import { perform } from '../../terminal/globals';
import { runEventsText } from '../render/run-events';
import { withPortolan } from '../../terminal/with-portolan';

/** `portolan run logs`: what happened to a run, step by step, from whatever worker. */
export const runLogsCommand = () =>
  new Command('logs')
    .description(
      'Tells what happened to a run, step by step: what was called and how long it took, what failed and was tried again, who answered. It is told by Temporal, for as long as that holds the run, whichever worker it was.',
    )
    .argument('<run>', 'id, an end of it, or latest')
    .option('--problems', 'only what failed, also where it was tried again')
    .action((text, options, command) =>
      perform(command, (output, globals) =>
        withPortolan(globals, async (portolan) => {
          const events = await portolan.readEvents(text);
          const shown = options.problems ? events.filter(({ kind }) => kind === 'problem') : events;
          output.showList(shown, (style) =>
            shown.length === 0 ? 'No problems.' : runEventsText(shown, style),
          );
          const { workerLog } = portolan;
          if (workerLog !== undefined) output.note(`note  the log of this machine's worker is ${workerLog}`);
          return exitStatus.done;
        }),
      ),
    );
