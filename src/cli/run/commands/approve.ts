import { Command } from '@commander-js/extra-typings';
import { argumentHelp } from '../../terminal/argument-help';
import { reasonArgument } from '../../terminal/arguments';
import { answering } from '../answering';

/** `portolan run approve`: approves exactly one plan. */
export const runApproveCommand = () =>
  new Command('approve')
    .description('Approve the plan a run is waiting on.')
    .argument('<run>', argumentHelp.run)
    .requiredOption('--plan <hash>', "Plan you reviewed, as shown by 'run show'")
    .option('--reason <text>', 'Reason, saved with the run', reasonArgument)
    .action(
      answering(async ({ portolan }, run, said) => {
        const shown = await portolan.approveRun({ run, ...said });
        return { shown, words: () => `approved: plan ${shown.approved}` };
      }),
    );
