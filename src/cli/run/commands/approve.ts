import { Command } from '@commander-js/extra-typings';
import { answering } from '../answer-run';
import { reasonArgument } from '../../terminal/arguments';
import { argumentHelp } from '../../terminal/argument-help';

/** `portolan run approve`: approves exactly one plan. */
export const runApproveCommand = () =>
  new Command('approve')
    .description('Approve the plan a run is waiting on.')
    .argument('<run>', argumentHelp.run)
    .requiredOption('--plan <hash>', "Plan you reviewed, as shown by 'run show'")
    .option('--reason <text>', 'Reason, saved with the run', reasonArgument)
    .action((text, said, command) =>
      answering(command, async (portolan) => {
        const shown = await portolan.approve(text, said);
        return { shown, words: () => `approved: plan ${shown.approved}` };
      }),
    );
