import { Command } from '@commander-js/extra-typings';
import { answering } from '../answer-run';
import { reasonArgument } from '../../terminal/arguments';

/** `portolan run approve`: says yes to exactly one plan. */
export const runApproveCommand = () =>
  new Command('approve')
    .description('Approves the plan that a run waits with. The hash says which plan you saw.')
    .argument('<run>', 'id, an end of it, or latest')
    .requiredOption('--plan <hash>', 'hash of the plan, as run show prints it')
    .option('--reason <text>', 'kept in the record', reasonArgument)
    .action((text, said, command) =>
      answering(command, async (portolan) => {
        const told = await portolan.approve(text, said);
        return { ...told, words: () => `approved: plan ${told.shown.approved}` };
      }),
    );
