import { Command } from '@commander-js/extra-typings';
import { exitStatus } from '../../../model/errors/error-codes';
import { perform } from '../../terminal/globals';
import { queueTable } from '../render/queues';
import { withPortolan } from '../../terminal/with-portolan';

/** `portolan queue list`: runs that hold a slot, since when, and runs that wait; needs no worker. */
export const queueListCommand = () =>
  new Command('list')
    .description(
      'List the export and import queues of every portal.\n\nPortal queues limit exports and imports; they are not Temporal task queues. Shows slots, the runs that hold them, since when, and waiting runs in order.',
    )
    .action((_options, command) =>
      perform(command, async (output, globals) => {
        const queues = await withPortolan(globals, (portolan) => portolan.listQueues());
        output.showList(queues, (style) => queueTable(queues, style));
        return exitStatus.done;
      }),
    );
