import { Command } from '@commander-js/extra-typings';
import { exitStatus } from '../../../model/errors/error-codes';
import { perform } from '../../terminal/globals';
import { withStoredPortolan } from '../../terminal/with-portolan';
import { argumentHelp } from '../../terminal/argument-help';

/** `portolan snapshot unpin`: applies the policy to a snapshot again. */
export const snapshotUnpinCommand = () =>
  new Command('unpin')
    .description('Allow a snapshot to be forgotten again.')
    .argument('<snapshot>', argumentHelp.snapshot)
    .action((text, _options, command) =>
      perform(command, async (output, globals) => {
        const unpinned = await withStoredPortolan(globals, ({ snapshots }) => snapshots.unpin(text));
        const { id, wasPinned } = unpinned;
        output.show(unpinned, () => (wasPinned ? `${id} is unpinned` : `${id} was not pinned`));
        return exitStatus.done;
      }),
    );
