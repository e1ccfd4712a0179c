import { Command } from '@commander-js/extra-typings';
import { loadConfig } from '../../../config/load-config';
import { exitStatus } from '../../../model/errors/error-codes';
import { findSnapshot } from '../../../domain/snapshot/find-snapshot';
import { openSnapshots } from '../../../domain/snapshot/open-snapshots';
import { perform } from '../../terminal/globals';
import { whoTypes } from '../../../service/run/who';

/** `portolan snapshot pin`: keeps a snapshot whatever the policy says. */
export const snapshotPinCommand = () =>
  new Command('pin')
    .description('Keeps a snapshot from being forgotten, until it is unpinned.')
    .argument('<snapshot>', 'id, an end of it, latest, or latest:ROUTE')
    .option('--reason <text>', 'why; shown wherever it stays because of that')
    .action((text, { reason }, command) =>
      perform(command, async (output, globals) => {
        const snapshots = openSnapshots(loadConfig(globals.config));
        const id = await findSnapshot(snapshots, text);
        const pin = { at: new Date().toISOString(), who: whoTypes().who, reason };
        await snapshots.pin(id, pin);
        output.show({ id, pin }, () => `pinned   ${id}\nundo     portolan snapshot unpin ${id}`);
        return exitStatus.done;
      }),
    );
