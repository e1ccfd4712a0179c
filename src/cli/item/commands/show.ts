import { Command } from '@commander-js/extra-typings';
import { stateSheet } from '../../../service/item/item-sheets';
import { act } from '../../terminal/act';
import { argumentHelp } from '../../terminal/arguments';
import { examples } from '../../terminal/help';
import { itemHelp } from '../item-help';

/** `portolan item show`: an item as a snapshot holds it. */
export const itemShowCommand = () =>
  new Command('show')
    .description('Show an item as a snapshot holds it.\n\nIts whole JSON, without secrets, is in -o json.')
    .addHelpText(...examples('a1000000000000000000000000000001 --at latest:transport'))
    .argument('<item>', itemHelp)
    .requiredOption('--at <snapshot>', argumentHelp.snapshot)
    .action(
      act(async ({ portolan, output }, item, { at: snapshot }) => {
        const state = await portolan.readItemAt({ item, snapshot });
        output.show(state, () => stateSheet(state));
      }),
    );
