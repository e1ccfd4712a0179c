import { Command } from '@commander-js/extra-typings';
import { answering } from '../answer-run';
import { reasonArgument } from '../../terminal/arguments';

/** `portolan run reject`: says no to the plan that waits, which ends the run. */
export const runRejectCommand = () =>
  new Command('reject')
    .description('Rejects the plan that a run waits with. The run ends, and the target stays as it is.')
    .argument('<run>', 'id, an end of it, or latest')
    .option('--reason <text>', 'kept in the record', reasonArgument)
    .action((text, said, command) =>
      answering(command, async (portolan) => {
        const told = await portolan.reject(text, said);
        return { ...told, words: () => `rejected: plan ${told.shown.rejected}`, next: 'show' };
      }),
    );
