import { Command } from '@commander-js/extra-typings';
import { approve } from '../../../service/run/answer-run';
import { answering } from '../answer-run';

/** `portolan run approve`: says yes to exactly one plan. */
export const runApproveCommand = () =>
  new Command('approve')
    .description('Approves the plan that a run waits with. The hash says which plan you saw.')
    .argument('<run>', 'id, an end of it, or latest')
    .requiredOption('--plan <hash>', 'hash of the plan, as run show prints it')
    .option('--reason <text>', 'kept in the record')
    .action((text, said, command) =>
      answering(command, async (sources) => {
        const shown = await approve(sources, text, said);
        return { shown, words: () => `approved: plan ${shown.approved}` };
      }),
    );
