import { Command } from '@commander-js/extra-typings';
import { exitStatus } from '../../../model/errors/error-codes';
import { perform } from '../../terminal/globals';
import { scheduleText } from '../render/schedules';
import { withPortolan } from '../../terminal/with-portolan';
import { argumentHelp } from '../../terminal/argument-help';

/** `portolan schedule show`: needs no worker. */
export const scheduleShowCommand = () =>
  new Command('show')
    .description('Show a schedule, its last runs and its next five starts.')
    .argument('<schedule>', argumentHelp.schedule)
    .action((name, _options, command) =>
      perform(command, (output, globals) =>
        withPortolan(globals, async (portolan) => {
          const row = await portolan.schedules.show(name);
          output.show(row, (style) => scheduleText(row, style));
          return exitStatus.done;
        }),
      ),
    );
