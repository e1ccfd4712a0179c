import { Command } from '@commander-js/extra-typings';
import { historyTable } from '../../../service/promotion/stage-sheets';
import { act } from '../../terminal/act';
import { argumentHelp } from '../../terminal/arguments';
import { examples } from '../../terminal/help';

/** `portolan promote history`: promotions and rollbacks of a pipeline. */
export const promoteHistoryCommand = () =>
  new Command('history')
    .description(
      'List promotions and rollbacks, newest first.\n\nShows who started and approved each, and why.',
    )
    .addHelpText(...examples('traffic', 'traffic production -o json'))
    .argument('<pipeline>', argumentHelp.pipeline)
    .argument('[stage]', 'Stage of the pipeline (default: all)')
    .action(
      act(async ({ portolan, output }, pipeline, stage) => {
        const history = await portolan.readHistory({ pipeline, stage });
        output.show(history, () => [historyTable(history.entries)]);
      }),
    );
