import { Command } from '@commander-js/extra-typings';
import { exitStatus } from '../../../model/errors/error-codes';
import { differs } from '../../../domain/snapshot/diff';
import { statusArgument } from '../../terminal/arguments';
import { perform } from '../../terminal/globals';
import { withStoredPortolan } from '../../terminal/with-portolan';
import { comparisonTable, comparisonWords } from '../render/snapshot-diff';

/** `portolan snapshot diff`: what two snapshots, or a snapshot and its group now, have otherwise. */
export const snapshotDiffCommand = () =>
  new Command('diff')
    .summary('how two snapshots differ, or a snapshot and its group as it is now')
    .description(
      'Compares two snapshots, or a snapshot with its group as it is now, item by item: what was added, removed and changed, and what was not compared. Ends with 20 where they differ.',
    )
    .argument('<before>', 'id, an end of it, latest, or latest:ROUTE')
    .argument('<after>', 'the same, or live')
    .option(
      '--exit-code <status>',
      'ends with this where they differ',
      statusArgument,
      exitStatus.differences,
    )
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
