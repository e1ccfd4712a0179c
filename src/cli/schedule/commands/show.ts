import { Command } from '@commander-js/extra-typings';
import { exitStatus } from '../../../model/errors/error-codes';
import { perform } from '../../terminal/globals';
import { scheduleText } from '../render/schedules';
import { withPortolan } from '../../terminal/with-portolan';

/** `portolan schedule show`: needs no worker. */
export const scheduleShowCommand = () =>
  new Command('show')
    .description('Shows everything that is known of a schedule, with its last runs and its next five times.')
    .argument('<schedule>', 'name of a schedule')
    .action((name, _options, command) =>
      perform(command, (output, globals) =>
        withPortolan(globals, async (portolan) => {
          const row = await portolan.schedules.show(name);
          output.show(row, (style) => scheduleText(row, style));
          return exitStatus.done;
        }),
      ),
    );
