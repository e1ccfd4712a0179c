import { Command } from '@commander-js/extra-typings';
import { exitStatus } from '../../../model/errors/error-codes';
import { reasonArgument } from '../../terminal/arguments';
import { perform } from '../../terminal/globals';
import { withStoredPortolan } from '../../terminal/with-portolan';

/** `portolan snapshot pin`: keeps a snapshot whatever the policy says. */
export const snapshotPinCommand = () =>
  new Command('pin')
    .description('Keeps a snapshot from being forgotten, until it is unpinned.')
    .argument('<snapshot>', 'id, an end of it, latest, or latest:ROUTE')
    .option('--reason <text>', 'why; shown wherever it stays because of that', reasonArgument)
    .action((text, { reason }, command) =>
      perform(command, async (output, globals) => {
        const pinned = await withStoredPortolan(globals, ({ snapshots }) => snapshots.pin(text, reason));
        const { id } = pinned;
        output.show(pinned, () => `pinned   ${id}\nunpin    portolan snapshot unpin ${id}`);
        return exitStatus.done;
      }),
    );
