import { Command } from '@commander-js/extra-typings';
import { exitStatus } from '../../../model/errors/error-codes';
import { reasonArgument } from '../../terminal/arguments';
import { perform } from '../../terminal/globals';
import { withPortolan } from '../../terminal/with-portolan';
import { argumentHelp } from '../../terminal/argument-help';

/** `portolan schedule pause`: stops new starts; started runs continue. */
export const schedulePauseCommand = () =>
  new Command('pause')
    .description('Pause a schedule.\n\nIt starts nothing until it is resumed. Runs it has started continue.')
    .argument('<schedule>', argumentHelp.schedule)
    .requiredOption('--reason <text>', 'Reason, shown with the schedule', reasonArgument)
    .action((name, { reason }, command) =>
      perform(command, (output, globals) =>
        withPortolan(globals, async (portolan) => {
          const shown = await portolan.schedules.pause(name, reason);
          output.show(shown, () => `${name} is paused\nresume   portolan schedule resume ${name}`);
          return exitStatus.done;
        }),
      ),
    );
