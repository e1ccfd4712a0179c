import { Command } from '@commander-js/extra-typings';
import { exitStatus } from '../../../model/errors/error-codes';
import { perform } from '../../terminal/globals';
import { withStoredPortolan } from '../../terminal/with-portolan';
import { hookTable } from '../render/hooks';

/** `portolan hook list`: hooks and receivers. Needs neither Temporal nor a worker. */
export const hookListCommand = () =>
  new Command('list')
    .description(
      'List hooks and notifications.\n\nShows the last run each hook started, and the last message to each receiver with any retries.',
    )
    .action((_options, command) =>
      perform(command, async (output, globals) => {
        const hooks = await withStoredPortolan(globals, (portolan) => portolan.hooks.list());
        output.showList(hooks, (style) => hookTable(hooks, style));
        return exitStatus.done;
      }),
    );
