import { Command } from '@commander-js/extra-typings';
import { exitStatus } from '../../../model/errors/error-codes';
import { perform } from '../../terminal/globals';
import { withStoredPortolan } from '../../terminal/with-portolan';
import { hookTable } from '../render/hooks';

/** `portolan hook list`: what calls Portolan, and whom it calls; needs neither Temporal nor a worker. */
export const hookListCommand = () =>
  new Command('list')
    .description(
      'Lists the hooks that come in, with the run that each has started last, and the receivers of those that go out, with the message that was last sent to each and those that are sent again.',
    )
    .action((_options, command) =>
      perform(command, async (output, globals) => {
        const hooks = await withStoredPortolan(globals, (portolan) => portolan.hooks.list());
        output.showList(hooks, (style) => hookTable(hooks, style));
        return exitStatus.done;
      }),
    );
