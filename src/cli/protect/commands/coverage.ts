import { Command } from '@commander-js/extra-typings';
import { exitStatus } from '../../../model/errors/error-codes';
import { isCovered, summaryOf } from '../../../model/snapshot/coverage';
import { coverageSheet } from '../../../service/protect/rule-sheets';
import { act } from '../../terminal/act';
import { argumentHelp } from '../../terminal/arguments';
import { examples } from '../../terminal/help';

/** `portolan coverage`: what of a portal is not backed up. */
export const coverageCommand = () =>
  new Command('coverage')
    .description(
      'Show which items of a portal are protected by a backup, and which are not.\n\nReads every item and group of the portal; writes nothing there. Exit status 20 unless everything that can be exported is protected and the listing was complete.',
    )
    .addHelpText(...examples('production', 'production -o json'))
    .argument('<portal>', argumentHelp.portal)
    .action(
      act(async ({ portolan, output }, portal) => {
        const found = await portolan.readCoverage({ portal });
        output.show(found, () => coverageSheet(summaryOf(found)));
        return isCovered(found) ? exitStatus.done : exitStatus.differences;
      }),
    );
