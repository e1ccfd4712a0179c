import { Command } from '@commander-js/extra-typings';
import { exitStatus } from '../../../model/errors/error-codes';
import { reasonArgument } from '../../terminal/arguments';
import { perform } from '../../terminal/globals';
import { withPortolan } from '../../terminal/with-portolan';

/** `portolan schedule pause`: nothing is started until somebody resumes it; what runs goes on. */
export const schedulePauseCommand = () =>
  new Command('pause')
    .description(
      'Pauses a schedule: it starts nothing until it is resumed. A run that it has started goes on.',
    )
    .argument('<schedule>', 'name of a schedule')
    .requiredOption('--reason <text>', 'why; shown wherever the schedule is', reasonArgument)
    .action((name, { reason }, command) =>
      perform(command, (output, globals) =>
        withPortolan(globals, async (portolan) => {
          const shown = await portolan.schedules.pause(name, reason);
          output.show(shown, () => `${name} is paused\nresume   portolan schedule resume ${name}`);
          return exitStatus.done;
        }),
      ),
    );
