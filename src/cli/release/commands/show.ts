import { Command } from '@commander-js/extra-typings';
import { exitStatus } from '../../../model/errors/error-codes';
import { perform } from '../../terminal/globals';
import { withStoredPortolan } from '../../terminal/with-portolan';
import { releaseShow } from '../render/release-show';
import { argumentHelp } from '../../terminal/argument-help';

/** `portolan release show`: what a release holds, and where it came from. */
export const releaseShowCommand = () =>
  new Command('show')
    .description('Show what a release holds, who created it and why.')
    .argument('<release>', argumentHelp.release)
    .action((text, _options, command) =>
      perform(command, async (output, globals) => {
        const view = await withStoredPortolan(globals, ({ releases }) => releases.show(text));
        output.show(view, (style) => releaseShow(view, style));
        return exitStatus.done;
      }),
    );
