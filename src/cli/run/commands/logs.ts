import { Command } from '@commander-js/extra-typings';
import { eventTable } from '../../../service/run/run-sheet';
import { act } from '../../terminal/act';
import { argumentHelp } from '../../terminal/arguments';
import { examples } from '../../terminal/help';

/** `portolan run logs`: events of a run, from all workers. */
export const runLogsCommand = () =>
  new Command('logs')
    .description(
      'Show the events of a run.\n\nLists activities, timers, retries and decisions from its Temporal history, as long as Temporal keeps the run.',
    )
    .addHelpText(...examples('latest', 'k7q2 --problems'))
    .argument('<run>', argumentHelp.run)
    .option('--problems', 'Only failures, including those that were retried')
    .action(
      act(async ({ portolan, output }, run, { problems }) => {
        const events = await portolan.readEvents({ run });
        const shown = problems ? events.filter(({ kind }) => kind === 'problem') : events;
        output.showList(shown, () => [eventTable(shown, 'No problems.')]);
        const { workerLog } = portolan;
        if (workerLog !== undefined) output.note(`note  the log of this machine's worker is ${workerLog}`);
      }),
    );
