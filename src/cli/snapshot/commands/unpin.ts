import { Command } from '@commander-js/extra-typings';
import { loadConfig } from '../../../config/load-config';
import { exitStatus } from '../../../model/errors/error-codes';
import { findSnapshot } from '../../../domain/snapshot/find-snapshot';
import { openSnapshots } from '../../../domain/snapshot/open-snapshots';
import { perform } from '../../terminal/globals';

/** `portolan snapshot unpin`: leaves a snapshot to the policy again. */
export const snapshotUnpinCommand = () =>
  new Command('unpin')
    .description('Takes a pin away: the snapshot may be forgotten again.')
    .argument('<snapshot>', 'id, an end of it, latest, or latest:ROUTE')
    .action((text, _options, command) =>
      perform(command, async (output, globals) => {
        const snapshots = openSnapshots(loadConfig(globals.config));
        const id = await findSnapshot(snapshots, text);
        const wasPinned = await snapshots.unpin(id);
        output.show({ id, wasPinned }, () => (wasPinned ? `unpinned ${id}` : `${id} was not pinned`));
        return exitStatus.done;
      }),
    );
