import { Command } from '@commander-js/extra-typings';
import { tableOf } from '../../../model/text/sheet';
import { itemColumns } from '../../../service/item/item-sheets';
import { act } from '../../terminal/act';
import { argumentHelp } from '../../terminal/arguments';
import { examples } from '../../terminal/help';

/** `portolan item list`: items that backups hold. */
export const itemListCommand = () =>
  new Command('list')
    .description('List items that backups hold, deleted ones too.')
    .addHelpText(...examples('', 'projects --portal staging'))
    .argument('[query]', 'Part of the title, type or ID')
    .option('--portal <name>', argumentHelp.portal)
    .action(
      act(async ({ portolan, output }, query, { portal }) => {
        const { items, notes } = await portolan.listItems({ query, portal });
        if (output.format === 'ndjson') for (const each of items) output.event({ item: each });
        else
          output.show({ items, notes }, () => [
            tableOf(
              items,
              [['Item', ({ itemId }) => itemId], ['Title', ({ title }) => title], ...itemColumns],
              { empty: 'No items.' },
            ),
          ]);
        for (const note of notes) output.warn(note);
      }),
    );
