import { Command } from '@commander-js/extra-typings';
import { historySheet } from '../../../service/item/item-sheets';
import { act } from '../../terminal/act';
import { argumentHelp } from '../../terminal/arguments';
import { examples } from '../../terminal/help';
import { itemHelp } from '../item-help';

/** `portolan item history`: the versions of an item that differ. */
export const itemHistoryCommand = () =>
  new Command('history')
    .description(
      'Show the versions of an item that differ, with what changed and the snapshots that hold them.',
    )
    .addHelpText(...examples('a1000000000000000000000000000001'))
    .argument('<item>', itemHelp)
    .option('--portal <name>', argumentHelp.portal)
    .action(
      act(async ({ portolan, output }, item, { portal }) => {
        const history = await portolan.readItemHistory({ item, portal });
        if (output.format === 'ndjson') for (const each of history.versions) output.event({ version: each });
        else output.show(history, () => historySheet(history));
        for (const note of history.notes) output.warn(note);
      }),
    );
