import { Command } from '@commander-js/extra-typings';
import { exitStatus } from '../../../model/errors/error-codes';
import { reasonArgument } from '../../terminal/arguments';
import { perform } from '../../terminal/globals';
import { withStoredPortolan } from '../../terminal/with-portolan';
import { argumentHelp } from '../../terminal/argument-help';

/** `portolan snapshot pin`: keeps a snapshot whatever the policy says. */
export const snapshotPinCommand = () =>
  new Command('pin')
    .description('Keep a snapshot until it is unpinned.')
    .argument('<snapshot>', argumentHelp.snapshot)
    .option('--reason <text>', 'Reason, shown with the pin', reasonArgument)
    .action((text, { reason }, command) =>
      perform(command, async (output, globals) => {
        const pinned = await withStoredPortolan(globals, ({ snapshots }) => snapshots.pin(text, reason));
        const { id } = pinned;
        output.show(pinned, () => `${id} is pinned\nunpin    portolan snapshot unpin ${id}`);
        return exitStatus.done;
      }),
    );
