import { Command } from '@commander-js/extra-typings';
import { releasesDiffer } from '../../../domain/release/compare-releases';
import { exitStatus } from '../../../model/errors/error-codes';
import { statusArgument } from '../../terminal/arguments';
import { perform } from '../../terminal/globals';
import { withStoredPortolan } from '../../terminal/with-portolan';
import { releaseDiffTable } from '../render/release-diff';
import { argumentHelp } from '../../terminal/argument-help';

/** `portolan release diff`: compares two releases. */
export const releaseDiffCommand = () =>
  new Command('diff')
    .description(
      'Compare two releases.\n\nCompares groups item by item, and settings and categories value by value. Exits 20 if they differ.',
    )
    .argument('<earlier>', argumentHelp.release)
    .argument('<later>', 'Same')
    .option('--exit-code <status>', 'Exit status if they differ', statusArgument, exitStatus.differences)
    .action((earlier, later, { exitCode }, command) =>
      perform(command, async (output, globals) => {
        const comparison = await withStoredPortolan(globals, ({ releases }) => releases.diff(earlier, later));
        output.show(comparison, (style) => releaseDiffTable(comparison, style));
        return releasesDiffer(comparison) ? exitCode : exitStatus.done;
      }),
    );
