import { Command } from '@commander-js/extra-typings';
import { exitStatus } from '../../../model/errors/error-codes';
import { perform } from '../../terminal/globals';
import { gateTable } from '../render/gates';
import { withPortolan } from '../../terminal/with-portolan';

/** `portolan gate list`: who holds the gates of the portals, since when, and who waits; needs no worker. */
export const gateListCommand = () =>
  new Command('list')
    .description(
      'List the export and import queues of every portal.\n\nShows the runs that hold a slot, since when, and those that wait, in order.',
    )
    .action((_options, command) =>
      perform(command, async (output, globals) => {
        const gates = await withPortolan(globals, (portolan) => portolan.listGates());
        output.showList(gates, (style) => gateTable(gates, style));
        return exitStatus.done;
      }),
    );
