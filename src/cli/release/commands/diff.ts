import { Command } from '@commander-js/extra-typings';
import { releasesDiffer } from '../../../domain/release/compare-releases';
import { exitStatus } from '../../../model/errors/error-codes';
import { statusArgument } from '../../terminal/arguments';
import { perform } from '../../terminal/globals';
import { withStoredPortolan } from '../../terminal/with-portolan';
import { releaseDiffTable } from '../render/release-diff';

/** `portolan release diff`: what one release has that another has not. */
export const releaseDiffCommand = () =>
  new Command('diff')
    .summary('how two releases differ')
    .description(
      'Compares two releases group by group and item by item, and their settings and categories value by value. Ends with 20 where they differ.',
    )
    .argument('<earlier>', 'id, an end of it, latest, or latest:PIPELINE')
    .argument('<later>', 'the same')
    .option(
      '--exit-code <status>',
      'ends with this where they differ',
      statusArgument,
      exitStatus.differences,
    )
    .action((earlier, later, { exitCode }, command) =>
      perform(command, async (output, globals) => {
        const comparison = await withStoredPortolan(globals, ({ releases }) => releases.diff(earlier, later));
        output.show(comparison, (style) => releaseDiffTable(comparison, style));
        return releasesDiffer(comparison) ? exitCode : exitStatus.done;
      }),
    );
