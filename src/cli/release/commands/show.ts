import { Command } from '@commander-js/extra-typings';
import { loadConfig } from '../../../config/load-config';
import { findRelease } from '../../../domain/release/find-release';
import { openSnapshots } from '../../../domain/snapshot/open-snapshots';
import { exitStatus } from '../../../model/errors/error-codes';
import { perform } from '../../terminal/globals';
import { releaseShow } from '../render/release-show';
import { releaseView } from '../../../service/release/release-view';

/** `portolan release show`: what a release holds, and where it came from. */
export const releaseShowCommand = () =>
  new Command('show')
    .description('Shows what a release holds, who made it, why, and of what.')
    .argument('<release>', 'id, an end of it, latest, or latest:PIPELINE')
    .action((text, _options, command) =>
      perform(command, async (output, globals) => {
        const { releases } = openSnapshots(loadConfig(globals.config));
        const view = releaseView(await releases.read(await findRelease(releases, text)));
        output.show(view, (style) => releaseShow(view, style));
        return exitStatus.done;
      }),
    );
