import { Command } from '@commander-js/extra-typings';
import { exitStatus } from '../../../model/errors/error-codes';
import { reasonArgument } from '../../terminal/arguments';
import { perform } from '../../terminal/globals';
import { withStoredPortolan } from '../../terminal/with-portolan';
import { argumentHelp } from '../../terminal/argument-help';

/** `portolan release pin`: keeps a release until it is unpinned. */
export const releasePinCommand = () =>
  new Command('pin')
    .description('Keep a release until it is unpinned.')
    .argument('<release>', argumentHelp.release)
    .option('--reason <text>', 'Reason, shown with the pin', reasonArgument)
    .action((text, { reason }, command) =>
      perform(command, async (output, globals) => {
        const pinned = await withStoredPortolan(globals, ({ releases }) => releases.pin(text, reason));
        const { id } = pinned;
        output.show(pinned, () => `${id} is pinned\nunpin    portolan release unpin ${id}`);
        return exitStatus.done;
      }),
    );

/** `portolan release unpin`: allows a release to be forgotten again. */
export const releaseUnpinCommand = () =>
  new Command('unpin')
    .description('Allow a release to be forgotten again.')
    .argument('<release>', argumentHelp.release)
    .action((text, _options, command) =>
      perform(command, async (output, globals) => {
        const unpinned = await withStoredPortolan(globals, ({ releases }) => releases.unpin(text));
        const { id, wasPinned } = unpinned;
        output.show(unpinned, () => (wasPinned ? `${id} is unpinned` : `${id} was not pinned`));
        return exitStatus.done;
      }),
    );
