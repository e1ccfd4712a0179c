import { Command } from '@commander-js/extra-typings';
import { answering } from '../answer-run';
import { reasonArgument } from '../../terminal/arguments';
import { argumentHelp } from '../../terminal/argument-help';

/** `portolan run reject`: rejects the waiting plan, which ends the run. */
export const runRejectCommand = () =>
  new Command('reject')
    .description('Reject the plan a run is waiting on.\n\nThe run ends and the target stays unchanged.')
    .argument('<run>', argumentHelp.run)
    .option('--reason <text>', 'Reason, saved with the run', reasonArgument)
    .action((text, said, command) =>
      answering(command, async (portolan) => {
        const shown = await portolan.reject(text, said);
        return { shown, words: () => `rejected: plan ${shown.rejected}`, next: 'show' };
      }),
    );
