import { Command } from '@commander-js/extra-typings';
import { argumentHelp } from '../../terminal/argument-help';
import { reasonArgument } from '../../terminal/arguments';
import { answering } from '../answering';

/** `portolan run reject`: rejects the waiting plan, which ends the run. */
export const runRejectCommand = () =>
  new Command('reject')
    .description('Reject the plan a run is waiting on.\n\nThe run ends and the target stays unchanged.')
    .argument('<run>', argumentHelp.run)
    .option('--reason <text>', 'Reason, saved with the run', reasonArgument)
    .action(
      answering(async ({ portolan }, run, said) => {
        const shown = await portolan.rejectRun({ run, ...said });
        return { shown, words: () => `rejected: plan ${shown.rejected}`, next: 'show' };
      }),
    );
