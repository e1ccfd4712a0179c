import { Command } from '@commander-js/extra-typings';
import { ruleSheet } from '../../../service/protect/rule-sheets';
import { act } from '../../terminal/act';
import { argumentHelp } from '../../terminal/arguments';
import { examples } from '../../terminal/help';

/** `portolan protect show`: every group of a rule. */
export const protectShowCommand = () =>
  new Command('show')
    .description('Show a rule with every group, its last backup, and the groups that no longer match.')
    .addHelpText(...examples('official', 'production/official -o json'))
    .argument('<rule>', argumentHelp.rule)
    .action(
      act(async ({ portolan, output }, rule) => {
        const found = await portolan.readRule({ rule });
        output.show(found, () => ruleSheet(found));
      }),
    );
