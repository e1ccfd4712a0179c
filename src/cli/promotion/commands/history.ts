import { Command } from '@commander-js/extra-typings';
import { exitStatus } from '../../../model/errors/error-codes';
import { perform } from '../../terminal/globals';
import { withStoredPortolan } from '../../terminal/with-portolan';
import { promoteHistory } from '../render/promote-history';

/** `portolan promote history`: what became of releases in the stages of a pipeline. */
export const promoteHistoryCommand = () =>
  new Command('history')
    .description(
      'Lists what was promoted to which stage and rolled back from there, by whom, who approved it, and why; the newest first.',
    )
    .argument('<pipeline>', 'name of a pipeline in portolan.yaml')
    .argument('[stage]', 'stage of the pipeline; without one, all of them')
    .action((name, stage, _options, command) =>
      perform(command, async (output, globals) => {
        const history = await withStoredPortolan(globals, ({ pipelines }) => pipelines.history(name, stage));
        output.show(history, (style) => promoteHistory(history.entries, style));
        return exitStatus.done;
      }),
    );
