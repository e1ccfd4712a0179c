import { Command } from '@commander-js/extra-typings';
import { exitStatus } from '../../../model/errors/error-codes';
import { perform } from '../../terminal/globals';
import { releaseListTable } from '../render/release-list';
import { withStoredPortolan } from '../../terminal/with-portolan';

/** `portolan release list`: releases in the store, readable or not. */
export const releaseListCommand = () =>
  new Command('list')
    .description('List releases, newest first.')
    .argument('[pipeline]', 'Pipeline (default: all)')
    .action((pipeline, _options, command) =>
      perform(command, async (output, globals) => {
        const { releases: shown, unreadable } = await withStoredPortolan(globals, (portolan) =>
          portolan.releases.list(pipeline),
        );
        if (output.format === 'ndjson')
          for (const each of [...shown, ...unreadable]) output.event({ release: each });
        else
          output.show({ releases: shown, unreadable }, (style) => releaseListTable(shown, unreadable, style));
        return exitStatus.done;
      }),
    );
