import { Command } from '@commander-js/extra-typings';
import { exitStatus } from '../../../model/errors/error-codes';
import { perform } from '../../terminal/globals';
import { runEventsText } from '../render/run-events';
import { withPortolan } from '../../terminal/with-portolan';
import { argumentHelp } from '../../terminal/argument-help';

/** `portolan run logs`: events of a run, from all workers. */
export const runLogsCommand = () =>
  new Command('logs')
    .description(
      'Show the events of a run.\n\nLists activities, timers, retries and decisions from its Temporal history, as long as Temporal keeps the run.',
    )
    .argument('<run>', argumentHelp.run)
    .option('--problems', 'Only failures, including those that were retried')
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
