import { Command } from '@commander-js/extra-typings';
import { exitStatus } from '../../../model/errors/error-codes';
import { differs } from '../../../domain/snapshot/diff';
import { statusArgument } from '../../terminal/arguments';
import { perform } from '../../terminal/globals';
import { withStoredPortolan } from '../../terminal/with-portolan';
import { comparisonTable, comparisonWords } from '../render/snapshot-diff';
import { argumentHelp } from '../../terminal/argument-help';

/** `portolan snapshot diff`: compares two snapshots, or a snapshot with its group now. */
export const snapshotDiffCommand = () =>
  new Command('diff')
    .description(
      'Compare two snapshots, or a snapshot with its group now.\n\nLists items added, removed, changed and not compared. Exits 20 if they differ.',
    )
    .argument('<before>', argumentHelp.snapshot)
    .argument('<after>', "Same, or 'live' for the group now")
    .option('--exit-code <status>', 'Exit status if they differ', statusArgument, exitStatus.differences)
    .action((before, after, options, command) =>
      perform(command, async (output, globals) => {
        const comparison = await withStoredPortolan(globals, ({ snapshots }) =>
          snapshots.diff(before, after),
        );
        const status = differs(comparison) ? options.exitCode : exitStatus.done;
        output.show(comparison, (style) => comparisonTable(comparison, style));
        output.note(`\n${comparisonWords(comparison)}  Exit status ${status}.`);
        return status;
      }),
    );
