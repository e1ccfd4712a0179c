import { Command } from '@commander-js/extra-typings';
import { ruleTable } from '../../../service/protect/rule-sheets';
import { act } from '../../terminal/act';
import { examples } from '../../terminal/help';

/** `portolan protect list`: needs no worker. */
export const protectListCommand = () =>
  new Command('list')
    .description('List the rules, with their last result.')
    .addHelpText(...examples('', '-o json'))
    .action(
      act(async ({ portolan, output }) => {
        const rows = await portolan.listRules();
        output.showList(rows, () => [ruleTable(rows)]);
      }),
    );
