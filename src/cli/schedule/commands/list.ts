import { Command } from '@commander-js/extra-typings';
import { exitStatus } from '../../../model/errors/error-codes';
import { perform } from '../../terminal/globals';
import { scheduleTable } from '../render/schedules';
import { withPortolan } from '../../terminal/with-portolan';

/** `portolan schedule list`: needs no worker. */
export const scheduleListCommand = () =>
  new Command('list')
    .description(
      'List schedules with their last result and next start.\n\n\"removed from portolan.yaml\": the next schedule apply deletes it. \"not in portolan.yaml\": created by another tool; schedule apply keeps it.',
    )
    .action((_options, command) =>
      perform(command, (output, globals) =>
        withPortolan(globals, async (portolan) => {
          const rows = await portolan.schedules.list();
          output.showList(rows, (style) => scheduleTable(rows, style));
          if (
            rows.some(
              ({ standing }) => standing !== 'as in portolan.yaml' && standing !== 'not in portolan.yaml',
            )
          )
            output.note(
              'note  the server differs from portolan.yaml; see: portolan schedule apply --dry-run',
            );
          return exitStatus.done;
        }),
      ),
    );
