import { Command } from '@commander-js/extra-typings';
import { loadConfig } from '../../../config/load-config';
import { openSnapshots } from '../../../domain/snapshot/open-snapshots';
import { exitStatus } from '../../../model/errors/error-codes';
import { perform } from '../../terminal/globals';
import { releaseListTable } from '../render/release-list';
import { releaseView } from '../../../service/release/release-view';

/** `portolan release list`: what releases the store holds, readable or not. */
export const releaseListCommand = () =>
  new Command('list')
    .description('Lists releases, newest first.')
    .argument('[pipeline]', 'only those of this pipeline')
    .action((pipeline, _options, command) =>
      perform(command, async (output, globals) => {
        const { releases } = openSnapshots(loadConfig(globals.config));
        const { readable, unreadable } = await releases.list();
        const shown = readable
          .filter(({ manifest }) => pipeline === undefined || manifest.pipeline === pipeline)
          .map(releaseView);
        if (output.format === 'ndjson')
          for (const each of [...shown, ...unreadable]) output.event({ release: each });
        else
          output.show({ releases: shown, unreadable }, (style) => releaseListTable(shown, unreadable, style));
        return exitStatus.done;
      }),
    );
