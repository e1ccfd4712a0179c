import { Command } from '@commander-js/extra-typings';
import { loadConfig } from '../../../config/load-config';
import { findRelease } from '../../../domain/release/find-release';
import { openSnapshots } from '../../../domain/snapshot/open-snapshots';
import { exitStatus } from '../../../model/errors/error-codes';
import { perform } from '../../terminal/globals';
import { whoTypes } from '../../../service/run/who';

/** `portolan release pin`: keeps a release until it is unpinned. */
export const releasePinCommand = () =>
  new Command('pin')
    .description('Keeps a release from being forgotten, until it is unpinned.')
    .argument('<release>', 'id, an end of it, latest, or latest:PIPELINE')
    .option('--reason <text>', 'why; shown to whoever wants to forget it')
    .action((text, { reason }, command) =>
      perform(command, async (output, globals) => {
        const { releases } = openSnapshots(loadConfig(globals.config));
        const id = await findRelease(releases, text);
        const pin = { at: new Date().toISOString(), who: whoTypes().who, reason };
        await releases.pin(id, pin);
        output.show({ id, pin }, () => `pinned   ${id}\nundo     portolan release unpin ${id}`);
        return exitStatus.done;
      }),
    );

/** `portolan release unpin`: lets a release be forgotten again. */
export const releaseUnpinCommand = () =>
  new Command('unpin')
    .description('Takes a pin away: the release may be forgotten again.')
    .argument('<release>', 'id, an end of it, latest, or latest:PIPELINE')
    .action((text, _options, command) =>
      perform(command, async (output, globals) => {
        const { releases } = openSnapshots(loadConfig(globals.config));
        const id = await findRelease(releases, text);
        const wasPinned = await releases.unpin(id);
        output.show({ id, wasPinned }, () => (wasPinned ? `unpinned ${id}` : `${id} was not pinned`));
        return exitStatus.done;
      }),
    );
