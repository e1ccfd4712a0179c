import { Command } from '@commander-js/extra-typings';
import { exitStatus } from '../../../model/errors/error-codes';
import { perform } from '../../terminal/globals';
import { withStoredPortolan } from '../../terminal/with-portolan';
import { releaseShow } from '../render/release-show';

/** `portolan release show`: what a release holds, and where it came from. */
export const releaseShowCommand = () =>
  new Command('show')
    .description('Shows what a release holds, who made it, why, and of what.')
    .argument('<release>', 'id, an end of it, latest, or latest:PIPELINE')
    .action((text, _options, command) =>
      perform(command, async (output, globals) => {
        const view = await withStoredPortolan(globals, ({ releases }) => releases.show(text));
        output.show(view, (style) => releaseShow(view, style));
        return exitStatus.done;
      }),
    );
