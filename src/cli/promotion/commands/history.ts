import { Command } from '@commander-js/extra-typings';
import { exitStatus } from '../../../model/errors/error-codes';
import { perform } from '../../terminal/globals';
import { withStoredPortolan } from '../../terminal/with-portolan';
import { promoteHistory } from '../render/promote-history';
import { argumentHelp } from '../../terminal/argument-help';

/** `portolan promote history`: promotions and rollbacks of a pipeline. */
export const promoteHistoryCommand = () =>
  new Command('history')
    .description(
      'List promotions and rollbacks, newest first.\n\nShows who started and approved each, and why.',
    )
    .argument('<pipeline>', argumentHelp.pipeline)
    .argument('[stage]', 'Stage of the pipeline (default: all)')
    .action((name, stage, _options, command) =>
      perform(command, async (output, globals) => {
        const history = await withStoredPortolan(globals, ({ pipelines }) => pipelines.history(name, stage));
        output.show(history, (style) => promoteHistory(history.entries, style));
        return exitStatus.done;
      }),
    );
