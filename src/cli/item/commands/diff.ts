import { Command } from '@commander-js/extra-typings';
import { exitStatus } from '../../../model/errors/error-codes';
import { comparisonSheet } from '../../../service/item/item-sheets';
import { act } from '../../terminal/act';
import { argumentHelp, statusArgument } from '../../terminal/arguments';
import { examples } from '../../terminal/help';
import { itemHelp } from '../item-help';

/** `portolan item diff`: what changed inside an item. */
export const itemDiffCommand = () =>
  new Command('diff')
    .description(
      'Show what changed inside an item between two snapshots, or until now.\n\nExits 20 if it differs.',
    )
    .addHelpText(...examples('a1000000000000000000000000000001 latest:transport live'))
    .argument('<item>', itemHelp)
    .argument('<before>', argumentHelp.snapshot)
    .argument('<after>', "Same, or 'live' for the portal now")
    .option('--exit-code <status>', 'Exit status if it differs', statusArgument, exitStatus.differences)
    .action(
      act(async ({ portolan, output }, item, before, after, { exitCode }) => {
        const comparison = await portolan.diffItem({ item, before, after });
        output.show(comparison, () => comparisonSheet(comparison));
        return comparison.change.kind === 'same' ? exitStatus.done : exitCode;
      }),
    );
